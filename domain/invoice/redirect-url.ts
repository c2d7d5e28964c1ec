import { withoutUnderscore } from "../greenfield/id-text";

/**
 * Percent-encoded, so that an order id is never read as a part of the address. Shop plugins write
 * `{InvoiceId}`, for the id that they know.
 */
export function fillRedirectUrl(template: string, ids: { invoiceId: string; orderId: string }): string {
  const { invoiceId, orderId } = ids;
  const known = { invoiceId, orderId, InvoiceId: withoutUnderscore(invoiceId), OrderId: orderId };
  return template.replace(/\{(invoiceId|orderId|InvoiceId|OrderId)\}/g, (_, name: keyof typeof known) =>
    encodeURIComponent(known[name]),
  );
}
