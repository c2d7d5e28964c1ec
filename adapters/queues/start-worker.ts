import { DelayedError, isNotConnectionError, UnrecoverableError, type Processor } from "bullmq";
import type { JobName, JobOutcome, Work } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { DomainError } from "../../domain/errors";
import { isDatabaseOutage } from "../database-outage";
import type { QueueBackend, QueuedJob, StoredJob, StoredWorker } from "./backend";
import { isUnproven } from "./job-options";

export type JobHandler<N extends JobName> = (work: Work<N>) => Promise<JobOutcome>;

export interface WorkerOptions {
  /** Jobs at a time in this process. */
  concurrency: number;
  /** The worker cannot continue; the process is to be restarted. */
  onFatal: (error: Error) => void;
}

export interface RunningWorker {
  /** Accepts no more jobs; resolves when those in progress have ended. */
  close(): Promise<void>;
}

const LOCK_MS = 20_000;
const STALLED_CHECK_MS = 10_000;
const PAUSE_MS = { first: 500, longest: 5_000 };

/** A stalled job runs once more, except for a delivery, each run of which is requested by a person or the sweep. */
const maxStalledCount = (name: JobName): number => (name === "webhook-delivery" ? 0 : 1);

function workOf<N extends JobName>(job: QueuedJob): Work<N> {
  if ("deliveryId" in job.data) {
    const { deliveryId, base = 0 } = job.data;
    const attemptNumber = base + job.attemptsMade + 1;
    return { deliveryId, attemptNumber, unproven: isUnproven(job.opts) } as Work<N>;
  }
  return job.data as Work<N>;
}

/** The stored part of a failure, shown on the queues' board: only a code, since messages may contain addresses. */
function failure(code: string): UnrecoverableError {
  return new UnrecoverableError(code);
}

async function outcomeOf<N extends JobName>(
  handler: JobHandler<N>,
  job: QueuedJob,
  log: Log,
): Promise<JobOutcome> {
  try {
    return await handler(workOf<N>(job));
  } catch (error) {
    if (isDatabaseOutage(error)) {
      log.warn({ jobId: job.id }, "job: interrupted, database unavailable");
      return { kind: "failed", code: "database-away" };
    }
    const code = error instanceof DomainError ? error.code : "internal-error";
    log.error({ jobId: job.id, code, err: error }, "job: failed");
    return { kind: "failed", code };
  }
}

function processorOf<N extends JobName>(handler: JobHandler<N>, log: Log): Processor<StoredJob, void> {
  return async (job, token) => {
    const outcome = await outcomeOf(handler, job, log);
    switch (outcome.kind) {
      case "done":
        return log.debug({ jobId: job.id, reason: outcome.reason }, "job: done");
      case "failed":
        throw failure(outcome.code);
      case "wait":
        await job.moveToDelayed(Date.now() + outcome.delayMs, token);
        outcome.onWaiting?.();
        throw new DelayedError();
    }
  };
}

/**
 * Starts processing the queue's jobs. Whatever a handler throws results in a failed job and a log line, never in a
 * dead worker.
 */
export function startQueueWorker<N extends JobName>(
  backend: QueueBackend,
  name: N,
  handler: JobHandler<N>,
  options: WorkerOptions,
  log: Log,
): RunningWorker {
  const worker = backend.makeWorker(name, processorOf(handler, log), {
    autorun: false,
    concurrency: options.concurrency,
    maxStalledCount: maxStalledCount(name),
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    runRetryDelay: 1_000,
  });
  worker.on("failed", (job, error) =>
    log.warn({ jobId: job?.id, code: error.message }, "job: recorded as failed"),
  );
  const stopPausing = pauseAfterErrors(worker, log);
  worker.run().catch(options.onFatal);
  return {
    close: () => {
      stopPausing();
      return worker.close();
    },
  };
}

/**
 * BullMQ fetches again at once after an error that is not the connection's, thousands of times a second: after each the
 * worker pauses, longer each time, until a job was fetched.
 */
function pauseAfterErrors(worker: StoredWorker, log: Log): () => void {
  let pauseMs = 0;
  let timer: NodeJS.Timeout | undefined;
  worker.on("active", () => (pauseMs = 0));
  worker.on("error", (error) => {
    if (!isNotConnectionError(error)) return log.warn({ reason: error.message }, "queue: worker error");
    if (worker.isPaused()) return;
    pauseMs = Math.min(Math.max(pauseMs * 2, PAUSE_MS.first), PAUSE_MS.longest);
    log.warn({ reason: error.message, pauseMs }, "queue: worker error");
    worker.pause(true).catch(() => undefined);
    timer = setTimeout(() => void worker.resume().catch(() => undefined), pauseMs);
  });
  return () => clearTimeout(timer);
}
