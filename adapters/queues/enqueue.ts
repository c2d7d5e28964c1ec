import { ErrorCode } from "bullmq";
import type { Enqueue, EnqueueOptions, JobName, Jobs } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import type { QueuedJob, StoredQueue } from "./backend";
import { withDeadline } from "./deadline";
import { jobOptions, subjectOf } from "./job-options";

const DEADLINE_MS = 1_000;
const CHUNK = 1_000;

type Expired = () => boolean;
type Delivery = Jobs["webhook-delivery"];

function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += CHUNK) yield items.slice(at, at + CHUNK);
}

async function addPlain(
  queue: StoredQueue,
  name: Exclude<JobName, "webhook-delivery">,
  payloads: readonly Jobs[Exclude<JobName, "webhook-delivery">][],
  options: EnqueueOptions,
): Promise<void> {
  await queue.addBulk(
    payloads.map((data) => ({ name, data, opts: jobOptions(name, subjectOf(data), options) })),
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

/** A failed job runs again under the number that is wanted now, whatever it counted before. */
async function runAgain(job: QueuedJob, { deliveryId, attempt }: Delivery): Promise<void> {
  await unlessDone(async () => {
    await job.updateData({ deliveryId, base: attempt - 1 });
    await job.retry("failed", { resetAttemptsMade: true });
  });
}

async function addDeliveries(
  queue: StoredQueue,
  payloads: readonly Delivery[],
  options: EnqueueOptions,
): Promise<void> {
  const present = await Promise.all(payloads.map(({ deliveryId }) => queue.getJob(deliveryId)));
  const absent = payloads.filter((_, index) => present[index] === undefined);
  if (absent.length > 0)
    await queue.addBulk(
      absent.map(({ deliveryId, attempt }) => ({
        name: "webhook-delivery",
        data: { deliveryId, base: attempt - 1 },
        opts: jobOptions("webhook-delivery", deliveryId, options),
      })),
    );
  await Promise.all(
    payloads.map(async (delivery, index) => {
      const job = present[index];
      if (!job) return;
      // Completed jobs are removed, so what has ended has failed.
      if (typeof job.finishedOn === "number") await runAgain(job, delivery);
      else if (options.sweep !== true && job.delay > 0) await unlessDone(() => job.promote());
    }),
  );
}

async function addAll<N extends JobName>(
  queue: StoredQueue,
  name: N,
  payloads: readonly Jobs[N][],
  options: EnqueueOptions,
  expired: Expired,
): Promise<void> {
  for (const chunk of chunksOf(payloads)) {
    if (expired()) return;
    if (name === "webhook-delivery") await addDeliveries(queue, chunk as readonly Delivery[], options);
    else await addPlain(queue, name, chunk as Exclude<Jobs[N], Delivery>[], options);
  }
}

/** Adds jobs by the queues that `ready` gives. See `Enqueue` for the promise that it keeps. */
export function makeEnqueue(
  ready: (name: JobName) => Promise<StoredQueue>,
  log: Log,
  deadlineMs = DEADLINE_MS,
): Enqueue {
  return async (name, payloads, options = {}) => {
    if (payloads.length === 0) return;
    try {
      await withDeadline(deadlineMs, async (expired) =>
        addAll(await ready(name), name, payloads, options, expired),
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { queue: name, jobs: payloads.length, reason },
        "jobs could not be added now; the sweep will add them",
      );
    }
  };
}
