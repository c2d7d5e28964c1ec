import type { PaymentMethodType } from "../domain/invoice/status";
import type { CommandContext } from "./context";
import { paymentMethodNotFound } from "./list-payment-methods";
import { type InvoiceView, readInvoice } from "./read-invoice";

/**
 * Makes sure that an invoice's payment method has a destination. Addresses are given at creation, so there is nothing
 * left to do for a method that the invoice offers, and one that it does not offer cannot be added later.
 * @throws DomainError `invoice-not-found`, `payment-method-not-found`.
 */
export async function activatePaymentMethod(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  type: PaymentMethodType,
): Promise<InvoiceView> {
  const view = await readInvoice(ctx, storeId, invoiceId);
  if (!view.methods.some((method) => method.type === type)) throw paymentMethodNotFound(type);
  return view;
}
