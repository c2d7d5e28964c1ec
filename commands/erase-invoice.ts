import type { EntityManager } from "typeorm";
import { DomainError } from "../domain/errors";
import { rawMember } from "../domain/invoice/metadata";
import { Invoice } from "../entities/invoice";
import { InvoiceHistory } from "../entities/invoice-history";
import { lockInvoice } from "./change-invoice";
import type { CommandContext } from "./context";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { tellChanges } from "./tell-change";
import { writeAudit } from "./write-audit";

const ERASED = {
  description: null,
  redirectUrl: null,
  markNote: null,
  refundAddress: null,
  refundAddressAt: null,
} as const;

/**
 * Takes what may be a customer's off an invoice, for good: its metadata but for `orderId` (events carry it, and the
 * merchant's books hang on it), description, redirect URL, address for a refund and notes, the bodies of the events that were written, and
 * what receivers answered to them. Sums, payments and states stay; the invoice goes on. Asking twice changes nothing.
 * @throws DomainError `invoice-not-found`; `delivery-in-progress` while an event of it has yet to be sent: none is lost.
 */
export async function eraseInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await ctx.db.transaction(async (manager) => {
    const invoice = await lockInvoice(manager, invoiceId, storeId);
    await refuseWhileSending(manager, invoiceId);
    const orderId = rawMember(invoice.metadata, "orderId") ?? JSON.stringify(invoice.orderId);
    const erased = { ...ERASED, metadata: `{"orderId":${orderId}}` };
    const fields = (Object.keys(erased) as (keyof typeof erased)[]).filter(
      (field) => invoice[field] !== erased[field],
    );
    const bodies = await eraseEvents(manager, invoiceId);
    if (fields.length === 0 && bodies === 0) return;
    await manager.update(Invoice, invoiceId, erased);
    await manager.query(
      `UPDATE invoice_history SET details = details - 'note' WHERE invoice_id = $1 AND details ? 'note'`,
      [invoiceId],
    );
    const at = await ctx.now(manager);
    await manager.insert(InvoiceHistory, { invoiceId, at, kind: "edited", details: { fields } });
    await writeAudit(manager, ctx, { action: "invoice.erased", storeId, subject: invoiceId });
    await tellChanges(manager, [{ topic: "invoices", storeId, invoiceId }]);
  });
  return readInvoice(ctx, storeId, invoiceId);
}

/** The rows stay locked: who is about to send finds the body gone. New ones need the invoice's lock, which we hold. */
async function refuseWhileSending(manager: EntityManager, invoiceId: string): Promise<void> {
  const deliveries = await manager.query<{ state: string }[]>(
    `SELECT state FROM webhook_deliveries WHERE invoice_id = $1 ORDER BY id FOR NO KEY UPDATE`,
    [invoiceId],
  );
  if (deliveries.some(({ state }) => state === "pending" || state === "sending"))
    throw new DomainError(
      "delivery-in-progress",
      "A webhook of this invoice is waiting or being sent; ask again when it is over.",
    );
}

/** Answers how many bodies there were. */
async function eraseEvents(manager: EntityManager, invoiceId: string): Promise<number> {
  await manager.query(
    `UPDATE webhook_attempts SET response_body = NULL WHERE response_body IS NOT NULL
        AND delivery_id IN (SELECT id FROM webhook_deliveries WHERE invoice_id = $1)`,
    [invoiceId],
  );
  const [, bodies] = await manager.query<[unknown[], number]>(
    `UPDATE invoice_events SET body = NULL WHERE invoice_id = $1 AND body IS NOT NULL`,
    [invoiceId],
  );
  return bodies;
}
