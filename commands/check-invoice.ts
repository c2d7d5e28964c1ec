import { changeInvoice } from "./change-invoice";
import type { CommandContext } from "./context";
import { readInvoice, type InvoiceView } from "./read-invoice";

/** Decides an invoice of a store again by what is known now. @throws DomainError `invoice-not-found`. */
export async function checkInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await readInvoice(ctx, storeId, invoiceId);
  await changeInvoice(ctx, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}
