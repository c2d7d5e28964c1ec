import { answerTo } from "./call";
import { ApiError, noConnection } from "./problem";
import type { CheckStep } from "./settings";

/**
 * Each step as it ends. Resolves when the node is connected.
 * @throws ApiError also when a step failed, without fields.
 */
export async function connectNode(
  path: string,
  body: object,
  onStep: (step: CheckStep) => void,
): Promise<void> {
  const { body: stream } = await answerTo("POST", path, { body });
  if (stream === null) throw noConnection();
  for await (const { event, data } of eventsOf(stream)) {
    if (event === "connected") return;
    if (event === "failed") {
      const { detail } = data as { detail: string };
      throw new ApiError({ code: "check-failed", title: detail, status: 0 });
    }
    onStep(data as CheckStep);
  }
  throw noConnection();
}

interface Event {
  event: string;
  data: unknown;
}

async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Event, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw noConnection();
    });
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(message) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
