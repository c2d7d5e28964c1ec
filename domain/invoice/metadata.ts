/**
 * Returned as sent: JSON.parse would lose large numbers, escapes and the order of keys. All texts here are
 * valid JSON (RFC 8259).
 */

/** As stored, without an `orderId` that the invoice got itself. */
export const METADATA_MAX_BYTES = 32 * 1024;

/** More than a generated `orderId` takes, with its name. */
const ORDER_ID_BYTES = 256;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

interface Member {
  /** With its escapes resolved. */
  name: string;
  /** As it was sent, including the quotes. */
  rawName: string;
  /** Raw JSON text without insignificant white space. */
  value: string;
}

/** Null when there is none. For a duplicate name the last one wins, as in JSON.parse. */
export function rawMember(documentText: string, name: string): string | null {
  return members(documentText).findLast((member) => member.name === name)?.value ?? null;
}

/** Only these members, which it may name in any case. */
export function namingMembers(documentText: string, names: readonly string[]): string {
  return objectText(
    members(documentText).flatMap(({ name, value }) => {
      const known = names.find((one) => one.toLowerCase() === name.toLowerCase());
      return known === undefined ? [] : [{ rawName: JSON.stringify(known), value }];
    }),
  );
}

/** Null when there is none. */
export function duplicateMember(objectText: string): string | null {
  const seen = new Set<string>();
  for (const { name } of members(objectText)) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/** As first member, unless it has its own. */
export function withOrderId(rawObjectText: string, orderId: string): string {
  const own = members(rawObjectText);
  if (own.some(({ name }) => name === "orderId")) return objectText(own);
  return objectText([{ rawName: '"orderId"', value: JSON.stringify(orderId) }, ...own]);
}

/**
 * Merges in place, appends what is new, and `null` removes (RFC 7396, but the top level only). The rest stays as sent.
 */
export function mergeMembers(rawObjectText: string, rawPatchText: string): string {
  const merged = new Map(members(rawObjectText).map((member) => [member.name, member]));
  for (const { name, rawName, value } of members(rawPatchText)) {
    if (value === "null") merged.delete(name);
    else merged.set(name, { name, rawName: merged.get(name)?.rawName ?? rawName, value });
  }
  return objectText([...merged.values()]);
}

/** Without a generated `orderId`: what was accepted without one must fit again with it. */
export function metadataBytes(rawObjectText: string, invoiceId: string | null): number {
  const bytes = Buffer.byteLength(rawObjectText);
  if (invoiceId === null || bytes > METADATA_MAX_BYTES + ORDER_ID_BYTES) return bytes;
  const generated = rawMember(rawObjectText, "orderId") === JSON.stringify(invoiceId);
  return generated ? Buffer.byteLength(mergeMembers(rawObjectText, '{"orderId":null}')) : bytes;
}

function objectText(of: readonly Pick<Member, "rawName" | "value">[]): string {
  return `{${of.map(({ rawName, value }) => `${rawName}:${value}`).join(",")}}`;
}

/** In the order of the text; none when the document is no object. */
function members(documentText: string): Member[] {
  const found: Member[] = [];
  let depth = 0;
  let nameFrom = -1;
  let nameTo = -1;
  for (let at = 0; at < documentText.length; at += 1) {
    const code = documentText.charCodeAt(at);
    if (code === QUOTE) {
      const end = textEnd(documentText, at);
      if (depth === 1 && nameFrom < 0) [nameFrom, nameTo] = [at, end];
      at = end - 1;
      continue;
    }
    if (depth === 0 && isSpace(code)) continue;
    if (depth === 0 && code !== OPEN_BRACE) return [];
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET;
    if (closes) depth -= 1;
    if (nameFrom >= 0 && ((depth === 1 && code === COMMA) || depth === 0)) {
      found.push(member(documentText, { nameFrom, nameTo, end: at }));
      nameFrom = -1;
    }
    if (closes && depth === 0) return found;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
  }
  return found;
}

function member(
  documentText: string,
  { nameFrom, nameTo, end }: { nameFrom: number; nameTo: number; end: number },
): Member {
  const rawName = documentText.slice(nameFrom, nameTo);
  return {
    name: JSON.parse(rawName) as string,
    rawName,
    get value() {
      return compact(documentText.slice(documentText.indexOf(":", nameTo) + 1, end));
    },
  };
}

function compact(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = textEnd(text, at) - 1;
    else if (isSpace(code)) {
      if (at > from) parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return from === 0 ? text : parts.join("") + text.slice(from);
}

/** `at`: where its opening quote is. */
function textEnd(json: string, at: number): number {
  for (let quote = json.indexOf('"', at + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
