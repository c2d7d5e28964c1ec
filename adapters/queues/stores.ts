import type { JobName } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { QUEUE_REDIS_SETTINGS, type Config } from "../../config/schema";
import { QueueRefusedError, type QueueBackend } from "./backend";
import { withDeadline } from "./deadline";
import { QUEUE_NAMES } from "./job-options";
import { postgresBackend } from "./postgres-backend";
import { redisBackend } from "./redis-backend";

const CHECK_DEADLINE_MS = 1_000;
const CLOSE_DEADLINE_MS = 2_000;
const RETRY_MS = 1_000;

type QueueRedis = (typeof QUEUE_REDIS_SETTINGS)[JobName];
export type QueueConfig = Pick<Config, "REDIS_URL" | "DATABASE_URL"> & Partial<Pick<Config, QueueRedis>>;

export interface QueueHealth {
  status: "ok" | "degraded";
  /** In words, without hosts. */
  reason?: string;
}

/** Where each queue lives: all in one place, or some in a Redis of their own. */
export interface Stores {
  /** Connected to when it is first asked for. */
  of(name: JobName): QueueBackend;
  /** Ends when they answer (by default all); while they do not, a log line says so. Rejects with QueueRefusedError when one must not be used. */
  waitUntilReady(name?: JobName): Promise<void>;
  health(): Promise<QueueHealth>;
  /** The queues whose store answers now. */
  answering(): Promise<readonly JobName[]>;
  close(): Promise<void>;
}

async function waitFor(backend: QueueBackend, log: Log): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await withDeadline(CHECK_DEADLINE_MS, () => backend.check());
    } catch (error) {
      if (error instanceof QueueRefusedError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (tries % 10 === 0) log.warn({ reason }, `${backend.name} does not answer yet: waiting for it`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** What is wrong with it, in words; null where nothing is. */
async function problemOf(backend: QueueBackend): Promise<string | null> {
  try {
    await withDeadline(CHECK_DEADLINE_MS, () => backend.check());
    return null;
  } catch (error) {
    return error instanceof QueueRefusedError ? error.message : `${backend.name} does not answer.`;
  }
}

/** By their URL: settings that name the same Redis share a connection. */
function queuesByUrl(config: QueueConfig, redisUrl: string): Map<string, JobName[]> {
  const byUrl = new Map<string, JobName[]>();
  for (const name of QUEUE_NAMES) {
    const url = config[QUEUE_REDIS_SETTINGS[name]] ?? redisUrl;
    byUrl.set(url, [...(byUrl.get(url) ?? []), name]);
  }
  return byUrl;
}

interface Store {
  queues: readonly JobName[];
  open: () => QueueBackend;
}

function storesOf(config: QueueConfig, { log, worker }: { log: Log; worker: boolean }): Store[] {
  const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl } = config;
  if (redisUrl === undefined)
    return [{ queues: QUEUE_NAMES, open: () => postgresBackend(databaseUrl, { worker, log }) }];
  const byUrl = [...queuesByUrl(config, redisUrl)];
  return byUrl.map(([url, queues]) => ({
    queues,
    open: () =>
      redisBackend(url, { name: byUrl.length === 1 ? "Redis" : `Redis of ${queues.join(", ")}`, log }),
  }));
}

/** Nothing here waits or fails because a store is away. */
export function openStores(config: QueueConfig, options: { log: Log; worker: boolean }): Stores {
  const stores = storesOf(config, options);
  const opened = new Map<Store, QueueBackend>();
  function open(store: Store): QueueBackend {
    const backend = opened.get(store) ?? store.open();
    opened.set(store, backend);
    return backend;
  }
  function of(name: JobName): QueueBackend {
    const store = stores.find(({ queues }) => queues.includes(name));
    if (store === undefined) throw new Error(`there is no queue ${name}`);
    return open(store);
  }
  const problems = () =>
    Promise.all(stores.map(async (store) => ({ ...store, problem: await problemOf(open(store)) })));
  return {
    of,
    async waitUntilReady(name) {
      const backends = name === undefined ? stores.map(open) : [of(name)];
      await Promise.all(backends.map((backend) => waitFor(backend, options.log)));
    },
    async health() {
      const reasons = (await problems()).flatMap(({ problem }) => (problem === null ? [] : [problem]));
      return reasons.length === 0 ? { status: "ok" } : { status: "degraded", reason: reasons.join(" ") };
    },
    async answering() {
      return (await problems()).flatMap(({ queues, problem }) => (problem === null ? queues : []));
    },
    async close() {
      const closing = [...opened.values()].map((backend) => backend.close());
      await withDeadline(CLOSE_DEADLINE_MS, () => Promise.allSettled(closing)).catch(() => undefined);
    },
  };
}
