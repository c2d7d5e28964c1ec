import type { Log } from "../../commands/ports";
import type { Config } from "../../config/schema";
import { withDeadline } from "../../database/with-deadline";
import { QueueRefusedError, QueueUnwritableError, type QueueBackend } from "./backend";
import { postgresBackend } from "./postgres-backend";
import { redisBackend } from "./redis-backend";

const CHECK_DEADLINE_MS = 1_000;
const CLOSE_DEADLINE_MS = 2_000;
const RETRY_MS = 1_000;

export type QueueConfig = Pick<Config, "REDIS_URL" | "DATABASE_URL"> & Partial<Pick<Config, "PROCESSES">>;

export interface QueueHealth {
  status: "ok" | "degraded";
  /** A description without hosts. */
  reason?: string;
}

/** The store of the queues. */
export interface Store {
  /** Connects when it is first used. */
  backend(): QueueBackend;
  /**
   * Ends when the store can be used; meanwhile a log line reports that it does not. Rejects with QueueRefusedError when
   * it must not be used.
   */
  waitUntilReady(): Promise<void>;
  /** Whether jobs can be added and processed. */
  health(): Promise<QueueHealth>;
  /** Whether jobs can be read: also while the store refuses writes. */
  readHealth(): Promise<QueueHealth>;
  close(): Promise<void>;
}

/** Nothing here waits or fails because the store is away. */
export function openStore(
  { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl }: QueueConfig,
  { log, workers = 0 }: { log: Log; workers?: number },
): Store {
  let opened: QueueBackend | null = null;
  const backend = (): QueueBackend =>
    (opened ??=
      redisUrl === undefined ? postgresBackend(databaseUrl, { workers, log }) : redisBackend(redisUrl, log));
  const read = () => withDeadline(CHECK_DEADLINE_MS, () => backend().check());
  const check = () =>
    withDeadline(CHECK_DEADLINE_MS, async () => {
      await backend().check();
      await backend().checkWrite();
    });
  async function healthOf(checked: Promise<void>): Promise<QueueHealth> {
    try {
      await checked;
      return { status: "ok" };
    } catch (error) {
      const explained = error instanceof QueueRefusedError || error instanceof QueueUnwritableError;
      return { status: "degraded", reason: explained ? error.message : `${backend().name} does not answer.` };
    }
  }
  return {
    backend,
    async waitUntilReady() {
      for (let tries = 0; ; tries++) {
        try {
          return await check();
        } catch (error) {
          if (error instanceof QueueRefusedError) throw error;
          const reason = error instanceof Error ? error.message : String(error);
          if (tries % 10 === 0) log.warn({ reason }, `queue: waiting for ${backend().name}`);
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    },
    health: () => healthOf(check()),
    readHealth: () => healthOf(read()),
    async close() {
      const closing = opened?.close() ?? Promise.resolve();
      await withDeadline(CLOSE_DEADLINE_MS, () => closing).catch(() => undefined);
    },
  };
}
