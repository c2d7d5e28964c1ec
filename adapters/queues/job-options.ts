import type { JobsOptions } from "bullmq";
import type { EnqueueOptions, JobName } from "../../commands/jobs";

const FAILED_DELIVERIES_SECONDS = 30 * 24 * 3_600;
const FAILED_JOBS_KEPT = 1_000;
/** BullMQ takes jobs without a priority first, then the lowest number. */
const SWEEP_PRIORITY = 10;

/** How a job of the queue is kept and named. No queue retries by itself, and no stack of ours is stored. */
export function jobOptions(queue: JobName, id: string | null, options: EnqueueOptions): JobsOptions {
  const sweptInvoice = options.sweep === true && queue === "invoices";
  const jobId = sweptInvoice ? `sweep-${id}` : queue === "invoices" ? null : id;
  return {
    attempts: 1,
    stackTraceLimit: 0,
    removeOnComplete: true,
    // A kept job keeps its id, and its id would keep the next sweep out.
    removeOnFail: sweptInvoice
      ? true
      : queue === "webhook-delivery"
        ? { age: FAILED_DELIVERIES_SECONDS }
        : { count: FAILED_JOBS_KEPT },
    ...(jobId === null ? {} : { jobId }),
    ...(options.sweep === true ? { priority: SWEEP_PRIORITY } : {}),
    ...(options.delayMs === undefined ? {} : { delay: Math.max(0, options.delayMs) }),
  };
}

/** The id that a payload is about; null where jobs need none. */
export function subjectOf(payload: object): string | null {
  if ("deliveryId" in payload) return String(payload.deliveryId);
  if ("invoiceId" in payload) return String(payload.invoiceId);
  return null;
}
