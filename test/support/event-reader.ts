import { once } from "node:events";
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

/** A server-sent event as an EventSource hands it on, and when it came (`performance.now()`). */
export interface HeardEvent {
  name: string;
  id: string;
  data: string;
  atMs: number;
}

/** A stream of server-sent events on a connection of its own, as a browser's tab holds one. */
export interface EventReader {
  status: number;
  headers: IncomingHttpHeaders;
  /** What came so far, comments and `retry` too. */
  text(): string;
  /** Resolves when the connection has ended, however. */
  ended: Promise<void>;
  /** Takes nothing more from the connection. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface ReadEventsOptions {
  headers?: Record<string, string>;
  hear?: (event: HeardEvent) => void;
  /** Default: nothing is kept of what was heard. */
  keepText?: boolean;
}

/** Resolves when the head of the answer has come. */
export async function readEvents(url: string, options: ReadEventsOptions = {}): Promise<EventReader> {
  const { headers = {}, hear = () => undefined, keepText = false } = options;
  const agent = new Agent({ keepAlive: false });
  const asked = request(url, { agent, headers: { accept: "text/event-stream", ...headers } });
  asked.end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  let text = "";
  let rest = "";
  const ended = new Promise<void>((resolve) => {
    answer.once("close", resolve);
    answer.once("error", () => resolve());
  });
  answer.setEncoding("utf8").on("data", (chunk: string) => {
    if (keepText) text += chunk;
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== null) hear(event);
    }
  });
  asked.on("error", () => undefined); // reported by `ended`
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: () => text,
    ended,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    close: () => void asked.destroy(),
  };
}

/** Null for what dispatches no event. */
function parseEvent(block: string): HeardEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    fields.set(name, value);
  }
  const data = fields.get("data");
  if (data === undefined) return null;
  return {
    name: fields.get("event") ?? "message",
    id: fields.get("id") ?? "",
    data,
    atMs: performance.now(),
  };
}

/** Does many things, at most `atOnce` of them at a time; answers in their order. */
export async function allOf<T>(count: number, atOnce: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) made[n] = await make(n);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
  return made;
}
