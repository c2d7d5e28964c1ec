export const KEY_ACCESS = ["full", "create-and-read-invoices", "read"] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];
export type LesserAccess = Exclude<KeyAccess, "full">;

/** As a key stores it: `null` is full access. */
export function storedAccess(access: KeyAccess): LesserAccess[] | null {
  return access === "full" ? null : [access];
}

/** Null for a shop plugin's key, whose permissions are policies. */
export function accessOf(permissions: readonly string[] | null): KeyAccess | null {
  if (permissions === null) return "full";
  const [only, ...more] = permissions;
  const known = KEY_ACCESS.find((access) => access === only);
  return known === undefined || known === "full" || more.length > 0 ? null : known;
}
