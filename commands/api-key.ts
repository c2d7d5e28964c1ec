import { apiKeyHashesEqual, apiKeyText, parseApiKey } from "../domain/api-key";
import type { EntityManager } from "typeorm";
import { DomainError, invalidField } from "../domain/errors";
import { ApiKey } from "../entities/api-key";
import type { CommandContext } from "./context";
import { checkedName } from "./name";
import { queryPrepared } from "./query-prepared";
import { readTogether } from "./read-together";
import { writeAudit } from "./write-audit";

const KEY_BYTES = 32;

export interface CreateApiKeyInput {
  storeId: string;
  name: string;
  /** Must be in the future. Default: never; a key that expires makes keys that expire no later. */
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

/**
 * Makes a key. One that was made by a key is deleted with it.
 * @throws DomainError `validation-failed` at `/name` or `/expiresAt`, `store-not-found`; `unauthenticated` when the
 * asking key has been deleted meanwhile.
 */
export async function createApiKey(ctx: CommandContext, input: CreateApiKeyInput): Promise<CreatedApiKey> {
  const name = checkedName(input.name);
  const apiKey = apiKeyText(ctx.settings.network, ctx.randomBytes(KEY_BYTES));
  const parsed = parseApiKey(apiKey);
  if (parsed === null) throw new Error("a key that was just made does not parse");
  return ctx.db.transaction(async (manager) => {
    await lockKeys(manager, input.storeId);
    const maker = await readMaker(manager, ctx, input.storeId);
    const createdAt = await ctx.now(manager);
    const record = manager.create(ApiKey, {
      id: ctx.newId("key"),
      storeId: input.storeId,
      name,
      ...parsed,
      createdByKeyId: maker?.id ?? null,
      createdAt,
      lastUsedAt: null,
      expiresAt: checkedExpiry(input.expiresAt ?? null, createdAt, maker),
    });
    await manager.insert(ApiKey, record);
    const { id: subject, storeId, prefix, expiresAt } = record;
    await writeAudit(manager, ctx, {
      action: "api-key.created",
      storeId,
      subject,
      details: { name, prefix, expiresAt },
    });
    return { record, apiKey };
  });
}

/** Makes and deletions of a store's keys go one after the other: else a key could be made by one that is just being deleted, and outlive it. */
export async function lockKeys(manager: EntityManager, storeId: string): Promise<void> {
  const stores = await manager.query<unknown[]>("SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE", [
    storeId,
  ]);
  if (stores.length === 0) throw new DomainError("store-not-found", "There is no such store.");
}

/** The key that asks, if a key does. */
async function readMaker(
  manager: EntityManager,
  { actor }: CommandContext,
  storeId: string,
): Promise<ApiKey | null> {
  if (actor.kind !== "key" || actor.id === null) return null;
  const maker = await manager.findOneBy(ApiKey, { id: actor.id, storeId });
  if (maker === null) throw new DomainError("unauthenticated", "This API key has just been deleted.");
  return maker;
}

function checkedExpiry(wished: Date | null, now: Date, maker: ApiKey | null): Date | null {
  const latest = maker?.expiresAt ?? null;
  if (wished === null) return latest;
  if (wished <= now) throw invalidField("/expiresAt", "Must be in the future.");
  if (latest !== null && wished > latest)
    throw invalidField("/expiresAt", "Must not be later than the expiry of the key that makes it.");
  return wished;
}

/**
 * Whose key a text is; null for a text that is no key, and for an unknown, deleted or expired one, without telling
 * which. Nothing is remembered between calls, so that a deleted key is refused by every process at once.
 */
export async function authenticate(ctx: CommandContext, text: string): Promise<Caller | null> {
  const parsed = parseApiKey(text);
  if (parsed === null) return null;
  const row = await keysOf(ctx.db)(parsed.hash.toString("hex"));
  if (row === undefined || !apiKeyHashesEqual(row.hash, parsed.hash) || row.expired) return null;
  if (row.stale) await touch(ctx, row.id);
  return { keyId: row.id, storeId: row.storeId };
}

interface KeyRow {
  id: string;
  storeId: string;
  hash: Buffer;
  expired: boolean;
  stale: boolean;
}

/** By their hash, hex. */
const keysOf = readTogether<KeyRow>(async (db, hashes) => {
  const rows = await queryPrepared<KeyRow>(
    db.manager,
    `SELECT id, store_id AS "storeId", hash, coalesce(expires_at <= clock_timestamp(), false) AS expired,
            coalesce(last_used_at < clock_timestamp() - interval '5 minutes', true) AS stale
       FROM api_keys WHERE hash = ANY($1::bytea[])`,
    [hashes.map((hash) => Buffer.from(hash, "hex"))],
  );
  return new Map(rows.map((row) => [row.hash.toString("hex"), row]));
});

/** The condition stands here again so that of many parallel requests one writes. */
async function touch(ctx: CommandContext, keyId: string): Promise<void> {
  await ctx.db.query(
    `UPDATE api_keys SET last_used_at = clock_timestamp()
      WHERE id = $1 AND coalesce(last_used_at < clock_timestamp() - interval '5 minutes', true)`,
    [keyId],
  );
}
