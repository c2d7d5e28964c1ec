export const STORE_CREATION = ["admins", "everyone"] as const;
export type StoreCreation = (typeof STORE_CREATION)[number];

export function mayCreateStores(user: { admin: boolean }, allowed: StoreCreation): boolean {
  return user.admin || allowed === "everyone";
}
