import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode } from "bullmq";
import type { Enqueue, EnqueueOptions, JobName, Jobs } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { withDeadline } from "../../database/with-deadline";
import type { QueuedJob, StoredQueue } from "./backend";
import { batch } from "../../database/batch";
import { jobOptions, subjectOf } from "./job-options";

const DEADLINE_MS = 1_000;
/** A job that is due later than this is not urgent */
const FAR_OFF_MS = 10_000;
/** and is batched for this long, since each addition of jobs wakes a waiting worker. */
const BATCH_FAR_OFF_MS = 50;
const CHUNK = 1_000;
/** No delivery waits longer for its turn or for a slot: a job that does waits for a retry. */
const LONGEST_TURN_MS = 40_000;

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
  // Of jobs with the same id the queue adds the first and drops the others, so these are not sent.
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

/** Runs a failed job again under the present number, whatever it counted before. */
async function runAgain(job: QueuedJob, { deliveryId, attempt }: Delivery): Promise<void> {
  await unlessDone(async () => {
    await job.updateData({ deliveryId, base: attempt - 1 });
    await job.retry("failed", { resetAttemptsMade: true });
  });
}

/** How long a job waits, also one that was added or run while the clock was ahead. */
function waitsMs({ delay, timestamp, processedOn = 0 }: QueuedJob): number {
  return delay === 0 ? 0 : Math.max(delay, Math.max(timestamp, processedOn) + delay - Date.now());
}

async function addDeliveries(queue: StoredQueue, entries: readonly Entry<Delivery>[]): Promise<void> {
  const present = await Promise.all(
    entries.map(({ payload, options }) =>
      options.fresh === true ? Promise.resolve(undefined) : queue.getJob(payload.deliveryId),
    ),
  );
  const absent = entries.filter((_, index) => present[index] === undefined);
  if (absent.length > 0)
    await queue.addBulk(
      absent.map(({ payload: { deliveryId, attempt }, options }) => ({
        name: "webhook-delivery",
        data: { deliveryId, base: attempt - 1 },
        opts: jobOptions("webhook-delivery", deliveryId, options),
      })),
    );
  await Promise.all(
    entries.map(async ({ payload, options }, index) => {
      const job = present[index];
      if (!job) return;
      // Completed jobs are removed, so a finished job has failed.
      if (typeof job.finishedOn === "number") await runAgain(job, payload);
      else if (waitsMs(job) > (options.sweep === true ? LONGEST_TURN_MS : 0))
        await unlessDone(() => job.promote());
    }),
  );
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
