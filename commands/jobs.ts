/** Every queue and its jobs: ids, never data. A job is a hint; Postgres is the truth. */
export interface Jobs {
  /** Decide one invoice again. */
  invoices: { invoiceId: string };
  /** A new tip was processed: find the payments that reached their depth. */
  confirmations: { height: number };
  /** The invoice's time is up (a delayed job); the database's clock decides. */
  "invoice-expiry": { invoiceId: string };
  /**
   * The attempt with this number (the delivery's `requestedAttempt`) is due. Enqueuing it again is harmless: a
   * delayed job is promoted, a failed one runs again under this number, one that waits or runs stays.
   */
  "webhook-delivery": { deliveryId: string; attempt: number };
  /** Restores from the database what the queues lost (added by job schedulers only). */
  reconcile: { task: ReconcileTask };
}
export type JobName = keyof Jobs;

export const RECONCILE_TASKS = [
  "decide-due",
  "send-forgotten-deliveries",
  "confirm-payments",
  "end-rates-alerts",
  "watch-gap-limits",
  "send-alerts",
  "reconciliation-report",
  "retention",
  "reencrypt-secrets",
] as const;
export type ReconcileTask = (typeof RECONCILE_TASKS)[number];

/**
 * What a worker receives. An attempt's number comes from the job's own count, so that a duplicated or restored job
 * finds it taken. `unproven`: the job was added so.
 */
export type Work<N extends JobName> = N extends "webhook-delivery"
  ? { deliveryId: string; attemptNumber: number; unproven?: boolean }
  : Jobs[N];

/** How a job ended. */
export type JobOutcome =
  /** Nothing is left to do; the reason is for the log. */
  | { kind: "done"; reason: string }
  /** The job stays in the failed set with this code (never an address or a secret), to be retried only by hand. */
  | { kind: "failed"; code: string }
  /** To be retried later. Meanwhile the job occupies no slot, and this run does not count as an attempt. */
  | {
      kind: "wait";
      delayMs: number;
      /** Called when the job is delayed, so that it can be promoted early. */
      onWaiting?: () => void;
    };

export interface EnqueueOptions {
  /** The delay, in milliseconds. */
  delayMs?: number;
  /**
   * Found again by the sweep: it runs after new jobs, at most one such job waits for each invoice, and a delayed
   * delivery is promoted only if it waits for a retry, which was then requested otherwise.
   */
  sweep?: boolean;
  /** For deliveries whose endpoints failed the last time: they run after those of others. */
  unproven?: boolean;
  /** It concerns rows that were written a moment ago, so no earlier job for them exists. */
  fresh?: boolean;
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
