import type { Job, Processor, Queue, Worker, WorkerOptions } from "bullmq";
import type { JobName, Jobs } from "../../commands/jobs";

/** A job's data in the queue. */
export type StoredJob = Jobs[JobName];

export type StoredQueue = Queue<StoredJob, void>;
export type StoredWorker = Worker<StoredJob, void>;
export type QueuedJob = Job<StoredJob, void>;
export type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

/** The queue's store is configured in a way that would lose jobs. The message says how to fix it, without hosts. */
export class QueueRefusedError extends Error {
  override readonly name = "QueueRefusedError";
}

/** The queue's store answers and accepts no writes. The message says what to do, without hosts. */
export class QueueUnwritableError extends Error {
  override readonly name = "QueueUnwritableError";
}

/** Where the queues live. Both kinds give BullMQ's own classes. */
export interface QueueBackend {
  readonly kind: "redis" | "postgres";
  /** The name for operators, to begin a sentence; it contains no host. */
  readonly name: string;
  /**
   * Rejects with QueueRefusedError when the store must not be used as it is; while it is away, rejects otherwise or
   * does not end.
   */
  check(): Promise<void>;
  /** Rejects with QueueUnwritableError when the store answers and refuses writes; otherwise like `check`. */
  checkWrite(): Promise<void>;
  makeQueue(name: JobName): StoredQueue;
  makeWorker(name: JobName, processor: Processor<StoredJob, void>, settings: WorkerSettings): StoredWorker;
  close(): Promise<void>;
}
