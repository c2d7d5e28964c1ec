import type { Config } from "../../config/schema";
import type { Enqueue, JobName, ReconcileTask } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { DomainError } from "../../domain/errors";
import { QueueRefusedError, type QueueBackend, type StoredQueue } from "./backend";
import type { Board, BoardOptions, makeBoard } from "./board";
import { withDeadline } from "./deadline";
import { makeEnqueue } from "./enqueue";
import { jobOptions, QUEUE_NAMES } from "./job-options";
import { postgresBackend } from "./postgres-backend";
import { redisBackend } from "./redis-backend";
import { startQueueWorker, type JobHandler, type RunningWorker, type WorkerOptions } from "./start-worker";

const CHECK_DEADLINE_MS = 1_000;
const CLOSE_DEADLINE_MS = 2_000;
const RETRY_MS = 1_000;

export interface QueueHealth {
  status: "ok" | "degraded";
  /** In words, without hosts. */
  reason?: string;
}
const COUNTED = ["waiting", "prioritized", "delayed", "active", "failed"] as const;
/** Jobs by queue and BullMQ's states. */
export type QueueStats = Record<JobName, Record<(typeof COUNTED)[number], number>>;
/** By queue, how long the oldest job waits that could be taken now; 0 where none does. By the hosts' clocks. */
export type QueueAges = Record<JobName, number>;

export interface Queues {
  enqueue: Enqueue;
  /** Ends when the queue answers; while it does not, a log line says so. Rejects with QueueRefusedError when it must not be used. */
  waitUntilReady(): Promise<void>;
  startWorker<N extends JobName>(name: N, handler: JobHandler<N>, options: WorkerOptions): RunningWorker;
  /** Makes or renews the job schedulers of the reconcile tasks. Safe to call again and again. */
  schedule(everyMs: Readonly<Record<ReconcileTask, number>>): Promise<void>;
  health(): Promise<QueueHealth>;
  stats(): Promise<QueueStats>;
  ages(): Promise<QueueAges>;
  /** The queues as a page. It rejects with DomainError `unavailable` while they are away. */
  board(options: BoardOptions): Board;
  close(): Promise<void>;
}

export interface QueuesOptions {
  log: Log;
  /** Whether this process will start a worker, which needs more connections than adding jobs. */
  worker: boolean;
}

interface Opening {
  queue: Promise<StoredQueue>;
  open: boolean;
  since: number;
}

/** Queues that are opened when they are first needed, and opened again when that failed. */
function openQueues(
  backend: QueueBackend,
  log: Log,
): { ready: (name: JobName) => Promise<StoredQueue>; close: () => Promise<void> } {
  const opened = new Map<JobName, Opening>();
  async function open(name: JobName): Promise<StoredQueue> {
    // A queue whose first connection failed stays broken for ever, so it is made once the store answers.
    if (backend.kind === "postgres") await backend.check();
    const queue = backend.makeQueue(name);
    queue.on("error", (error: Error) => log.debug({ queue: name, reason: error.message }, "queue error"));
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      await queue.close().catch(() => undefined);
      throw error;
    }
  }
  return {
    ready(name) {
      const known = opened.get(name);
      // Who finds it still opening after so long need not wait as well.
      if (known?.open === false && performance.now() - known.since > CHECK_DEADLINE_MS)
        return Promise.reject(new Error("the queue is away"));
      if (known) return known.queue;
      const opening: Opening = { queue: open(name), open: false, since: performance.now() };
      opened.set(name, opening);
      opening.queue.then(
        () => (opening.open = true),
        () => opened.delete(name),
      );
      return opening.queue;
    },
    async close() {
      const closing = [...opened.values()].map(async ({ queue }) => (await queue).close());
      await withDeadline(CLOSE_DEADLINE_MS, () => Promise.allSettled(closing)).catch(() => undefined);
    },
  };
}

async function waitFor(backend: QueueBackend, log: Log): Promise<void> {
  const where = backend.kind === "redis" ? "Redis" : "the queues' database";
  for (let tries = 0; ; tries++) {
    try {
      return await withDeadline(CHECK_DEADLINE_MS, () => backend.check());
    } catch (error) {
      if (error instanceof QueueRefusedError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (tries % 10 === 0) log.warn({ reason }, `waiting for ${where}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function health(backend: QueueBackend): Promise<QueueHealth> {
  try {
    await withDeadline(CHECK_DEADLINE_MS, () => backend.check());
    return { status: "ok" };
  } catch (error) {
    const where = backend.kind === "redis" ? "Redis" : "The queues' database";
    const reason = error instanceof QueueRefusedError ? error.message : `${where} does not answer.`;
    return { status: "degraded", reason };
  }
}

async function upsertSchedulers(
  queue: StoredQueue,
  everyMs: Readonly<Record<ReconcileTask, number>>,
): Promise<void> {
  for (const [task, every] of Object.entries(everyMs) as [ReconcileTask, number][])
    await queue.upsertJobScheduler(
      task,
      { every },
      { name: task, data: { task }, opts: jobOptions("reconcile", null, {}) },
    );
}

/** Both kinds of waiting have an order of their own, and the first of each is its oldest, or nearly. */
async function oldestSeconds(queue: StoredQueue): Promise<number> {
  const first = await Promise.all([queue.getWaiting(0, 0), queue.getPrioritized(0, 0)]);
  const since = first.flat().map(({ timestamp, opts }) => timestamp + (opts.delay ?? 0));
  return since.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...since)) / 1_000);
}

async function countJobs(ready: (name: JobName) => Promise<StoredQueue>): Promise<QueueStats> {
  const counted = QUEUE_NAMES.map(async (name) => {
    const queue = await ready(name);
    return [name, await queue.getJobCounts(...COUNTED)] as const;
  });
  return Object.fromEntries(await Promise.all(counted)) as QueueStats;
}

async function waitingSeconds(ready: (name: JobName) => Promise<StoredQueue>): Promise<QueueAges> {
  const asked = QUEUE_NAMES.map(async (name) => [name, await oldestSeconds(await ready(name))] as const);
  return Object.fromEntries(await Promise.all(asked)) as QueueAges;
}

async function readyQueues(
  backend: QueueBackend,
  ready: (name: JobName) => Promise<StoredQueue>,
): Promise<readonly StoredQueue[]> {
  const { reason } = await health(backend);
  if (reason !== undefined) throw new DomainError("unavailable", reason);
  return Promise.all(QUEUE_NAMES.map(ready));
}

/** Its library is a third of what a process loads, and only who opens the board needs it. */
function lazyBoard(queues: Parameters<typeof makeBoard>[0], options: BoardOptions): Board {
  let made: Promise<Board> | null = null;
  return (askedBy) => async (koa, next) => {
    made ??= import("./board.js").then(({ makeBoard: make }) => make(queues, options));
    const board = await made;
    await board(askedBy)(koa, next);
  };
}

/** The queues on Redis where `REDIS_URL` is set, else on Postgres. Connects in the background and never throws. */
export function connectQueues(
  config: Pick<Config, "REDIS_URL" | "DATABASE_URL">,
  { log, worker }: QueuesOptions,
): Queues {
  const backend =
    config.REDIS_URL === undefined
      ? postgresBackend(config.DATABASE_URL, { worker, log })
      : redisBackend(config.REDIS_URL, log);
  const queues = openQueues(backend, log);
  return {
    enqueue: makeEnqueue(queues.ready, log),
    waitUntilReady: () => waitFor(backend, log),
    startWorker: (name, handler, options) => startQueueWorker(backend, name, handler, options, log),
    schedule: async (everyMs) => upsertSchedulers(await queues.ready("reconcile"), everyMs),
    health: () => health(backend),
    stats: () => countJobs(queues.ready),
    ages: () => waitingSeconds(queues.ready),
    board: (options) => lazyBoard({ ready: () => readyQueues(backend, queues.ready), log }, options),
    close: async () => {
      await queues.close();
      await withDeadline(CLOSE_DEADLINE_MS, () => backend.close()).catch(() => undefined);
    },
  };
}
