import { applyDecisions, askingLightning } from "./change-invoice";
import type { CommandContext } from "../context";
import { isItemFailure } from "../../database/item-failure";
import { lockInvoices } from "./lock-invoices";
import { markDue } from "./queries";
import { inSavepoint, type Tx } from "../transaction";

export { markDue } from "./queries";

/** Their data is in memory, with up to 32 KiB of metadata each. */
const BATCH = 200;

/**
 * The last step of a transaction that recorded facts about locked invoices: all is committed together or not at all. An
 * invoice that cannot be decided prevents neither the others nor the commit.
 */
export async function decideInvoices(tx: Tx, invoiceIds: readonly string[]): Promise<void> {
  for (let at = 0; at < invoiceIds.length; at += BATCH)
    await decideBatch(tx, invoiceIds.slice(at, at + BATCH));
}

/** In a savepoint; if that fails, each invoice alone. */
async function decideBatch(tx: Tx, invoiceIds: readonly string[]): Promise<void> {
  try {
    const changes = await inSavepoint(tx, async (within) =>
      applyDecisions(within, await lockInvoices(within.manager, invoiceIds)),
    );
    tx.after(askForDecisions, askingLightning(changes));
  } catch (error) {
    // The connection is gone with the transaction: report that error, not the one that follows.
    if (tx.manager.queryRunner?.isReleased === true) throw error;
    await markDue(tx.manager, invoiceIds, await tx.now());
    // Whatever delayed all, such as a lock, would delay each as long.
    if (invoiceIds.length > 1 && isItemFailure(error)) {
      for (const one of invoiceIds) await decideBatch(tx, [one]);
      return;
    }
    const [invoiceId] = invoiceIds;
    const fields = { err: error, invoiceId, invoices: invoiceIds.length };
    tx.after(({ log }) => log.error(fields, "invoice: decision failed, left to a job"), [invoiceId]);
    tx.after(askForDecisions, invoiceIds);
  }
}

/** They were not decided, or need the Lightning node. */
function askForDecisions(ctx: CommandContext, invoiceIds: readonly string[]): Promise<void> {
  return ctx.enqueue(
    "invoices",
    invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
}
