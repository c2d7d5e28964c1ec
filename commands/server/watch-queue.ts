import type { CommandContext } from "../context";
import type { Check } from "./health";
import { raiseAlert, resolveAlert } from "./raise-alert";

/** A restart of the queue's store takes less, and needs no alert. */
const ALERT_AFTER_MS = 120_000;
const SUBJECT = "queue";

export interface QueueWatchOptions {
  readQueue: () => Promise<Check>;
  /** Sends new alerts, which no job does meanwhile. */
  sendAlerts: () => Promise<unknown>;
}

/**
 * Alerts the operator about a queue that has been unusable for two minutes, without a job. While it is unusable all
 * other alerts are sent here, too.
 * @returns the function to call periodically.
 */
export function makeWatchQueue(
  ctx: CommandContext,
  { readQueue, sendAlerts }: QueueWatchOptions,
): () => Promise<void> {
  let since: Date | null = null;
  let alerted = true; // an earlier process may have done so
  return async () => {
    const { manager } = ctx.db;
    const { status, reason = "The queue does not answer." } = await readQueue();
    if (status === "ok") {
      since = null;
      if (alerted) await resolveAlert(manager, ctx, "queue-away", SUBJECT);
      alerted = false;
      return;
    }
    const now = await ctx.now(manager);
    since ??= now;
    if (now.getTime() - since.getTime() >= ALERT_AFTER_MS) {
      alerted = true;
      await raiseAlert(manager, ctx, {
        kind: "queue-away",
        severity: "critical",
        subject: SUBJECT,
        message: `No job is processed, so that webhooks, confirmations and expiries wait. ${reason}`,
      });
    }
    await sendAlerts();
  };
}
