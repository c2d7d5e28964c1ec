import { QuittanceConnectionError, QuittanceError, type Problem } from "./errors";

export interface ClientOptions {
  /** Where the service is, such as `https://pay.example.com`. */
  baseUrl: string;
  /** `sk_live_…` or `sk_test_…`. Its access says what it may do in its store: keep it on your server. */
  apiKey: string;
  storeId: string;
  /** How long a request may take in all; 30 s when left out. */
  timeoutMs?: number;
}

export interface RequestOptions {
  signal?: AbortSignal;
  /** Instead of the client's. */
  timeoutMs?: number;
}

export interface Ask extends RequestOptions {
  query?: object;
  body?: unknown;
  headers?: Record<string, string>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Sends requests with the key, only to the service, and reads its answers. */
export class Connection {
  readonly #root: string;
  readonly #apiKey: string;
  readonly #timeoutMs: number;
  /** `/stores/<storeId>` */
  readonly store: string;

  constructor({ baseUrl, apiKey, storeId, timeoutMs = DEFAULT_TIMEOUT_MS }: ClientOptions) {
    for (const [name, value] of Object.entries({ baseUrl, apiKey, storeId }))
      if (typeof value !== "string" || value === "") throw new TypeError(`${name} is missing`);
    const { protocol, origin, pathname, username } = new URL(baseUrl);
    if (!["http:", "https:"].includes(protocol) || username !== "")
      throw new TypeError("baseUrl must be an http or https URL without a user");
    this.#root = `${origin}${pathname.replace(/\/+$/, "")}/api/v1`;
    this.#apiKey = apiKey;
    this.#timeoutMs = timeoutMs;
    this.store = path`/stores/${storeId}`;
  }

  /** The answer's JSON; undefined where there is none (204). */
  async json<T>(method: string, below: string, ask: Ask = {}): Promise<T> {
    const parse = (text: string) => (text === "" ? undefined : JSON.parse(text)) as T;
    return this.#guard(ask, async (signal) => parse(await this.#text(method, below, ask, signal)));
  }

  /** As it was sent. */
  async text(method: string, below: string, ask: Ask = {}): Promise<string> {
    return this.#guard(ask, (signal) => this.#text(method, below, ask, signal));
  }

  async #text(method: string, below: string, ask: Ask, signal: AbortSignal): Promise<string> {
    return (await this.#send(method, below, ask, signal)).text();
  }

  /** The answer's bytes as they come. The time limit holds until they begin. */
  async stream(below: string, ask: Ask = {}): Promise<AsyncIterable<Uint8Array>> {
    const { signal = new AbortController().signal, timeoutMs = this.#timeoutMs } = ask;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException("too late", "TimeoutError")), timeoutMs);
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const { body } = await this.#explain(signal, () => this.#send("GET", below, ask, either));
      return body ?? (async function* () {})();
    } finally {
      clearTimeout(timer);
    }
  }

  async #guard<T>({ signal, timeoutMs = this.#timeoutMs }: Ask, work: (signal: AbortSignal) => Promise<T>) {
    const late = AbortSignal.timeout(timeoutMs);
    return this.#explain(signal, () => work(signal === undefined ? late : AbortSignal.any([signal, late])));
  }

  /** What the caller aborted ends with the caller's own reason. */
  async #explain<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof QuittanceError) throw error;
      if (signal?.aborted === true) throw signal.reason;
      const timeout = error instanceof Error && error.name === "TimeoutError";
      throw new QuittanceConnectionError(
        timeout ? "timeout" : "network",
        timeout
          ? "the service did not answer in time"
          : "the service could not be reached, or its answer broke off",
        { cause: error },
      );
    }
  }

  async #send(method: string, below: string, { query = {}, body, headers }: Ask, signal: AbortSignal) {
    const response = await fetch(`${this.#root}${below}${queryText(query)}`, {
      method,
      headers: {
        "x-api-key": this.#apiKey,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error", // wherever it led, the key would go along
      signal,
    });
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

/** Builds a path, each value as one segment of it. */
export function path(texts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: texts }, ...values.map(segment));
}

function segment(value: string): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new TypeError("an id is missing");
  return encodeURIComponent(value);
}

type Value = string | number | boolean | undefined;

function queryText(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, Value | Value[]][])
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) parameters.append(name, String(each));
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

async function refusal(response: Response): Promise<QuittanceError> {
  const { status, headers } = response;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const told = {
    requestId: headers.get("x-request-id"),
    retryAfter: Number.isFinite(seconds) ? seconds : null,
  };
  const text = await response.text();
  if (/^application\/problem\+json\b/.test(headers.get("content-type") ?? ""))
    return new QuittanceError(JSON.parse(text) as Problem, told);
  return new QuittanceError(
    {
      status,
      code: "unexpected-answer",
      title: "Not the service's answer",
      detail: `status ${status}, not in the service's format; a proxy may have answered`,
    },
    told,
  );
}
