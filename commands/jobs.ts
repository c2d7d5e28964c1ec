/** Every queue and its jobs: ids, never data. A job is a hint; Postgres is the truth. */
export interface Jobs {
  /** Decide one invoice again. */
  invoices: { invoiceId: string };
  /** A new tip was processed: find the payments that reached their depth. */
  confirmations: { height: number };
  /** Time is up (delayed); the database's clock decides. */
  "invoice-expiry": { invoiceId: string };
  /**
   * The attempt of this number (the delivery's `requestedAttempt`) is wanted. Asking twice is harmless: a job that
   * waits for its time is promoted, one that failed runs again under this number, one that waits or runs stays.
   */
  "webhook-delivery": { deliveryId: string; attempt: number };
  /** Restores from the database what the queues lost (by job schedulers only). */
  reconcile: { task: ReconcileTask };
}
export type JobName = keyof Jobs;

export const RECONCILE_TASKS = [
  "decide-due-invoices",
  "send-forgotten-deliveries",
  "confirm-payments",
  "end-rates-alerts",
  "watch-gap-limits",
  "tell-alerts",
  "reconciliation-report",
  "retention",
  "reencrypt-secrets",
] as const;
export type ReconcileTask = (typeof RECONCILE_TASKS)[number];

/** What a worker is handed. An attempt's number comes from the job's own count, so that a doubled or restored job finds it taken. */
export type Work<N extends JobName> = N extends "webhook-delivery"
  ? { deliveryId: string; attemptNumber: number }
  : Jobs[N];

/** How a job ended. */
export type JobOutcome =
  /** Nothing is left to do; the reason is for the log. */
  | { kind: "done"; reason: string }
  /** Stays in the failed set under this code (never an address or a secret), to be retried only by hand. */
  | { kind: "failed"; code: string }
  /** Not now. The job holds no slot meanwhile, and this run counts as no attempt. */
  | {
      kind: "wait";
      delayMs: number;
      /** Called when the job waits, so that it can be promoted before its time. */
      onWaiting?: () => void;
    };

export interface EnqueueOptions {
  /** Not before this many milliseconds. */
  delayMs?: number;
  /**
   * Found again by the sweep: it goes after new jobs, at most one such job waits for each invoice, and a delivery
   * that waits for its time is not promoted.
   */
  sweep?: boolean;
  /** Of deliveries: their endpoints' last attempt did not succeed, so they go after those of others. */
  unproven?: boolean;
  /** It concerns rows written a moment ago, so there is no earlier job of it. */
  fresh?: boolean;
}

/**
 * Adds jobs after the commit. Best effort with a short deadline: it never throws and never delays its caller for
 * longer than that; the sweep finds what it could not add.
 */
export type Enqueue = <N extends JobName>(
  queue: N,
  payloads: readonly Jobs[N][],
  options?: EnqueueOptions,
) => Promise<void>;
