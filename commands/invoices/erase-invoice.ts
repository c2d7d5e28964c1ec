import { type EntityManager, IsNull, Not } from "typeorm";
import { DomainError } from "../../domain/errors";
import { rawMember } from "../../domain/invoice/metadata";
import { Invoice } from "../../entities/invoice";
import { InvoiceEvent } from "../../entities/invoice-event";
import { InvoiceHistory } from "../../entities/invoice-history";
import { ReceiptMail } from "../../entities/receipt-mail";
import { Review } from "../../entities/review";
import { lockInvoice } from "../../database/rows";
import type { CommandContext } from "../context";
import { eraseAnswers, eraseNotes, lockDeliveries } from "./queries";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

const ERASED = {
  description: null,
  redirectUrl: null,
  refundAddress: null,
  refundAddressAt: null,
} as const;

/**
 * For good: metadata except `orderId` (the merchant's books depend on it), description, redirect URL, refund address,
 * the address of a receipt that was not sent, notes, and the bodies of its events and answers. The invoice continues. Idempotent.
 * @throws DomainError `invoice-not-found`; `delivery-in-progress` while an event is unsent: none is lost.
 */
export async function eraseInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, invoiceId, storeId);
    await refuseWhileSending(tx.manager, invoiceId);
    const orderId = rawMember(invoice.metadata, "orderId") ?? JSON.stringify(invoice.orderId);
    const erased = { ...ERASED, metadata: `{"orderId":${orderId}}` };
    const columns = Object.keys(erased) as (keyof typeof erased)[];
    const fields: string[] = columns.filter((field) => invoice[field] !== erased[field]);
    await eraseAnswers(tx.manager, invoiceId);
    const written = { invoiceId, body: Not(IsNull()) };
    const { affected: bodies } = await tx.manager.update(InvoiceEvent, written, { body: null });
    const { count: notes } = await eraseNotes(tx.manager, invoiceId);
    if (notes > 0) fields.push("note");
    await tx.manager.update(Review, { invoiceId }, { note: null });
    const waiting = { invoiceId, email: Not(IsNull()) };
    const { affected: mails } = await tx.manager.update(ReceiptMail, waiting, { email: null });
    if (fields.length === 0 && bodies === 0 && mails === 0) return;
    await tx.manager.update(Invoice, invoiceId, erased);
    const at = await tx.now();
    await tx.manager.insert(InvoiceHistory, { invoiceId, at, kind: "edited", details: { fields } });
    await writeAudit(tx, { action: "invoice.erased", storeId, subject: invoiceId });
    tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
  });
  return readInvoice(ctx, storeId, invoiceId);
}

/** New deliveries need the invoice's lock, which the caller holds. */
async function refuseWhileSending(manager: EntityManager, invoiceId: string): Promise<void> {
  const { rows: deliveries } = await lockDeliveries(manager, invoiceId);
  if (deliveries.some(({ unfinished }) => unfinished))
    throw new DomainError(
      "delivery-in-progress",
      "A delivery of this invoice is pending or being sent. Try again when it has finished.",
    );
}
