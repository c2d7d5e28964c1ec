import type { ApiKey } from "../../entities/api-key";

/** Without the key's text, which is shown once, at creation. `emails`: of creators, for readers who may know them. */
export function presentApiKey(
  { id, name, prefix, createdAt, createdByUserId, permissions, lastUsedAt, expiresAt }: ApiKey,
  emails: ReadonlyMap<string, string>,
) {
  const createdByEmail = emails.get(createdByUserId ?? "") ?? null;
  return { id, name, prefix, createdAt, createdByUserId, createdByEmail, permissions, lastUsedAt, expiresAt };
}
