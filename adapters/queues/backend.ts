import type { Job, Processor, Queue, Worker, WorkerOptions } from "bullmq";
import type { JobName, Jobs } from "../../commands/jobs";

/** What lies in the queue. A delivery's attempt number is `base` + the job's own count of runs + 1. */
export type StoredJob =
  Exclude<Jobs[JobName], Jobs["webhook-delivery"]> | { deliveryId: string; base?: number };

export type StoredQueue = Queue<StoredJob, void>;
export type StoredWorker = Worker<StoredJob, void>;
export type QueuedJob = Job<StoredJob, void>;
export type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

/** The queue's store is configured in a way that would lose jobs. The message says how to fix it, without hosts. */
export class QueueRefusedError extends Error {
  override readonly name = "QueueRefusedError";
}

/** Where the queues live. Both kinds give BullMQ's own classes. */
export interface QueueBackend {
  readonly kind: "redis" | "postgres";
  /** As operators know it, for the beginning of a sentence; no host. */
  readonly name: string;
  /** Rejects with QueueRefusedError when the store must not be used as it is; rejects otherwise, or does not end, while it is away. */
  check(): Promise<void>;
  makeQueue(name: JobName): StoredQueue;
  makeWorker(name: JobName, processor: Processor<StoredJob, void>, settings: WorkerSettings): StoredWorker;
  close(): Promise<void>;
}
