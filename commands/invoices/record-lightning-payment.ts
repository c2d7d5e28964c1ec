import { type LightningPayment, settledPayment } from "../../domain/lightning/settled-payment";
import { Bolt11 } from "../../entities/bolt11";
import { InvoiceHistory, type PaymentHistoryDetails } from "../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";
import type { CommandContext } from "../context";
import { decideInvoices } from "./change-invoice";
import { lockInvoices } from "./decision-queries";
import type { NodeInvoice } from "../ports";
import { setBackCursor } from "../lightning/queries";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction, type Tx } from "../transaction";

/**
 * Records and decides in one transaction. Idempotent. A hash that is not ours, or whose BOLT11 another node made, is
 * skipped: a store's node says nothing about other stores' invoices. `alongside` runs in any case, in the same transaction. Returns the id of the invoice paid now, or null.
 */
export async function recordLightningPayment(
  ctx: CommandContext,
  nodeId: string,
  settled: NodeInvoice,
  alongside?: (tx: Tx) => Promise<void>,
): Promise<string | null> {
  if (settled.state !== "settled")
    throw new Error(`the node's invoice ${settled.paymentHash} is not settled but ${settled.state}`);
  const paid = await inTransaction(ctx, async (tx) => {
    const invoiceId = await record(tx, nodeId, settled);
    await alongside?.(tx);
    return invoiceId;
  });
  if (paid === null) return null;
  // The stream should have sent it: LND counts from the beginning again, as after a restore. Never 0: LND then sends
  // nothing of the past.
  if (alongside === undefined)
    await setBackCursor(ctx.db.manager, nodeId, settled.paymentHash, settled.settleIndex.toString());
  return paid;
}

async function record(tx: Tx, nodeId: string, settled: NodeInvoice): Promise<string | null> {
  const { manager, log } = tx;
  const { paymentHash } = settled;
  const bolt11 = await manager.findOneBy(Bolt11, { paymentHash, nodeId });
  if (bolt11 === null || bolt11.state === "settled") return null;
  // Another process that records this payment waits here, then finds it.
  const [invoice] = await lockInvoices(manager, [bolt11.invoiceId]);
  await manager.update(Bolt11, { paymentHash }, { state: "settled" });
  if (invoice === undefined) {
    log.error({ paymentHash }, "lightning: BOLT11 paid whose invoice was never created");
    return null;
  }
  if (await manager.existsBy(Payment, { id: paymentHash })) return null;
  const now = await tx.now();
  const payment = settledPayment(settled, invoice, now);
  await manager.insert(Payment, payment);
  await manager.insert(InvoiceHistory, {
    invoiceId: invoice.id,
    at: now,
    kind: "payment",
    details: detailsOf(payment),
  });
  // The decision says whether more is to be paid.
  await manager.update(
    InvoicePaymentMethod,
    { invoiceId: invoice.id, type: "BTC-LN" },
    { destination: null, mac: null, available: false, reason: "no-longer-payable" },
  );
  tx.after(notifyChanges, [{ topic: "invoices", storeId: invoice.storeId, invoiceId: invoice.id }]);
  await decideInvoices(tx, [invoice.id]);
  return invoice.id;
}

function detailsOf({ id, type, amountSats, state }: LightningPayment): PaymentHistoryDetails {
  return { change: "seen", paymentId: id, type, amountSats: amountSats.toString(), state, belowDust: false };
}
