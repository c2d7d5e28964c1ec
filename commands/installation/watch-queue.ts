import type { CommandContext } from "../context";
import type { Check } from "./health";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import { inTransaction } from "../transaction";

/** A restart of the queue's store takes less. */
const ALERT_AFTER_MS = 120_000;
const SUBJECT = "queue";

/**
 * After two minutes. @returns the function to call periodically, with how many queues' stores are away.
 */
export function makeWatchQueue(ctx: CommandContext, readQueue: () => Promise<Check>): () => Promise<number> {
  let since: Date | null = null;
  let alerted = true; // an earlier process may have done so
  return async () => {
    const { status, reason = "The queue does not answer." } = await readQueue();
    if (status === "ok") {
      since = null;
      if (alerted) await inTransaction(ctx, (tx) => resolveAlert(tx, "queue-away", SUBJECT));
      alerted = false;
      return 0;
    }
    const now = await ctx.now(ctx.db.manager);
    since ??= now;
    if (now.getTime() - since.getTime() >= ALERT_AFTER_MS) {
      alerted = true;
      await inTransaction(ctx, (tx) =>
        raiseAlert(tx, {
          kind: "queue-away",
          severity: "critical",
          subject: SUBJECT,
          message: `No job is processed: webhooks wait, and so do expiries that the Lightning node is asked about. ${reason}`,
        }),
      );
    }
    return 1;
  };
}
