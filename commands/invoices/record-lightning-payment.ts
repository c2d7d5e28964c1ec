import { type LightningPayment, settledPayment } from "../../domain/lightning/settled-payment";
import { InvoiceHistory, type PaymentHistoryDetails } from "../../entities/invoice-history";
import { Payment } from "../../entities/payment";
import type { CommandContext } from "../context";
import { insertRows, jsonRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
import { decideInvoices } from "./change-invoice";
import { lockInvoiceOf } from "./decision-queries";
import type { NodeInvoice } from "../ports";
import { readPaidBolt11, setBackCursor, settleBolt11, showMethods } from "../lightning/queries";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction, type Tx } from "../transaction";

/** Reads beside the locks, and returns what writes beside the payment. */
export type Alongside = (tx: Tx) => Promise<() => Promise<void>>;

const NOTHING_ALONGSIDE: Alongside = () => Promise.resolve(() => Promise.resolve());

/**
 * Records and decides in one transaction. Idempotent. A hash that is not ours, or whose BOLT11 another node made, is
 * skipped: a store's node says nothing about other stores' invoices. `alongside` runs in any case, in the same
 * transaction. Returns the id of the invoice paid now, or null.
 */
export async function recordLightningPayment(
  ctx: CommandContext,
  nodeId: string,
  settled: NodeInvoice,
  alongside?: Alongside,
): Promise<string | null> {
  if (settled.state !== "settled")
    throw new Error(`the node's invoice ${settled.paymentHash} is not settled but ${settled.state}`);
  const paid = await inTransaction(ctx, (tx) => record(tx, nodeId, settled, alongside ?? NOTHING_ALONGSIDE));
  if (paid === null) return null;
  // The stream should have sent it: LND counts from the beginning again, as after a restore. Never 0: LND then sends
  // nothing of the past.
  if (alongside === undefined)
    await setBackCursor(ctx.db.manager, nodeId, settled.paymentHash, settled.settleIndex.toString());
  return paid;
}

async function record(
  tx: Tx,
  nodeId: string,
  settled: NodeInvoice,
  alongside: Alongside,
): Promise<string | null> {
  const { manager, log } = tx;
  const { paymentHash } = settled;
  // Another process that records this payment waits for the lock, which is before the rest on the connection.
  const [[invoice], { rows: bolt11s }, now, write] = await pipelined(
    lockInvoiceOf(manager, paymentHash, nodeId),
    readPaidBolt11(manager, paymentHash, nodeId),
    tx.now(),
    alongside(tx),
  );
  const [bolt11] = bolt11s;
  if (bolt11 === undefined || bolt11.state === "settled") return write().then(() => null);
  const settle = () => pipelined(settleBolt11(manager, paymentHash), write());
  if (invoice === undefined)
    log.error({ paymentHash }, "lightning: BOLT11 paid whose invoice was never created");
  if (invoice === undefined || bolt11.recorded) return settle().then(() => null);
  const payment = settledPayment(settled, invoice, now);
  const { id: invoiceId, storeId } = invoice;
  const line = { invoiceId, at: now, kind: "payment" as const, details: detailsOf(payment) };
  // The decision says whether more is to be paid.
  const hidden = { invoiceId, destination: null, mac: null, reason: "no-longer-payable" as const };
  tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
  await pipelined(
    settle(),
    insertRows(manager, { into: Payment, rows: [payment] }),
    insertRows(manager, { into: InvoiceHistory, rows: [line] }),
    showMethods(manager, jsonRows([hidden])),
    decideInvoices(tx, [invoiceId]), // reads behind them on the connection
  );
  return invoiceId;
}

function detailsOf({ id, type, amountSats, state }: LightningPayment): PaymentHistoryDetails {
  return { change: "seen", paymentId: id, type, amountSats: amountSats.toString(), state, belowDust: false };
}
