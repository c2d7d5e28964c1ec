import { isNotConnectionError, UnrecoverableError, type Processor } from "bullmq";
import type { JobName, JobOutcome, Jobs } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { DomainError } from "../../domain/errors";
import { isDatabaseOutage } from "../database-outage";
import type { QueueBackend, QueuedJob, StoredJob, StoredWorker } from "./backend";

export type JobHandler<N extends JobName> = (payload: Jobs[N]) => Promise<JobOutcome>;

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

/** A stalled job runs once more, but that of a delivery fails: the sweep runs it again if nothing was sent. */
const maxStalledCount = (name: JobName): number => (name === "webhook-delivery" ? 0 : 1);

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
    return await handler(job.data as Jobs[N]);
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
  return async (job) => {
    const outcome = await outcomeOf(handler, job, log);
    if (outcome.kind === "failed") throw failure(outcome.code);
    log.debug({ jobId: job.id, reason: outcome.reason }, "job: done");
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
 * After an error that is not the connection's, BullMQ fetches again thousands of times a second: the worker pauses,
 * longer each time, until a job was fetched.
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
