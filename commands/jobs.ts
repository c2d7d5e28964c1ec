/** Every queue and what its jobs carry: ids, never data. A job is a hint; Postgres is the truth. */
export interface Jobs {
  /** Decide one invoice again. */
  invoices: { invoiceId: string };
  /** A new tip was processed: find the payments that reached their depth. */
  confirmations: { height: number };
  /** Time is up (delayed); the database's clock decides. */
  "invoice-expiry": { invoiceId: string };
  /** One attempt at one delivery. */
  "webhook-delivery": { deliveryId: string };
  /** What the queues forgot, the database remembers (made by job schedulers alone). */
  reconcile: { task: ReconcileTask };
}
export type JobName = keyof Jobs;
export const QUEUES = [
  "invoices",
  "confirmations",
  "invoice-expiry",
  "webhook-delivery",
  "reconcile",
] as const satisfies readonly JobName[];

export const RECONCILE_TASKS = [
  "decide-due-invoices",
  "send-forgotten-deliveries",
  "confirm-payments",
  "tell-alerts",
  "retention",
] as const;
export type ReconcileTask = (typeof RECONCILE_TASKS)[number];

export interface EnqueueOptions {
  /** Not before this many milliseconds. */
  delayMs?: number;
}

/**
 * Adds jobs after the commit. Best effort with a short deadline: it never throws and never holds up its caller for
 * longer than that; what it could not add, the sweep finds.
 */
export type Enqueue = <N extends JobName>(
  queue: N,
  payloads: readonly Jobs[N][],
  options?: EnqueueOptions,
) => Promise<void>;
