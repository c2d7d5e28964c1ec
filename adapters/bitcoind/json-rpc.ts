import { readFileSync } from "node:fs";
import type { Agent } from "node:http";
import { NodeUnavailableError } from "../../domain/errors";
import { SendFailure } from "../http/send-failure";
import { type HttpAnswer, keepAlive, parseJson, sendRequest } from "../http/send-request";

export interface RpcSettings {
  /** `http://user:password@host:port`, or without the credentials and with a cookie file. */
  url: string;
  cookieFile?: string | undefined;
  /** For one request, from its first byte to the last byte of the answer. */
  deadlineMs?: number;
  /** The maximum size of one answer: a longer one is refused before it has been read. */
  answerBytesMax?: number;
}

/** The answer would be longer than the maximum. */
export class AnswerTooLongError extends NodeUnavailableError {
  constructor(bytesMax: number) {
    super(`the node's answer is longer than ${Math.floor(bytesMax / 1024 / 1024)} MiB`, "malformed");
  }
}

/** An error with which bitcoind itself answered. */
export interface RpcError {
  code: number;
  message: string;
}

export type RpcAnswer = { result: unknown } | { error: RpcError };

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/**
 * JSON-RPC to bitcoind. Rejects with NodeUnavailableError if there is no usable answer; its message names no host
 * and no secret.
 */
export interface JsonRpc {
  call(method: string, ...params: unknown[]): Promise<RpcAnswer>;
  /** The answers in the order of the calls. */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
}

const DEADLINE_MS = 30_000;
/**
 * The answer becomes texts in a heap that node_args of ecosystem.config.js limits to 384 MB. A block is 8 MB of
 * digits at most.
 */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
/** Shorter than bitcoind's (`rpcservertimeout`, 30 s), which closes an idle connection just when a call begins. */
const IDLE_MS = 4_000;
/** RPC_IN_WARMUP */
const WARMING_UP = -28;

/** The connection's settings for a node. */
interface Endpoint {
  url: URL;
  credentials(): string;
  deadlineMs: number;
  answerBytesMax: number;
  agent: Agent;
}

export function makeJsonRpc(settings: RpcSettings): JsonRpc {
  const endpoint = endpointOf(settings);
  return {
    async call(method, ...params) {
      return answerOf(await exchange(endpoint, { jsonrpc: "1.0", id: 0, method, params }));
    },
    async batch(calls) {
      if (calls.length === 0) return [];
      const payload = calls.map((call, id) => ({ jsonrpc: "1.0", id, ...call }));
      const answers = await exchange(endpoint, payload);
      // A node that refuses a whole batch answers with one error.
      if (!Array.isArray(answers)) {
        answerOf(answers);
        throw new NodeUnavailableError("the node's answer to a batch is not a list", "malformed");
      }
      const byId = new Map(answers.map((answer) => [(answer as { id?: unknown } | null)?.id, answer]));
      return calls.map((_, id) => answerOf(byId.get(id)));
    },
  };
}

function endpointOf({ url: given, cookieFile, deadlineMs, answerBytesMax }: RpcSettings): Endpoint {
  const url = new URL(given);
  const own = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = url.password = "";
  return {
    url,
    credentials: () => (cookieFile === undefined ? own : readCookie(cookieFile)),
    deadlineMs: deadlineMs ?? DEADLINE_MS,
    answerBytesMax: answerBytesMax ?? ANSWER_BYTES_MAX,
    agent: keepAlive(url, IDLE_MS),
  };
}

/** Read for each request: bitcoind writes another cookie at each start, and none exists before the first. */
function readCookie(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}

/** Sends and receives JSON. */
async function exchange(endpoint: Endpoint, payload: unknown): Promise<unknown> {
  const { status, text } = await post(endpoint, JSON.stringify(payload));
  if (status === 401) throw new NodeUnavailableError("the node refuses the credentials");
  if (status === 403)
    throw new NodeUnavailableError("the node does not allow the call: see its rpcallowip and rpcwhitelist");
  if (status >= 300 && status < 400)
    throw new NodeUnavailableError(`the node's address redirects to another one (HTTP ${status})`);
  const answer = parseJson(text);
  if (answer !== undefined) return answer;
  if (status === 503) throw new NodeUnavailableError("the node is overloaded (its work queue is full)");
  const fault = status === 200 ? "malformed" : "away";
  throw new NodeUnavailableError(`the node's answer is not JSON (HTTP ${status})`, fault);
}

async function post(endpoint: Endpoint, body: string): Promise<HttpAnswer> {
  const { url, deadlineMs, answerBytesMax, agent } = endpoint;
  const authorization = `Basic ${Buffer.from(endpoint.credentials()).toString("base64")}`;
  const headers = { "content-type": "application/json", authorization };
  try {
    return await sendRequest(url, { method: "POST", headers, body, deadlineMs, answerBytesMax, agent });
  } catch (error) {
    const reason = error instanceof SendFailure ? error.errorCode : "";
    if (reason === "answer-too-long") throw new AnswerTooLongError(answerBytesMax);
    throw new NodeUnavailableError(reason === "timeout" ? "the node did not answer in time" : away(error));
  }
}

function answerOf(answer: unknown): RpcAnswer {
  if (typeof answer !== "object" || answer === null)
    throw new NodeUnavailableError("the node did not answer every call of a batch", "malformed");
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

/** Node's own messages name hosts and ports: only their codes are passed on. */
function away(error: unknown): string {
  const { code } = error as { code?: string };
  return `the node does not answer (${code ?? "connection failed"})`;
}
