import { apiKeyHashesEqual, apiKeyText, parseApiKey } from "../../domain/account/api-key";
import { storedAccess, type KeyAccess } from "../../domain/account/key-access";
import { isPolicy, POLICIES, type Policy } from "../../domain/greenfield/permissions";
import { invalidField } from "../../domain/errors";
import { ApiKey } from "../../entities/api-key";
import type { CommandContext } from "../context";
import { isAuthentic, macOfRow } from "../server/authentic-rows";
import { checkLimit } from "./limits";
import { lockForCreator } from "./creators";
import { checkedName } from "./name";
import { readKeys, touchKey } from "./queries";
import { batchedRead } from "../../database/batch";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

const KEY_BYTES = 32;

export interface CreateApiKeyInput {
  storeId: string;
  name: string;
  /** Default: never; a key that expires can only make keys that expire no later. */
  expiresAt?: Date;
  access?: KeyAccess;
  /** A shop plugin's key, which the native API refuses. Default: none. */
  permissions?: readonly string[];
  /** The origin that it is sent to, for the audit log. */
  sentTo?: string;
}

export interface Caller {
  keyId: string;
  storeId: string;
  /** As stored: null is full access. */
  permissions: ApiKey["permissions"];
}

/**
 * Its text is shown only now: only its hash is stored. A key that was made by a key is deleted with it.
 * @throws DomainError `validation-failed` at `/name`, `/expiresAt` or `/permissions`, `store-not-found`,
 * `limit-reached`; `unauthenticated` when the asking key has been deleted meanwhile.
 */
export async function createApiKey(ctx: CommandContext, input: CreateApiKeyInput) {
  return inTransaction(ctx, (tx) => addApiKey(tx, input));
}

/** The transaction holds the store's lock from here on. */
export async function addApiKey(tx: Tx, input: CreateApiKeyInput) {
  const name = checkedName(input.name);
  const { access = "full" } = input;
  const permissions =
    input.permissions === undefined ? storedAccess(access) : checkedPermissions(input.permissions);
  const apiKey = apiKeyText(tx.settings.network, tx.randomBytes(KEY_BYTES));
  const parsed = parseApiKey(apiKey);
  if (parsed === null) throw new Error("a key that was just made does not parse");
  const { key: creator, creatorId: createdByUserId } = await lockForCreator(tx, input.storeId);
  const existing = await tx.manager.countBy(ApiKey, { storeId: input.storeId });
  checkLimit(existing, tx.settings.maxKeysPerStore, "API keys");
  const createdAt = await tx.now();
  const made = tx.manager.create(ApiKey, {
    id: tx.newId("key"),
    storeId: input.storeId,
    name,
    prefix: parsed.prefix,
    hash: permissions === null ? parsed.hash : parsed.lesserHash,
    createdByKeyId: creator?.id ?? null,
    createdByUserId,
    permissions,
    createdAt,
    lastUsedAt: null,
    expiresAt: checkedExpiry(input.expiresAt ?? null, createdAt, creator),
  });
  const record = { ...made, mac: macOfRow(tx, ApiKey, made) };
  await tx.manager.insert(ApiKey, record);
  const { id: subject, storeId, prefix, expiresAt } = record;
  await writeAudit(tx, {
    action: "api-key.created",
    storeId,
    subject,
    details: {
      name,
      prefix,
      expiresAt,
      ...(input.permissions === undefined ? { access } : { permissions }),
      ...(input.sentTo === undefined ? {} : { sentTo: input.sentTo }),
    },
  });
  return { record, apiKey };
}

/** Each once, in the order of the policies. */
function checkedPermissions(wished: readonly string[]): Policy[] {
  const known = wished.filter(isPolicy);
  if (known.length === 0 || known.length < wished.length)
    throw invalidField("/permissions", `Must be one or more of ${POLICIES.join(", ")}.`);
  return POLICIES.filter((policy) => known.includes(policy));
}

function checkedExpiry(wished: Date | null, now: Date, creator: ApiKey | null): Date | null {
  const latest = creator?.expiresAt ?? null;
  if (wished === null) return latest;
  if (wished <= now) throw invalidField("/expiresAt", "Must be in the future.");
  if (latest !== null && wished > latest)
    throw invalidField("/expiresAt", "Must not be later than the expiry of the key that creates it.");
  return wished;
}

/**
 * Null for any other text, and for an unknown, deleted or expired key. Nothing is cached: every process refuses a
 * deleted key at once.
 */
export async function authenticate(ctx: CommandContext, text: string): Promise<Caller | null> {
  const parsed = parseApiKey(text);
  if (parsed === null) return null;
  const [full, lesser] = await Promise.all([
    readKey(ctx, parsed.hash.toString("hex")),
    readKey(ctx, parsed.lesserHash.toString("hex")),
  ]);
  const row = full ?? lesser;
  if (row === undefined || row.expired || !isAuthentic(ctx, ApiKey, row)) return null;
  // A row with the other kind's hash has lost its permissions, or got some: it must give no access.
  const hash = row.permissions === null ? parsed.hash : parsed.lesserHash;
  if (!apiKeyHashesEqual(row.hash, hash)) return null;
  if (row.stale) await touchKey(ctx.db.manager, row.id);
  return { keyId: row.id, storeId: row.storeId, permissions: row.permissions };
}

const readKey = batchedRead(async ({ db }: CommandContext, hashes) => {
  const { rows } = await readKeys(
    db.manager,
    hashes.map((hash) => Buffer.from(hash, "hex")),
  );
  return new Map(rows.map((row) => [row.hash.toString("hex"), row]));
});
