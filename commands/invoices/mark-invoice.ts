import type { Mark } from "../../domain/invoice/status";
import { changeInvoice } from "./change-invoice";
import type { CommandContext } from "../context";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { tryFollowAnswers } from "./sync-lightning-invoices";

/**
 * Its BOLT11 is canceled: it must not be paid any more.
 * @throws DomainError `invoice-not-found`; `invalid-transition` for the mark that it already has; `limit-reached`.
 */
export async function markInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  mark: { status: Mark; note?: string | null },
): Promise<InvoiceView> {
  await readInvoice(ctx, storeId, invoiceId);
  const byHand = { to: mark.status, note: mark.note ?? null };
  const { asksLightning } = await changeInvoice(ctx, invoiceId, byHand);
  if (asksLightning) await tryFollowAnswers(ctx, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}
