import type { ApiKey } from "../../api/settings";

export type KeyAccess = NonNullable<ApiKey["access"]>;

export const KEY_ACCESS_WORDS: Readonly<Record<KeyAccess, string>> = {
  full: "full access",
  "create-and-read-invoices": "create and read invoices",
  read: "read",
};
