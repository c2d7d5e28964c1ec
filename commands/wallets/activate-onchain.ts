import type { CommandContext } from "../context";
import { giveAddress } from "./give-address";
import { type InvoiceView, readInvoice } from "../invoices/read-invoice";

/**
 * An invoice of a store with lazy addresses has none until then.
 * @throws DomainError `invoice-not-found`, `payment-method-not-found`, `invalid-transition`,
 * `payment-method-unavailable`.
 */
export async function activateOnchain(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await giveAddress(ctx, storeId, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}
