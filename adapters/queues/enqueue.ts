import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, type JobsOptions, type KeepJobs } from "bullmq";
import type { Enqueue, EnqueueOptions, JobName, Jobs } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { withDeadline } from "../../database/with-deadline";
import type { QueuedJob, StoredQueue } from "./backend";
import { batch } from "../../database/batch";

const LAST_FAILED: KeepJobs = { count: 1_000 };
/** Which failed jobs are kept. */
const KEEP_FAILED: Readonly<Record<JobName, KeepJobs>> = {
  invoices: LAST_FAILED,
  confirmations: LAST_FAILED,
  "invoice-expiry": LAST_FAILED,
  // For Retry on the board, while they fit into the store's memory: a redelivery by the API needs none.
  "webhook-delivery": { age: 30 * 24 * 3_600, count: 100_000 },
};
export const QUEUE_NAMES = Object.keys(KEEP_FAILED) as readonly JobName[];

/** BullMQ runs jobs without a priority first. */
const SWEEP_PRIORITY = 10;

/** How jobs of a queue are kept and named. No queue retries automatically, and no stack traces are stored. */
export function jobOptions(queue: JobName, id: string | null, options: EnqueueOptions): JobsOptions {
  const sweptInvoice = options.sweep === true && queue === "invoices";
  const jobId = sweptInvoice ? `sweep-${id}` : queue === "invoices" ? null : id;
  return {
    attempts: 1,
    stackTraceLimit: 0,
    removeOnComplete: true,
    // A failed job that is kept blocks its id, and so the next sweep's job.
    removeOnFail: sweptInvoice ? true : KEEP_FAILED[queue],
    ...(jobId === null ? {} : { jobId }),
    ...(options.sweep === true ? { priority: SWEEP_PRIORITY } : {}),
    ...(options.delayMs === undefined ? {} : { delay: Math.max(0, options.delayMs) }),
  };
}

/** The id of a payload's object; null if jobs need no id. */
export function subjectOf(payload: object): string | null {
  if ("deliveryId" in payload) return String(payload.deliveryId);
  if ("invoiceId" in payload) return String(payload.invoiceId);
  return null;
}

const DEADLINE_MS = 1_000;
/** A job that is due later than this is not urgent */
const FAR_OFF_MS = 10_000;
/** and is batched for this long, since each addition of jobs wakes a waiting worker. */
const BATCH_FAR_OFF_MS = 50;
const CHUNK = 1_000;
/** A job to add, as requested. */
interface Entry<Payload = Jobs[JobName]> {
  payload: Payload;
  options: EnqueueOptions;
}
type Delivery = Jobs["webhook-delivery"];

function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += CHUNK) yield items.slice(at, at + CHUNK);
}

async function addPlain(queue: StoredQueue, name: JobName, entries: readonly Entry[]): Promise<void> {
  const jobs = entries.map(({ payload, options }) => ({
    name,
    data: payload,
    opts: jobOptions(name, subjectOf(payload), options),
  }));
  const named = new Set<string>();
  // The queue keeps the first of the jobs with an id and drops the others, so these are not sent.
  await queue.addBulk(
    jobs.filter(({ opts: { jobId } }) => jobId === undefined || (!named.has(jobId) && named.add(jobId))),
  );
}

const DONE_BY_ANOTHER: readonly unknown[] = [ErrorCode.JobNotExist, ErrorCode.JobNotInState];

/** Runs a step that another process may have done first. */
async function unlessDone(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && DONE_BY_ANOTHER.includes(error.code))) throw error;
  }
}

/**
 * A job has the id of its delivery. One of an earlier attempt may have failed, and runs again; any other that is there
 * already comes to the same delivery.
 */
async function addDeliveries(queue: StoredQueue, entries: readonly Entry<Delivery>[]): Promise<void> {
  const mayBeThere = ({ payload, options }: Entry<Delivery>): boolean =>
    payload.attempt > 1 || options.sweep === true;
  const again = entries.filter(mayBeThere);
  const present = await Promise.all(again.map(({ payload }) => queue.getJob(payload.deliveryId)));
  const absent = again.filter((_, at) => present[at] === undefined);
  await addPlain(queue, "webhook-delivery", [...entries.filter((each) => !mayBeThere(each)), ...absent]);
  await Promise.all(
    again.map(async ({ payload }, at) => {
      const job = present[at];
      // Completed jobs are removed, so a finished job has failed.
      if (typeof job?.finishedOn === "number") await unlessDone(() => runAgain(job, payload));
    }),
  );
}

async function runAgain(job: QueuedJob, payload: Delivery): Promise<void> {
  await job.updateData(payload);
  await job.retry("failed", { resetAttemptsMade: true });
}

async function addAll(
  queue: StoredQueue,
  name: JobName,
  entries: readonly Entry[],
  late: AbortSignal,
): Promise<void> {
  for (const chunk of chunksOf(entries)) {
    if (late.aborted) return;
    if (name === "webhook-delivery") await addDeliveries(queue, chunk as readonly Entry<Delivery>[]);
    else await addPlain(queue, name, chunk);
  }
}

/**
 * Adds jobs to the queues that `ready` returns; requests made while others are being added are batched. See
 * `Enqueue` for its guarantees.
 */
export function makeEnqueue(
  ready: (name: JobName) => Promise<StoredQueue>,
  log: Log,
  deadlineMs = DEADLINE_MS,
): Enqueue {
  type Adder = (entries: readonly Entry[]) => Promise<undefined>;
  const adders = { soon: new Map<JobName, Adder>(), farOff: new Map<JobName, Adder>() };
  function adderOf(name: JobName, { delayMs = 0 }: EnqueueOptions): Adder {
    const farOff = delayMs >= FAR_OFF_MS;
    const known = adders[farOff ? "farOff" : "soon"].get(name);
    if (known !== undefined) return known;
    const adder = batch<readonly Entry[], undefined>(async (asked) => {
      await withDeadline(deadlineMs, async (late) => addAll(await ready(name), name, asked.flat(), late));
      if (farOff) await sleep(BATCH_FAR_OFF_MS, undefined, { ref: false });
      return [];
    });
    adders[farOff ? "farOff" : "soon"].set(name, adder);
    return adder;
  }
  return async (name, payloads, options = {}) => {
    if (payloads.length === 0) return;
    try {
      // It has a deadline of its own: what it waits for may have begun earlier.
      await withDeadline(deadlineMs, () =>
        adderOf(name, options)(payloads.map((payload) => ({ payload, options }))),
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ queue: name, jobs: payloads.length, reason }, "queue: jobs not added, left to the sweep");
    }
  };
}
