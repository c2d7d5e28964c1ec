import { once } from "node:events";
import http, { type Agent, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { limitAnswer } from "./limit-answer";
import { SendFailure } from "./send-failure";

export interface HttpRequest {
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** In total, from the look-up of the name to the last byte of the answer. */
  deadlineMs: number;
  /** A longer body is an error, and no more of it is read. 0: the answer ends with its head. */
  answerBytesMax: number;
  /** For our own node: what any other answers is limited, on a connection of its own. */
  agent?: Agent;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Connections that are kept open for so long, for the next request to the same host. */
export function keepAlive({ protocol }: URL, idleMs: number): Agent {
  return new (protocol === "https:" ? https : http).Agent({ keepAlive: true, timeout: idleMs });
}

/**
 * A request to an address that the operator or we chose (webhooks have a client of their own). TLS is verified,
 * redirects are not followed. `fetch` would cost a millisecond more of processor time each, and 15 MB of memory.
 * @throws SendFailure `timeout`, `answer-too-long` or `invalid-response`, or an error of the system
 */
export async function sendRequest(url: URL, request: HttpRequest): Promise<HttpAnswer> {
  const { method, headers, body, agent, answerBytesMax } = request;
  const signal = AbortSignal.timeout(request.deadlineMs);
  const { request: begin } = url.protocol === "https:" ? https : http;
  try {
    const sent = begin(url, { method, headers, agent: agent ?? false, signal });
    if (agent === undefined) limitAnswer(sent, answerBytesMax);
    // Also while the answer is read, which reports it then.
    sent.on("error", () => undefined);
    // 101: Node gives the connection away, and would wait for ever.
    sent.on("upgrade", (_, socket: Duplex) => {
      socket.destroy();
      sent.emit("error", new SendFailure("invalid-response"));
    });
    sent.end(body);
    const [answer] = (await once(sent, "response", { signal })) as [IncomingMessage];
    if (answerBytesMax === 0) answer.destroy();
    const text = answerBytesMax === 0 ? "" : await readLimited(answer, answerBytesMax);
    return { status: answer.statusCode ?? 0, headers: answer.headers, text };
  } catch (error) {
    throw signal.aborted ? new SendFailure("timeout") : error;
  }
}

async function readLimited(answer: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new SendFailure("answer-too-long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
