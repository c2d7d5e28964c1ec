import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { NodeUnavailableError } from "../../domain/errors";

export interface RpcSettings {
  /** `http://user:password@host:port`, or without them and a cookie file. */
  url: string;
  cookieFile?: string | undefined;
  /** For one request, from the first byte out to the last byte in. */
  deadlineMs?: number;
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

/** JSON-RPC to bitcoind. Rejects with NodeUnavailableError where there is no usable answer; its words name no host and no secret. */
export interface JsonRpc {
  call(method: string, ...params: unknown[]): Promise<RpcAnswer>;
  /** The answers in the order of the calls. */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  close(): void;
}

const DEADLINE_MS = 30_000;
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;
/** RPC_IN_WARMUP */
const WARMING_UP = -28;

interface HttpAnswer {
  status: number;
  body: string;
}

export function makeJsonRpc(settings: RpcSettings): JsonRpc {
  const url = new URL(settings.url);
  const { request, Agent } = url.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const deadlineMs = settings.deadlineMs ?? DEADLINE_MS;
  let credentials = credentialsOf(url, settings.cookieFile);

  async function post(body: string): Promise<HttpAnswer> {
    return new Promise<HttpAnswer>((resolve, reject) => {
      const options: http.RequestOptions = {
        method: "POST",
        agent,
        protocol: url.protocol,
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          authorization: `Basic ${Buffer.from(credentials ?? "").toString("base64")}`,
        },
        signal: AbortSignal.timeout(deadlineMs),
      };
      const sent = request(options, (response) => {
        readAll(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, body: text }),
          (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    }).catch((error: unknown) => {
      throw new NodeUnavailableError(away(error));
    });
  }

  /** A cookie changes at each start of bitcoind, so a refusal is believed only after reading it again. */
  async function postWithCredentials(body: string): Promise<HttpAnswer> {
    credentials ??= credentialsOf(url, settings.cookieFile);
    let answer = await post(body);
    if (answer.status === 401 && settings.cookieFile !== undefined) {
      credentials = credentialsOf(url, settings.cookieFile);
      answer = await post(body);
    }
    if (answer.status === 401 || answer.status === 403)
      throw new NodeUnavailableError("the node refuses our credentials");
    return answer;
  }

  async function exchange(payload: unknown): Promise<unknown> {
    const { status, body } = await postWithCredentials(JSON.stringify(payload));
    try {
      return JSON.parse(body) as unknown;
    } catch {
      throw new NodeUnavailableError(
        status === 503
          ? "the node is overloaded (its work queue is full)"
          : `the node's answer is not JSON (HTTP ${status})`,
        status === 200 ? "malformed" : "away",
      );
    }
  }

  return {
    async call(method, ...params) {
      return answerOf(await exchange({ jsonrpc: "1.0", id: 0, method, params }));
    },
    async batch(calls) {
      if (calls.length === 0) return [];
      const answers = await exchange(calls.map((call, id) => ({ jsonrpc: "1.0", id, ...call })));
      // A node that cannot answer a batch at all answers with one error.
      if (!Array.isArray(answers)) {
        answerOf(answers);
        throw new NodeUnavailableError("the node's answer to a batch is not a list", "malformed");
      }
      const byId = new Map(answers.map((answer) => [(answer as { id?: unknown } | null)?.id, answer]));
      return calls.map((_, id) => answerOf(byId.get(id)));
    },
    close: () => agent.destroy(),
  };
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

async function readAll(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString("utf8");
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
  const { name, code } = error as { name?: string; code?: string };
  if (name === "TimeoutError" || name === "AbortError") return "the node did not answer in time";
  return `the node does not answer (${code ?? "connection failed"})`;
}
