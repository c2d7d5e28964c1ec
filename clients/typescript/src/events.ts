import type { Connection, RequestOptions } from "./connection";
import { QuittanceConnectionError, QuittanceError } from "./errors";
import type { components, operations } from "./generated";

export type FeedEvent = components["schemas"]["FeedEvent"];
export type EventFeed = components["schemas"]["EventFeed"];
export type FeedQuery = NonNullable<operations["readEvents"]["parameters"]["query"]>;

export interface FollowOptions extends RequestOptions {
  /** The `seq` of the last event that you have processed; left out: from the first event. */
  after?: string;
}

const WAIT_SECONDS = 25;
/** The service answers within the wait; the rest is the way. */
export const TIMEOUT_MS = 40_000;
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

export class Events {
  readonly #connection: Connection;
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** A part of the store's feed, oldest first. Continue with `nextAfter`. */
  read(query: FeedQuery = {}, options?: RequestOptions): Promise<EventFeed> {
    return this.#connection.json("GET", `${this.#connection.store}/events`, { ...options, query });
  }

  /**
   * Every event of the store, in order and each once, and then new ones as they come, without an end. Store the `seq`
   * of the last processed event, and begin with it after a restart. While the service is away it waits and asks
   * again; a permanent refusal (a deleted key) is thrown.
   */
  async *follow({ after, ...options }: FollowOptions = {}): AsyncGenerator<FeedEvent, void, undefined> {
    const read = (query: FeedQuery) => this.read(query, { timeoutMs: TIMEOUT_MS, ...options });
    for await (const { data } of followPages(read, { after, signal: options.signal })) yield* data;
  }
}

interface FollowPages {
  after: string | undefined;
  signal: AbortSignal | undefined;
  /** Called before each wait for a service that is away. */
  onTrouble?: (error: unknown) => void;
}

/** Part after part, and then what comes; each read waits for events at most as long as `TIMEOUT_MS` allows. */
export async function* followPages<P extends { nextAfter: string }>(
  read: (query: FeedQuery) => Promise<P>,
  { after, signal, onTrouble }: FollowPages,
): AsyncGenerator<P, void, undefined> {
  let failures = 0;
  for (let seq = after; ;) {
    const query = { wait: WAIT_SECONDS, ...(seq === undefined ? {} : { after: seq }) };
    try {
      const page = await read(query);
      failures = 0;
      yield page;
      seq = page.nextAfter;
    } catch (error) {
      if (!passes(error)) throw error;
      onTrouble?.(error);
      await pause(pauseMs(error, failures++), signal);
    }
  }
}

function passes(error: unknown): boolean {
  if (error instanceof QuittanceConnectionError) return true;
  return error instanceof QuittanceError && (error.status === 429 || error.status >= 500);
}

function pauseMs(error: unknown, failures: number): number {
  const asked = error instanceof QuittanceError ? error.retryAfter : null;
  return asked === null ? (PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0) : asked * 1_000;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}
