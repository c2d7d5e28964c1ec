import { accessOf } from "../../domain/account/key-access";
import type { WebhookOfKey } from "../../commands/stores/list-api-keys";
import type { ApiKey } from "../../entities/api-key";
import { presenter } from "../http/presenter";
import { apiKeyAnswer } from "./answer";

const shown = presenter(apiKeyAnswer);

export interface AboutKeys {
  emails: ReadonlyMap<string, string>;
  webhooks: ReadonlyMap<string, readonly WebhookOfKey[]>;
}

/** Without the key's text, which is shown once, at creation. */
export function presentApiKey(key: ApiKey, { emails, webhooks }: AboutKeys) {
  const access = accessOf(key.permissions);
  return shown(key, {
    createdByEmail: emails.get(key.createdByUserId ?? "") ?? null,
    access,
    permissions: access === null ? key.permissions : null,
    webhooks: (webhooks.get(key.id) ?? []).map(({ webhookId, url }) => ({ webhookId, url })),
  });
}
