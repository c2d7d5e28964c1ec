const ID = /^inv_[1-9A-HJ-NP-Za-km-z]+$/;

/**
 * The page of an invoice of this server, by the invoice's id or its checkoutUrl; null for anything else, so that nothing
 * but the server's own pages can be framed. `base` is the server's address and ends in "/".
 */
export function checkoutAddress(base: string, invoice: string, language?: string): URL | null {
  const start = `${base}i/`;
  const given = ID.test(invoice) ? start + invoice : invoice;
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  if (!url.href.startsWith(start) || !ID.test(url.pathname.slice(new URL(start).pathname.length)))
    return null;
  if (language !== undefined) url.searchParams.set("lang", language);
  return url;
}
