/** Every queue and its jobs: ids, never data. A job is a hint; Postgres is the truth. */
export interface Jobs {
  /** Decide one invoice again. */
  invoices: { invoiceId: string };
  /** A new tip was processed: find the payments that reached their depth. */
  confirmations: { height: number };
  /** The invoice's time is up (a delayed job); the database's clock decides. */
  "invoice-expiry": { invoiceId: string };
  /**
   * The attempt's number is for readers of the queues' board: the row has it. Added again, a failed job runs again,
   * and a waiting or running one stays.
   */
  "webhook-delivery": { deliveryId: string; attempt: number };
}
export type JobName = keyof Jobs;

/** How a job ended. */
export type JobOutcome =
  /** Nothing is left to do; the reason is for the log. */
  | { kind: "done"; reason: string }
  /** The job stays in the failed set with this code (never an address or a secret), to be retried only by hand. */
  | { kind: "failed"; code: string };

export interface EnqueueOptions {
  /** The delay, in milliseconds. */
  delayMs?: number;
  /**
   * Found again by the sweep: it runs after new jobs, at most one such job waits for each invoice, and a delivery's first
   * attempt may have a job already.
   */
  sweep?: boolean;
}

/**
 * Adds jobs after the commit. Best effort, with a short deadline: it never throws and never delays its caller for
 * longer; the sweep finds what could not be added.
 */
export type Enqueue = <N extends JobName>(
  queue: N,
  payloads: readonly Jobs[N][],
  options?: EnqueueOptions,
) => Promise<void>;
