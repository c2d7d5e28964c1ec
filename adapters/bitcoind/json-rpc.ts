import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { NodeUnavailableError } from "../../domain/errors";
import { parseAnswer } from "./parse-answer";

export interface RpcSettings {
  /** `http://user:password@host:port`, or without them and a cookie file. */
  url: string;
  cookieFile?: string | undefined;
  /** For one request, from the first byte out to the last byte in. */
  deadlineMs?: number;
  /** Of one answer: a longer one is refused before it is whole. */
  answerBytesMax?: number;
}

/** What was asked for is too much for one answer. */
export class AnswerTooLongError extends NodeUnavailableError {
  constructor(bytesMax: number) {
    super(`the node's answer is longer than ${Math.floor(bytesMax / 1024 / 1024)} MiB`, "malformed");
  }
}

/** An error that bitcoind itself answered with. */
export interface RpcError {
  code: number;
  message: string;
}

export type RpcAnswer = { result: unknown } | { error: RpcError };

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** JSON-RPC to bitcoind; a result of many hexadecimal digits comes as their bytes. Rejects with NodeUnavailableError where there is no usable answer; its words name no host and no secret. */
export interface JsonRpc {
  call(method: string, ...params: unknown[]): Promise<RpcAnswer>;
  /** The answers in the order of the calls. */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  close(): void;
}

const DEADLINE_MS = 30_000;
/** It becomes texts in a heap that node_args of ecosystem.config.js bound to 384 MB. A block is 8 MB of digits at most. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
/** RPC_IN_WARMUP */
const WARMING_UP = -28;

interface HttpAnswer {
  status: number;
  body: Buffer[];
}

export function makeJsonRpc(settings: RpcSettings): JsonRpc {
  const poster = new Poster(settings);
  return {
    async call(method, ...params) {
      return answerOf(await poster.exchange({ jsonrpc: "1.0", id: 0, method, params }));
    },
    async batch(calls) {
      if (calls.length === 0) return [];
      const answers = await poster.exchange(calls.map((call, id) => ({ jsonrpc: "1.0", id, ...call })));
      // A node that cannot answer a batch at all answers with one error.
      if (!Array.isArray(answers)) {
        answerOf(answers);
        throw new NodeUnavailableError("the node's answer to a batch is not a list", "malformed");
      }
      const byId = new Map(answers.map((answer) => [(answer as { id?: unknown } | null)?.id, answer]));
      return calls.map((_, id) => answerOf(byId.get(id)));
    },
    close: () => poster.close(),
  };
}

/** JSON there and back, over connections that are kept. */
class Poster {
  readonly #url: URL;
  readonly #cookieFile: string | undefined;
  readonly #deadlineMs: number;
  readonly #answerBytesMax: number;
  readonly #http: typeof http | typeof https;
  readonly #agent: http.Agent;
  #credentials: string | null;

  constructor({ url, cookieFile, deadlineMs, answerBytesMax }: RpcSettings) {
    this.#answerBytesMax = answerBytesMax ?? ANSWER_BYTES_MAX;
    this.#url = new URL(url);
    this.#cookieFile = cookieFile;
    this.#deadlineMs = deadlineMs ?? DEADLINE_MS;
    this.#http = this.#url.protocol === "https:" ? https : http;
    this.#agent = new this.#http.Agent({ keepAlive: true, maxSockets: 8 });
    this.#credentials = credentialsOf(this.#url, cookieFile);
  }

  close(): void {
    this.#agent.destroy();
  }

  async exchange(payload: unknown): Promise<unknown> {
    const { status, body } = await this.#postWithCredentials(JSON.stringify(payload));
    try {
      return parseAnswer(body);
    } catch {
      if (status === 503) throw new NodeUnavailableError("the node is overloaded (its work queue is full)");
      const fault = status === 200 ? "malformed" : "away";
      throw new NodeUnavailableError(`the node's answer is not JSON (HTTP ${status})`, fault);
    }
  }

  /** A cookie changes at each start of bitcoind, so a refusal is believed only after reading it again. */
  async #postWithCredentials(body: string): Promise<HttpAnswer> {
    this.#credentials ??= credentialsOf(this.#url, this.#cookieFile);
    let answer = await this.#post(body);
    if (answer.status === 401 && this.#cookieFile !== undefined) {
      this.#credentials = credentialsOf(this.#url, this.#cookieFile);
      answer = await this.#post(body);
    }
    if (answer.status === 401 || answer.status === 403)
      throw new NodeUnavailableError("the node refuses our credentials");
    return answer;
  }

  async #post(body: string): Promise<HttpAnswer> {
    const url = this.#url;
    const signal = AbortSignal.timeout(this.#deadlineMs);
    const options: http.RequestOptions = {
      method: "POST",
      agent: this.#agent,
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        authorization: `Basic ${Buffer.from(this.#credentials ?? "").toString("base64")}`,
      },
      signal,
    };
    try {
      const sent = this.#http.request(options);
      sent.on("error", () => undefined); // told by once() before the answer, by reading it after
      sent.end(body);
      const [response] = (await once(sent, "response")) as [http.IncomingMessage];
      return { status: response.statusCode ?? 0, body: await readAll(response, this.#answerBytesMax) };
    } catch (error) {
      if (error instanceof AnswerTooLongError) throw error;
      throw new NodeUnavailableError(signal.aborted ? "the node did not answer in time" : away(error));
    }
  }
}

function credentialsOf(url: URL, cookieFile: string | undefined): string | null {
  if (cookieFile === undefined)
    return `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  try {
    return readFileSync(cookieFile, "utf8").trim();
  } catch {
    return null; // bitcoind writes it at its start: the next request looks again
  }
}

async function readAll(response: http.IncomingMessage, bytesMax: number): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > bytesMax) throw new AnswerTooLongError(bytesMax);
    pieces.push(piece);
  }
  return pieces;
}

function answerOf(answer: unknown): RpcAnswer {
  if (typeof answer !== "object" || answer === null)
    throw new NodeUnavailableError("the node left a call without an answer", "malformed");
  const { result, error } = answer as { result?: unknown; error?: unknown };
  if (error === null || error === undefined) {
    if (result === undefined) throw new NodeUnavailableError("the node's answer has no result", "malformed");
    return { result };
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code !== "number" || typeof message !== "string")
    throw new NodeUnavailableError("the node's answer has a malformed error", "malformed");
  if (code === WARMING_UP) throw new NodeUnavailableError(`the node is starting: ${message}`);
  return { error: { code, message } };
}

/** Node's own texts name hosts and ports: only their codes are passed on. */
function away(error: unknown): string {
  const { code } = error as { code?: string };
  return `the node does not answer (${code ?? "connection failed"})`;
}
