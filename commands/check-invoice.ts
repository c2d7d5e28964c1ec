import { checkInvoiceOnchain } from "./check-invoice-onchain";
import type { CommandContext } from "./context";
import { readInvoice, type InvoiceView } from "./read-invoice";
import { decideInvoice } from "./tend-lightning";

/**
 * Looks at the chain now, as far as its watcher and node are there, and at the invoice's BOLT11 where it has one; decides
 * an invoice of a store again. Takes seconds when a look is under way.
 * @throws DomainError `invoice-not-found`.
 */
export async function checkInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await readInvoice(ctx, storeId, invoiceId);
  await checkInvoiceOnchain(ctx);
  await decideInvoice(ctx, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}
