import type { alertAnswer } from "../../../api/schemas/alert-answer";
import type { storeAnswer } from "../../../api/schemas/store-answer";

/** What a schema of the API answers with, as JSON. */
export type Answer<S> = S extends { _zod: { output: infer O } } ? O : never;

export type Store = Answer<typeof storeAnswer>;
export type Alert = Answer<typeof alertAnswer>;

export type Role = "owner" | "member" | "viewer";

/** A store in the list of one's own; server admins see all, `member` false where they have no role. */
export interface ListedStore {
  storeId: string;
  name: string;
  role: Role;
  member: boolean;
  archived: boolean;
  createdAt: string;
}
