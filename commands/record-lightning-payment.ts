import type { EntityManager } from "typeorm";
import { Bolt11 } from "../entities/bolt11";
import { Invoice } from "../entities/invoice";
import { InvoiceHistory, type PaymentHistoryDetails } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import type { CommandContext } from "./context";
import type { NodeInvoice } from "./ports";
import { tellChanges } from "./tell-change";

/** What else is written in the payment's transaction, in front of it: whoever leads checks the lease and moves the cursor. */
export type WriteFirst = (manager: EntityManager) => Promise<void>;

/**
 * Records what a settled invoice of the node received, in one transaction, and asks for its invoice to be decided
 * again. Safe to run any number of times, at any time. A hash that is not ours is passed over; `writeFirst` is written
 * all the same. Answers the id of the invoice that was paid now; null when nothing was news.
 */
export async function recordLightningPayment(
  ctx: CommandContext,
  settled: NodeInvoice,
  writeFirst?: WriteFirst,
): Promise<string | null> {
  if (settled.state !== "settled")
    throw new Error(`the node's invoice ${settled.paymentHash} is not settled but ${settled.state}`);
  const paidId = await ctx.db.transaction(async (manager) => {
    await writeFirst?.(manager);
    return record(manager, ctx, settled);
  });
  if (paidId === null) return null;
  if (writeFirst === undefined) await setCursorBack(ctx, settled);
  await ctx.enqueue("invoices", [{ invoiceId: paidId }]);
  return paidId;
}

/**
 * A look-up found what the stream should have told: LND counts from the beginning again, as after a restore, and would
 * keep from us all that is not above the cursor. Reading on from what was found is harmless where it is not so. Never from
 * 0: LND tells nothing of the past to who begins there.
 */
async function setCursorBack(
  { db }: CommandContext,
  { paymentHash, settleIndex }: NodeInvoice,
): Promise<void> {
  await db.query(
    `UPDATE lightning_cursors SET settle_index = $2, hole_since = NULL
      WHERE settle_index > $2 AND node_key = (SELECT node_key FROM bolt11s WHERE payment_hash = $1)`,
    [paymentHash, settleIndex.toString()],
  );
}

async function record(
  manager: EntityManager,
  ctx: CommandContext,
  settled: NodeInvoice,
): Promise<string | null> {
  const { paymentHash } = settled;
  const bolt11 = await manager.findOneBy(Bolt11, { paymentHash });
  if (bolt11 === null || bolt11.state === "settled") return null;
  // The invoice first, as everywhere: who else records this payment waits here, then finds it.
  const invoice = await manager.findOne(Invoice, {
    where: { id: bolt11.invoiceId },
    lock: { mode: "pessimistic_write" },
  });
  await manager.update(Bolt11, { paymentHash }, { state: "settled" });
  if (invoice === null) {
    ctx.log.error({ paymentHash }, "a BOLT11 was paid that nobody was given: its invoice was never made");
    return null;
  }
  if (await manager.existsBy(Payment, { id: paymentHash })) return null;
  const now = await ctx.now(manager);
  const payment = paymentOf(settled, invoice, now);
  await manager.insert(Payment, payment);
  await manager.insert(InvoiceHistory, {
    invoiceId: invoice.id,
    at: now,
    kind: "payment",
    details: detailsOf(payment),
  });
  await manager.update(Invoice, invoice.id, { decideAt: now });
  // Nobody is shown what is paid; whether there is more to pay, the decision tells.
  await manager.update(
    InvoicePaymentMethod,
    { invoiceId: invoice.id, type: "BTC-LN" },
    { destination: null, available: false, reason: "no-longer-payable" },
  );
  await tellChanges(manager, [{ topic: "invoices", storeId: invoice.storeId, invoiceId: invoice.id }]);
  return invoice.id;
}

type LightningPayment = Pick<
  Payment,
  | "id"
  | "invoiceId"
  | "type"
  | "amountSats"
  | "state"
  | "belowDust"
  | "firstSeenAt"
  | "confirmedAt"
  | "requiredConfirmations"
  | "preimage"
>;

/**
 * A BOLT11 ends with its invoice, so what it received was on its way in time: one that was being settled at the expiry,
 * or by the later clock of the node's host, is no late payment.
 */
function paymentOf(settled: NodeInvoice, invoice: Invoice, now: Date): LightningPayment {
  const seenBy = [now, settled.settledAt ?? now, invoice.expiresAt].map((at) => at.getTime());
  return {
    id: settled.paymentHash,
    invoiceId: invoice.id,
    type: "BTC-LN",
    amountSats: settled.amountPaidMsat / 1_000n,
    state: "confirmed",
    belowDust: false,
    firstSeenAt: new Date(Math.max(invoice.createdAt.getTime(), Math.min(...seenBy))),
    confirmedAt: now,
    requiredConfirmations: 0,
    preimage: settled.preimage,
  };
}

function detailsOf({ id, type, amountSats, state, belowDust }: LightningPayment): PaymentHistoryDetails {
  return { change: "seen", paymentId: id, type, amountSats: amountSats.toString(), state, belowDust };
}
