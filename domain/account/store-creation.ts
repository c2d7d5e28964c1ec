/** Who may create stores in the dashboard. */
export const STORE_CREATION = ["admins", "everyone"] as const;
export type StoreCreation = (typeof STORE_CREATION)[number];

/** Whether a user may make stores at all. */
export function mayCreateStores(user: { admin: boolean }, allowed: StoreCreation): boolean {
  return user.admin || allowed === "everyone";
}
