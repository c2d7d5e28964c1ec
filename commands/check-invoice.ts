import { changeInvoice } from "./change-invoice";
import { checkInvoiceOnchain } from "./check-invoice-onchain";
import type { CommandContext } from "./context";
import { readInvoice, type InvoiceView } from "./read-invoice";

/**
 * Looks at the chain now, as far as its watcher and node are there, and decides an invoice of a store again. Takes
 * seconds when a look is under way.
 * @throws DomainError `invoice-not-found`.
 */
export async function checkInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await readInvoice(ctx, storeId, invoiceId);
  await checkInvoiceOnchain(ctx);
  await changeInvoice(ctx, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}
