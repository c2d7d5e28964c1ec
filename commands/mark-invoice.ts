import type { Mark } from "../domain/invoice/status";
import { changeInvoiceByHand } from "./change-invoice";
import type { CommandContext } from "./context";
import { type InvoiceView, readInvoice } from "./read-invoice";

/**
 * Marks an invoice of a store Settled or Invalid by hand.
 * @throws DomainError `invoice-not-found`; `invalid-transition` for the mark that it bears already.
 */
export async function markInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  mark: { status: Mark; note?: string | null },
): Promise<InvoiceView> {
  await readInvoice(ctx, storeId, invoiceId);
  await changeInvoiceByHand(ctx, invoiceId, { to: mark.status, note: mark.note ?? null });
  return readInvoice(ctx, storeId, invoiceId);
}
