import { statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import { waitsForRetry } from "../../entities/webhook-delivery";
import type { ApiKey } from "../../entities/api-key";

export const OF_MEMBER = "store.id IN (SELECT store_id FROM store_members WHERE user_id = :userId)";

export interface KeyRow extends Pick<
  ApiKey,
  "id" | "storeId" | "hash" | "permissions" | "expiresAt" | "mac"
> {
  expired: boolean;
  stale: boolean;
}

/** Written at most once in this interval. */
const IS_STALE = "coalesce(last_used_at < clock_timestamp() - interval '5 minutes', true)";

export const readKeys = statement<[hashes: readonly Buffer[]], KeyRow>(
  "stores.read-keys",
  `SELECT id, store_id AS "storeId", hash, permissions, expires_at AS "expiresAt", mac,
          coalesce(expires_at <= clock_timestamp(), false) AS expired,
          ${IS_STALE} AS stale
     FROM api_keys WHERE hash = ANY($1::bytea[])`,
);

/** Repeated so that only one of many simultaneous requests writes. */
export const touchKey = statement<[keyId: string]>(
  "stores.touch-key",
  `UPDATE api_keys SET last_used_at = clock_timestamp() WHERE id = $1 AND ${IS_STALE}`,
);

/** With the keys that they made, and so on. */
export const deleteKeys = statement<
  [keyIds: readonly string[], storeId: string],
  { id: string; name: string; prefix: string }
>(
  "stores.delete-keys",
  `WITH RECURSIVE doomed AS (
     SELECT id FROM api_keys WHERE id = ANY($1::text[]) AND store_id = $2
     UNION SELECT key.id FROM api_keys key JOIN doomed ON key.created_by_key_id = doomed.id
   )
   DELETE FROM api_keys WHERE id IN (SELECT id FROM doomed) RETURNING id, name, prefix`,
);

/** Set by each of these keys, or by a key that it created, and so on. */
export const readWebhooksOfKeys = statement<
  [keyIds: readonly string[], storeId: string],
  { keyId: string; webhookId: string; url: string }
>(
  "stores.read-webhooks-of-keys",
  `WITH RECURSIVE made AS (
     SELECT id AS root, id FROM api_keys WHERE id = ANY($1::text[]) AND store_id = $2
     UNION SELECT made.root, key.id FROM api_keys key JOIN made ON key.created_by_key_id = made.id WHERE key.store_id = $2
   )
   SELECT made.root AS "keyId", webhook.id AS "webhookId", webhook.url
     FROM webhooks webhook JOIN made ON webhook.url_set_by_key_id = made.id
    WHERE webhook.store_id = $2 AND webhook.deleted_at IS NULL
    ORDER BY webhook.created_at DESC, webhook.id DESC`,
);

/** Serialises this user's creations of stores. */
export const lockUser = statement<[userId: string], { admin: boolean }>(
  "stores.lock-user",
  "SELECT admin FROM users WHERE id = $1 FOR NO KEY UPDATE",
);

/** No row: the user was disabled. */
export const lockEnabledUser = statement<[userId: string | null], object>(
  "stores.lock-enabled-user",
  "SELECT 1 FROM users WHERE id = $1 AND disabled_at IS NULL FOR SHARE",
);

export const countMadeBy = statement<
  [userIds: readonly string[], storeId: string | null],
  { userId: string; apiKeys: number; webhooks: number }
>(
  "stores.count-made-by",
  `SELECT made.id AS "userId",
          (SELECT count(*)::int FROM api_keys
            WHERE created_by_user_id = made.id AND ($2::text IS NULL OR store_id = $2)) AS "apiKeys",
          (SELECT count(*)::int FROM webhooks
            WHERE created_by_user_id = made.id AND deleted_at IS NULL AND ($2::text IS NULL OR store_id = $2)) AS webhooks
     FROM unnest($1::text[]) AS made(id)`,
);

/** In which the user made something that still exists. Ordered by id, like every lock of several. */
export const lockStoresOfCreator = statement<[userId: string, storeId: string | null], { id: string }>(
  "stores.lock-stores-of-creator",
  `SELECT id FROM stores
    WHERE id IN (SELECT store_id FROM api_keys WHERE created_by_user_id = $1
                  UNION SELECT store_id FROM webhooks WHERE created_by_user_id = $1 AND deleted_at IS NULL)
      AND ($2::text IS NULL OR id = $2)
    ORDER BY id FOR NO KEY UPDATE`,
);

const FAILED_COUNTED = 1_000;

export interface WebhookHealth {
  webhookId: string;
  url: string;
  enabled: boolean;
  failureStreak: number;
  /** FAILED_COUNTED: that many or more. */
  failedDeliveries: number;
}

export const readWebhookHealth = statement<[storeId: string], WebhookHealth>(
  "stores.read-webhook-health",
  `SELECT id AS "webhookId", url, enabled, failure_streak AS "failureStreak",
          (SELECT count(*)::int FROM (
             SELECT 1 FROM webhook_deliveries delivery
              WHERE delivery.webhook_id = webhook.id AND delivery.state = 'failed'
              LIMIT ${FAILED_COUNTED}) AS failed) AS "failedDeliveries"
     FROM webhooks webhook
    WHERE store_id = $1 AND deleted_at IS NULL
    ORDER BY created_at, id LIMIT 200`,
);

export const deleteWebhooks = statement<[ids: readonly string[], storeId: string], { id: string }>(
  "stores.delete-webhooks",
  `UPDATE webhooks SET deleted_at = clock_timestamp(), enabled = false
    WHERE id = ANY($1::text[]) AND store_id = $2 AND deleted_at IS NULL RETURNING id`,
);

/** Nothing of a webhook is sent again by itself any more. */
export const endRetries = statement<[webhookIds: readonly string[]]>(
  "stores.end-retries",
  `UPDATE webhook_deliveries SET retry_at = NULL WHERE id IN (
     SELECT d.id FROM webhook_deliveries d
      WHERE ${unindexed("d.webhook_id")} = ANY($1::text[]) AND ${waitsForRetry("d")} ORDER BY d.id FOR NO KEY UPDATE)`,
);
