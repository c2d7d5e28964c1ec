/** Shop plugins know no underscore. */
const ID = /^inv_?([1-9A-HJ-NP-Za-km-z]+)$/;

/**
 * By an id or checkoutUrl; null for anything else, so that only the server's own pages can be framed. `base` ends in
 * "/".
 */
export function checkoutAddress(base: string, invoice: string, language?: string): URL | null {
  const start = `${base}i/`;
  const given = ID.test(invoice) ? start + invoice : invoice;
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  const { pathname: path } = new URL(start);
  const id = ID.exec(url.pathname.slice(path.length));
  if (!url.href.startsWith(start) || id === null) return null;
  url.pathname = `${path}inv_${id[1]}`; // as the page names itself in its messages
  if (language !== undefined) url.searchParams.set("lang", language);
  return url;
}
