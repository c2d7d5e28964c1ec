import type { CommandContext } from "../context";
import type { Check } from "./health";
import { endTrouble, newTroubleView, recordTrouble } from "../server/trouble";

const TROUBLED = { kinds: ["queue-away"], subject: "queue", storeId: null } as const;

/** @returns the function to call periodically, with how many queues' stores are away. */
export function makeWatchQueue(ctx: CommandContext, readQueue: () => Promise<Check>): () => Promise<number> {
  const view = newTroubleView(TROUBLED);
  return async () => {
    const { status, reason = "The queue does not answer." } = await readQueue();
    if (status === "ok") {
      await endTrouble(ctx, view);
      return 0;
    }
    const problem = `No job is processed: webhooks wait, and so do expiries that the Lightning node is asked about. ${reason}`;
    await recordTrouble(ctx, view, { kind: "queue-away", problem, now: await ctx.now(ctx.db.manager) });
    return 1;
  };
}
