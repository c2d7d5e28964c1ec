/** From the least to the most. */
export const STORE_ROLES = ["viewer", "member", "owner"] as const;
export type StoreRole = (typeof STORE_ROLES)[number];

const rank = (role: StoreRole): number => STORE_ROLES.indexOf(role);

export function roleReaches(role: StoreRole, needed: StoreRole): boolean {
  return rank(role) >= rank(needed);
}
