import { accessOf } from "../../domain/account/key-access";
import type { WebhookOfKey } from "../../commands/stores/list-api-keys";
import type { ApiKey } from "../../entities/api-key";

export interface AboutKeys {
  emails: ReadonlyMap<string, string>;
  webhooks: ReadonlyMap<string, readonly WebhookOfKey[]>;
}

/** Without the key's text, which is shown once, at creation. */
export function presentApiKey(key: ApiKey, { emails, webhooks }: AboutKeys) {
  const { id, name, prefix, createdAt, createdByUserId, permissions, lastUsedAt, expiresAt } = key;
  const access = accessOf(permissions);
  return {
    id,
    name,
    prefix,
    createdAt,
    createdByUserId,
    createdByEmail: emails.get(createdByUserId ?? "") ?? null,
    access,
    permissions: access === null ? permissions : null,
    lastUsedAt,
    expiresAt,
    webhooks: (webhooks.get(id) ?? []).map(({ webhookId, url }) => ({ webhookId, url })),
  };
}
