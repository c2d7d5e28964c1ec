import type { EntityManager } from "typeorm";
import { isLive, takeAwayBlock, type OnchainPayment } from "../domain/chain/apply-transaction";
import { ChainBlock } from "../entities/chain-block";
import { Payment } from "../entities/payment";
import { assertLease } from "./lease";
import { CursorMovedError, readCursor } from "./process-block";
import { raiseAlert } from "./raise-alert";
import { recordInTurn } from "./record-in-turn";
import { lockPaidInvoices } from "./record-transactions";
import type { ChainWatch } from "./watch";
import { writePayments } from "./write-payments";

/**
 * Takes back the last block that was processed, in one transaction: its payments are unconfirmed again and conflicts
 * that it settled are open. A settled invoice stays settled, with an alert.
 * @throws CursorMovedError, LeaseLostError
 */
export async function undoBlock({ ctx, lease }: ChainWatch, block: ChainBlock): Promise<void> {
  const invoiceIds = await recordInTurn(lease, () =>
    ctx.db.transaction(async (manager) => {
      await assertLease(manager, lease);
      // Locked: a rescan that has just recorded something in this block is waited for, and one that comes later finds it gone.
      const last = await readCursor(manager, { lock: true });
      if (last?.hash !== block.hash) throw new CursorMovedError(`block ${block.height} is not the last one`);
      const touched = await readPayments(manager, block);
      const invoices = await lockPaidInvoices(
        manager,
        touched.map((payment) => payment.invoiceId),
      );
      const payments = await readPayments(manager, block); // as they are under the lock
      const lines = payments.map((before) => ({
        kind: "unmined",
        before,
        payment: takeAwayBlock(before, block) satisfies OnchainPayment,
      }));
      const ids = await writePayments(manager, lines, await ctx.now(manager));
      for (const payment of payments) {
        const invoice = invoices.find(({ id }) => id === payment.invoiceId);
        if (invoice?.status !== "Settled" || payment.blockHash !== block.hash || !isLive(payment)) continue;
        await raiseAlert(manager, ctx, {
          kind: "reorganisation",
          severity: "warning",
          subject: payment.id,
          storeId: invoice.storeId,
          invoiceId: invoice.id,
          message: `Payment ${payment.id} of ${payment.amountSats} sats to a settled invoice is no longer in a block: the chain was reorganised. It is likely to be confirmed again.`,
        });
      }
      await manager.delete(ChainBlock, { height: block.height, hash: block.hash });
      return ids;
    }),
  );
  ctx.log.warn({ height: block.height, hash: block.hash }, "block was reorganised away");
  await ctx.enqueue(
    "invoices",
    invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
}

async function readPayments(manager: EntityManager, block: ChainBlock): Promise<Payment[]> {
  return manager.findBy(Payment, [{ blockHash: block.hash }, { conflictHeight: block.height }]);
}
