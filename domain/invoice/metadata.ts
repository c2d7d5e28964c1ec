/**
 * A merchant's metadata is returned as sent. JSON.parse would lose large numbers, escapes and the order of keys that
 * look like integers, so it is cut out of the request's text. All texts here are known to be valid JSON (RFC 8259).
 */

/** The size of the text as it is stored, without an `orderId` that the invoice got itself. */
export const METADATA_MAX_BYTES = 32 * 1024;

interface Member {
  /** With its escapes resolved. */
  name: string;
  /** As it was sent, including the quotes. */
  rawName: string;
  /** Raw JSON text without insignificant white space. */
  value: string;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * The raw text of a member of the document's top-level object; null when there is none. For a duplicate name the last
 * one wins, as in JSON.parse.
 */
export function rawMember(documentText: string, name: string): string | null {
  return members(documentText).findLast((member) => member.name === name)?.value ?? null;
}

/** The object with only these members, which it may name in any case. */
export function namingMembers(documentText: string, names: readonly string[]): string {
  return objectText(
    members(documentText).flatMap(({ name, value }) => {
      const known = names.find((one) => one.toLowerCase() === name.toLowerCase());
      return known === undefined ? [] : [{ rawName: JSON.stringify(known), value }];
    }),
  );
}

/** A member name that the top-level object has more than once; null when there is none. */
export function duplicateMember(objectText: string): string | null {
  const seen = new Set<string>();
  for (const { name } of members(objectText)) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/** The raw object, without insignificant white space, with `orderId` as first member unless it has its own. */
export function withOrderId(rawObjectText: string, orderId: string): string {
  const own = members(rawObjectText);
  if (own.some(({ name }) => name === "orderId")) return objectText(own);
  return objectText([{ rawName: '"orderId"', value: JSON.stringify(orderId) }, ...own]);
}

/**
 * The raw object with the members of the patch merged in: an existing one gets the new value in its place, a new
 * one is appended, and `null` removes one (RFC 7396, but for the top level only). All others stay as they were
 * sent.
 */
export function mergeMembers(rawObjectText: string, rawPatchText: string): string {
  const merged = new Map(members(rawObjectText).map((member) => [member.name, member]));
  for (const { name, rawName, value } of members(rawPatchText)) {
    if (value === "null") merged.delete(name);
    else merged.set(name, { name, rawName: merged.get(name)?.rawName ?? rawName, value });
  }
  return objectText([...merged.values()]);
}

/** The size of an invoice's metadata: what was accepted without an `orderId` must fit again with the generated one. */
export function metadataBytes(rawObjectText: string, invoiceId: string | null): number {
  const generated = invoiceId !== null && rawMember(rawObjectText, "orderId") === JSON.stringify(invoiceId);
  return Buffer.byteLength(generated ? mergeMembers(rawObjectText, '{"orderId":null}') : rawObjectText);
}

function objectText(of: readonly Pick<Member, "rawName" | "value">[]): string {
  return `{${of.map(({ rawName, value }) => `${rawName}:${value}`).join(",")}}`;
}

/** Members of the top-level object in the order of the text; none when the document is no object. */
function members(documentText: string): Member[] {
  const all = documentText.match(TOKEN) ?? [];
  const found: Member[] = [];
  if (all[0] !== "{") return found;
  let depth = 0;
  let start = 1;
  for (const [index, token] of all.entries()) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    // A member is `name`, ":", value …: it ends at a comma of the object itself, or with the object.
    const ends = (token === "," && depth === 1) || depth === 0;
    if (ends && index > start) {
      const rawName = all[start] ?? "";
      const [from, to] = [start + 2, index];
      found.push({
        name: JSON.parse(rawName) as string,
        rawName,
        get value() {
          return all.slice(from, to).join("");
        },
      });
    }
    if (ends) start = index + 1;
    if (token === "{" || token === "[") depth += 1;
  }
  return found;
}
