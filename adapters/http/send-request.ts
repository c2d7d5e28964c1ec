import { once } from "node:events";
import http, {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ClientRequest,
} from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { SendFailure } from "./send-failure";
import type { Socket } from "node:net";

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

/** 1xx answers before the status. */
const INTERIM_LIMIT = 10;
/** All of them together with the status line and its headers. */
const HEAD_LIMIT_BYTES = 32 * 1024;
/** A body that comes byte by byte needs six: the length, the byte and two line ends. */
const SENT_FOR_A_BYTE = 8;
/** Node parses a read (64 KiB) to its end, even when its request is destroyed after the first bytes. */
const PIECE_BYTES = 256;

/**
 * Ends a request with `invalid-response` when its answer begins with too many interim answers or too many bytes, and
 * its answer with `answer-too-long` when much more arrives than a body of `bodyBytesMax` needs. Node's own limit for
 * headers begins again with each interim answer, and that for the extensions of a chunk with each chunk: without an
 * end they would keep the process from all other work.
 */
export function limitAnswer(outgoing: ClientRequest, bodyBytesMax: number): void {
  let interim = 0;
  let bytes = 0;
  let bytesMax = HEAD_LIMIT_BYTES;
  let answer: IncomingMessage | null = null;
  const refuse = (): void => {
    if (answer === null) outgoing.destroy(new SendFailure("invalid-response"));
    else answer.destroy(new SendFailure("answer-too-long"));
  };
  outgoing.on("information", () => {
    interim += 1;
    if (interim > INTERIM_LIMIT) refuse();
  });
  outgoing.once("response", (response) => {
    answer = response;
    bytesMax += SENT_FOR_A_BYTE * bodyBytesMax;
  });
  outgoing.once("socket", (socket: Socket) => {
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null) => {
      if (chunk === null) return push(null);
      let more = true;
      for (let at = 0; at < chunk.length && !socket.destroyed; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        bytes += piece.length;
        if (bytes > bytesMax) refuse();
        else more = push(piece);
      }
      return more;
    };
  });
}
