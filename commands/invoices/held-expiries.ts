import { IsNull } from "typeorm";
import { Alert } from "../../entities/alert";
import type { CommandContext } from "../context";
import { raiseAlert, resolveAlerts } from "../server/raise-alert";
import { readStoresThatWait } from "./queries";
import { inTransaction } from "../transaction";

/** The networks are checked every 5 s: a shorter wait is not worth an alert. */
const UNNOTICED_SECONDS = 10;

/** Once for each store, still held after the sweep: a node is away or behind. Resolved when none is held any more. */
export async function alertHeldExpiries(ctx: CommandContext): Promise<void> {
  const { startedAt } = ctx;
  await inTransaction(ctx, async (tx) => {
    const now = await tx.now();
    // There may have been no check yet: raise none, and leave those of another process.
    if (now.getTime() - startedAt.getTime() < UNNOTICED_SECONDS * 1_000) return;
    const { rows: waiting } = await readStoresThatWait(tx.manager, now, UNNOTICED_SECONDS);
    const open = await tx.manager.findBy(Alert, { kind: "expiry-held", resolvedAt: IsNull() });
    const alerted = new Set(open.map(({ subject }) => subject));
    const unalerted = waiting.filter(({ storeId }) => !alerted.delete(storeId));
    for (const { storeId } of unalerted.filter(({ longer }) => longer))
      await raiseAlert(tx, {
        kind: "expiry-held",
        severity: "warning",
        subject: storeId,
        storeId,
        message:
          "Invoices are past their expiry, but it is held: a node is unavailable or behind, the Bitcoin node may have missed payments and the next block must arrive first, or blocks or transactions that may pay them were passed over or set aside.",
      });
    await resolveAlerts(tx, "expiry-held", [...alerted]);
  });
}
