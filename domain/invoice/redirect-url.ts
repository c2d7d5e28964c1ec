/**
 * Where the customer goes after paying: `{invoiceId}` and `{orderId}` are filled in percent-encoded, so that an order
 * id is never read as a part of the address itself.
 */
export function fillRedirectUrl(template: string, ids: { invoiceId: string; orderId: string }): string {
  return template.replace(/\{(invoiceId|orderId)\}/g, (_, name: keyof typeof ids) =>
    encodeURIComponent(ids[name]),
  );
}
