import type { Mark } from "../../domain/invoice/status";
import { changeInvoiceByHand } from "./change-invoice";
import type { CommandContext } from "../context";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { tryFollowAnswers } from "../lightning/sync-lightning-invoices";

/**
 * Marks an invoice of a store Settled or Invalid by hand. It must not be paid any more: its BOLT11 is canceled.
 * @throws DomainError `invoice-not-found`; `invalid-transition` for the mark that it has already.
 */
export async function markInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  mark: { status: Mark; note?: string | null },
): Promise<InvoiceView> {
  await readInvoice(ctx, storeId, invoiceId);
  const byHand = { to: mark.status, note: mark.note ?? null };
  const { asksLightning } = await changeInvoiceByHand(ctx, invoiceId, byHand);
  if (asksLightning) await tryFollowAnswers(ctx, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}
