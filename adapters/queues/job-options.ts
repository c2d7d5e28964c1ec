import type { JobsOptions, KeepJobs } from "bullmq";
import type { EnqueueOptions, JobName } from "../../commands/jobs";

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
