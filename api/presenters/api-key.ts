import type { ApiKey } from "../../entities/api-key";

/** The key's text is no part of it: it is shown once, at creation. */
export function presentApiKey({ id, name, prefix, createdAt, lastUsedAt, expiresAt }: ApiKey) {
  return { id, name, prefix, createdAt, lastUsedAt, expiresAt };
}
