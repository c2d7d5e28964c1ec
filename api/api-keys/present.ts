import type { ApiKey } from "../../entities/api-key";

/** The key's text is no part of it: it is shown once, at creation. `emails`: of makers, for who may know them. */
export function presentApiKey(
  { id, name, prefix, createdAt, createdByUserId, lastUsedAt, expiresAt }: ApiKey,
  emails: ReadonlyMap<string, string>,
) {
  const createdByEmail = emails.get(createdByUserId ?? "") ?? null;
  return { id, name, prefix, createdAt, createdByUserId, createdByEmail, lastUsedAt, expiresAt };
}
