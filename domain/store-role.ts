/** From the least to the most. */
export const STORE_ROLES = ["viewer", "member", "owner"] as const;
export type StoreRole = (typeof STORE_ROLES)[number];

/** What somebody wants to do in a store. */
export type StorePermission =
  | "read"
  /** Invoices: create, change, mark, archive; deliveries: send again. */
  | "operate"
  /** The store's settings, payment methods, API keys, webhooks and people. */
  | "manage";

const LEAST: Record<StorePermission, StoreRole> = { read: "viewer", operate: "member", manage: "owner" };

const rank = (role: StoreRole): number => STORE_ROLES.indexOf(role);

/** Whether a role has at least the rights of another. */
export function roleReaches(role: StoreRole, needed: StoreRole): boolean {
  return rank(role) >= rank(needed);
}

export function roleMay(role: StoreRole, permission: StorePermission): boolean {
  return roleReaches(role, LEAST[permission]);
}

export function permissionsOf(role: StoreRole): StorePermission[] {
  return (Object.keys(LEAST) as StorePermission[]).filter((permission) => roleMay(role, permission));
}
