import { type LightningPayment, settledPayment } from "../../domain/lightning/settled-payment";
import { Bolt11 } from "../../entities/bolt11";
import { InvoiceHistory, type PaymentHistoryDetails } from "../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";
import type { CommandContext } from "../context";
import { insertRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
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
  // Another process that records this payment waits for the lock, which is before the rest on the connection.
  const [[invoice], , isRecorded, now] = await pipelined(
    lockInvoices(manager, [bolt11.invoiceId]),
    manager.update(Bolt11, { paymentHash }, { state: "settled" }),
    manager.existsBy(Payment, { id: paymentHash }),
    tx.now(),
  );
  if (invoice === undefined) {
    log.error({ paymentHash }, "lightning: BOLT11 paid whose invoice was never created");
    return null;
  }
  if (isRecorded) return null;
  const payment = settledPayment(settled, invoice, now);
  const { id: invoiceId, storeId } = invoice;
  const line = { invoiceId, at: now, kind: "payment" as const, details: detailsOf(payment) };
  await pipelined(
    insertRows(manager, { into: Payment, rows: [payment] }),
    insertRows(manager, { into: InvoiceHistory, rows: [line] }),
    // The decision says whether more is to be paid.
    manager.update(
      InvoicePaymentMethod,
      { invoiceId, type: "BTC-LN" },
      { destination: null, mac: null, available: false, reason: "no-longer-payable" },
    ),
  );
  tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
  await decideInvoices(tx, [invoiceId]);
  return invoiceId;
}

function detailsOf({ id, type, amountSats, state }: LightningPayment): PaymentHistoryDetails {
  return { change: "seen", paymentId: id, type, amountSats: amountSats.toString(), state, belowDust: false };
}
