/** What an API key may be made for. What a key with less than full access may do is declared by each route. */
export const KEY_ACCESS = ["full", "create-and-read-invoices", "read"] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];
export type LesserAccess = Exclude<KeyAccess, "full">;

/** As a key stores it: `null` is full access. */
export function storedAccess(access: KeyAccess): LesserAccess[] | null {
  return access === "full" ? null : [access];
}

/** Of a key's stored permissions; null for a shop plugin's key, which has policies there. */
export function accessOf(permissions: readonly string[] | null): KeyAccess | null {
  if (permissions === null) return "full";
  const [only, ...more] = permissions;
  const known = KEY_ACCESS.find((access) => access === only);
  return known === undefined || known === "full" || more.length > 0 ? null : known;
}
