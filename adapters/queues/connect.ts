import type { Enqueue, JobName } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { withDeadline } from "../../database/with-deadline";
import { DomainError } from "../../domain/errors";
import type { StoredQueue } from "./backend";
import type { Board, BoardOptions, makeBoard } from "./board";
import { makeEnqueue, QUEUE_NAMES } from "./enqueue";
import { startQueueWorker, type JobHandler, type RunningWorker, type WorkerOptions } from "./start-worker";
import { openStore, type QueueConfig, type QueueHealth, type Store } from "./store";

const OPENING_MS = 1_000;
const CLOSE_DEADLINE_MS = 2_000;

const COUNTED = ["waiting", "prioritized", "delayed", "active", "failed"] as const;
type Counts = Record<(typeof COUNTED)[number], number>;
/** Jobs by queue and BullMQ's states; queues that do not answer are left out. */
export type QueueStats = Partial<Record<JobName, Counts>>;
/**
 * By queue, the age of the oldest job that is ready; 0 if there is none. Uses the hosts' clocks. Queues that do not
 * answer are left out.
 */
export type QueueAges = Partial<Record<JobName, number>>;

export interface Queues {
  enqueue: Enqueue;
  waitUntilReady: Store["waitUntilReady"];
  startWorker<N extends JobName>(name: N, handler: JobHandler<N>, options: WorkerOptions): RunningWorker;
  health(): Promise<QueueHealth>;
  /** Rejects with DomainError `unavailable` while no queue answers. */
  stats(): Promise<QueueStats>;
  /** Rejects like `stats`. */
  ages(): Promise<QueueAges>;
  /** The queues as a page. It rejects with DomainError `unavailable` while they are away. */
  board(options: BoardOptions): Board;
  close(): Promise<void>;
}

export interface QueuesOptions {
  log: Log;
  /** The number of workers that this process will start: each needs a connection of its own. Default: none. */
  workers?: number;
}

interface Opening {
  queue: Promise<StoredQueue>;
  open: boolean;
  since: number;
}

/** Queues that are opened when they are first needed, and opened again after a failure. */
function openQueues(
  store: Store,
  log: Log,
): { ready: (name: JobName) => Promise<StoredQueue>; close: () => Promise<void> } {
  const opened = new Map<JobName, Opening>();
  async function open(name: JobName): Promise<StoredQueue> {
    const backend = store.backend();
    // A queue whose first connection failed stays broken for ever, so it is created only when the store
    // answers.
    if (backend.kind === "postgres") await backend.check();
    const queue = backend.makeQueue(name);
    queue.on("error", (error: Error) => log.debug({ queue: name, reason: error.message }, "queue: error"));
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
      // If it is still opening after this time, further callers do not wait for it.
      if (known?.open === false && performance.now() - known.since > OPENING_MS)
        return Promise.reject(new Error("the queue is unavailable"));
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

/** Both kinds of waiting jobs have their own order, in which the first is the oldest, or nearly. */
async function oldestSeconds(queue: StoredQueue): Promise<number> {
  const first = await Promise.all([queue.getWaiting(0, 0), queue.getPrioritized(0, 0)]);
  const since = first.flat().map(({ timestamp, opts }) => timestamp + (opts.delay ?? 0));
  return since.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...since)) / 1_000);
}

/** Calls each queue, without those that do not answer. @throws DomainError `unavailable` when none does */
async function ofEach<T>(
  store: Store,
  ready: (name: JobName) => Promise<StoredQueue>,
  ask: (queue: StoredQueue) => Promise<T>,
): Promise<Partial<Record<JobName, T>>> {
  const names = (await store.readHealth()).status === "ok" ? QUEUE_NAMES : [];
  const asked = await Promise.allSettled(
    names.map(async (name) => [name, await ask(await ready(name))] as const),
  );
  const answers = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  if (answers.length === 0) throw new DomainError("unavailable", "The queues do not answer.");
  return Object.fromEntries(answers);
}

async function readyQueues(
  store: Store,
  ready: (name: JobName) => Promise<StoredQueue>,
): Promise<readonly StoredQueue[]> {
  const { reason } = await store.readHealth();
  if (reason !== undefined) throw new DomainError("unavailable", reason);
  return Promise.all(QUEUE_NAMES.map(ready));
}

/** Its library is a third of what a process loads, and only the board needs it. */
function lazyBoard(queues: Parameters<typeof makeBoard>[0], options: BoardOptions): Board {
  let made: Promise<Board> | null = null;
  return (askedBy) => async (koa, next) => {
    made ??= import("./board.js").then(({ makeBoard: make }) => make(queues, options));
    const board = await made;
    await board(askedBy)(koa, next);
  };
}

const titleOf = ({ PROCESSES }: QueueConfig): string =>
  PROCESSES === "few" ? "Quittance queues, all workers in one process" : "Quittance queues";

/** The queues on Redis if `REDIS_URL` is set, else on Postgres. Connects in the background and never throws. */
export function connectQueues(config: QueueConfig, options: QueuesOptions): Queues {
  const { log } = options;
  const store = openStore(config, options);
  const queues = openQueues(store, log);
  return {
    enqueue: makeEnqueue(queues.ready, log),
    waitUntilReady: store.waitUntilReady,
    startWorker: (name, handler, options) => startQueueWorker(store.backend(), name, handler, options, log),
    health: store.health,
    stats: () => ofEach(store, queues.ready, (queue) => queue.getJobCounts(...COUNTED) as Promise<Counts>),
    ages: () => ofEach(store, queues.ready, oldestSeconds),
    board: (boardOptions) =>
      lazyBoard({ ready: () => readyQueues(store, queues.ready), log, title: titleOf(config) }, boardOptions),
    close: async () => {
      await queues.close();
      await store.close();
    },
  };
}
