import { apiKeyHashesEqual, apiKeyText, parseApiKey } from "../domain/api-key";
import { DomainError } from "../domain/errors";
import { ApiKey } from "../entities/api-key";
import { Store } from "../entities/store";
import type { CommandContext } from "./context";
import { checkedName } from "./name";

const KEY_BYTES = 32;

export interface CreateApiKeyInput {
  storeId: string;
  name: string;
  /** The key that asked for this one, if a key did. */
  createdByKeyId?: string;
  expiresAt?: Date;
}

/** A key and its text, which is shown now and never again: only its hash is stored. */
export interface CreatedApiKey {
  record: ApiKey;
  apiKey: string;
}

/** What a request may know of the key that it carries. */
export interface Caller {
  keyId: string;
  storeId: string;
}

/** @throws DomainError `validation-failed` (name), `store-not-found`. */
export async function createApiKey(ctx: CommandContext, input: CreateApiKeyInput): Promise<CreatedApiKey> {
  const name = checkedName(input.name);
  const apiKey = apiKeyText(ctx.settings.network, ctx.randomBytes(KEY_BYTES));
  const parsed = parseApiKey(apiKey);
  if (parsed === null) throw new Error("a key that was just made does not parse");
  return ctx.db.transaction(async (manager) => {
    if (!(await manager.existsBy(Store, { id: input.storeId })))
      throw new DomainError("store-not-found", "There is no such store.");
    const record = manager.create(ApiKey, {
      id: ctx.newId("key"),
      storeId: input.storeId,
      name,
      prefix: parsed.prefix,
      hash: parsed.hash,
      createdByKeyId: input.createdByKeyId ?? null,
      createdAt: await ctx.now(manager),
      lastUsedAt: null,
      expiresAt: input.expiresAt ?? null,
    });
    await manager.insert(ApiKey, record);
    return { record, apiKey };
  });
}

/**
 * Whose key a text is; null for a text that is no key, and for an unknown, deleted or expired one, without telling
 * which. Nothing is remembered between calls, so that a deleted key is refused by every process at once.
 */
export async function authenticate(ctx: CommandContext, text: string): Promise<Caller | null> {
  const parsed = parseApiKey(text);
  if (parsed === null) return null;
  const [row] = await ctx.db.query<
    { id: string; storeId: string; hash: Buffer; expired: boolean; stale: boolean }[]
  >(
    `SELECT id, store_id AS "storeId", hash, coalesce(expires_at <= clock_timestamp(), false) AS expired,
            coalesce(last_used_at < clock_timestamp() - interval '5 minutes', true) AS stale
       FROM api_keys WHERE hash = $1`,
    [parsed.hash],
  );
  if (row === undefined || !apiKeyHashesEqual(row.hash, parsed.hash) || row.expired) return null;
  if (row.stale) await touch(ctx, row.id);
  return { keyId: row.id, storeId: row.storeId };
}

/** The condition stands here again so that of many parallel requests one writes. */
async function touch(ctx: CommandContext, keyId: string): Promise<void> {
  await ctx.db.query(
    `UPDATE api_keys SET last_used_at = clock_timestamp()
      WHERE id = $1 AND coalesce(last_used_at < clock_timestamp() - interval '5 minutes', true)`,
    [keyId],
  );
}
