import { In, IsNull, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import type { StoreRole } from "../../domain/account/store-role";
import { ApiKey } from "../../entities/api-key";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { findAuthentic, ifAuthentic } from "../server/authentic-rows";
import { isOperator } from "../server/is-operator";
import { lockStore } from "../../database/rows";
import { dropKeys } from "./delete-api-key";
import { countMadeBy, lockEnabledUser, lockStoresOfCreator } from "./queries";
import { dropWebhooks } from "./drop-webhooks";
import type { Tx } from "../transaction";

// A key's creations belong to the user who created the key, and outlive their membership unless its removal says
// otherwise (docs/adr/0076).

export interface Made {
  apiKeys: number;
  webhooks: number;
}

/**
 * `creatorId`: null for the command line. User, then store, as the end of a right does: nothing made here outlives the
 * caller's role, account or key.
 * @throws DomainError `store-not-found`; `store-mismatch` for a user who is no longer an owner, `unauthenticated` for a
 * disabled user and a deleted key.
 */
export async function lockForCreator(tx: Tx, storeId: string) {
  if (tx.actor.kind === "user") {
    const { count } = await lockEnabledUser(tx.manager, tx.actor.id);
    if (count === 0) throw new DomainError("unauthenticated", "This user can no longer log in.");
  }
  const store = await lockStore(tx.manager, storeId);
  const key = await askingKey(tx, storeId);
  return {
    store,
    key,
    creatorId: key === null ? await askingOwner(tx, storeId) : key.createdByUserId,
  };
}

async function askingKey(tx: Tx, storeId: string): Promise<ApiKey | null> {
  const { actor } = tx;
  if (actor.kind !== "key" || actor.id === null) return null;
  const key = ifAuthentic(tx, ApiKey, await tx.manager.findOneBy(ApiKey, { id: actor.id, storeId }));
  if (key === null) throw new DomainError("unauthenticated", "This API key has been deleted.");
  return key;
}

async function askingOwner(tx: Tx, storeId: string): Promise<string | null> {
  const { actor } = tx;
  if (actor.kind !== "user" || actor.id === null) return null;
  const { id } = actor;
  const owned = await findAuthentic(tx, StoreMember, { storeId, userId: id, role: "owner" });
  if (owned.length === 0 && !(await isOperator(tx)))
    throw new DomainError("store-mismatch", "You are no longer an owner of this store.");
  return actor.id;
}

export async function countMade(
  manager: EntityManager,
  userIds: readonly string[],
  storeId: string | null,
): Promise<ReadonlyMap<string, Made>> {
  const { rows } = await countMadeBy(manager, userIds, storeId);
  return new Map(rows.map(({ userId, apiKeys, webhooks }) => [userId, { apiKeys, webhooks }]));
}

/** In one store, or in all, and recursively. Each deletion is audited. */
export async function dropMade(
  tx: Tx,
  { userId, storeId }: { userId: string; storeId: string | null },
): Promise<Made> {
  // Locked first, then read: rows that are being written meanwhile are found.
  const { rows: stores } = await lockStoresOfCreator(tx.manager, userId, storeId);
  const made = { apiKeys: 0, webhooks: 0 };
  for (const store of stores) {
    const theirs = { storeId: store.id, createdByUserId: userId };
    const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
    const keys = ids(await tx.manager.findBy(ApiKey, theirs));
    const webhooks = ids(await tx.manager.findBy(Webhook, { ...theirs, deletedAt: IsNull() }));
    made.apiKeys += (await dropKeys(tx, store.id, keys, { of: userId })).length;
    made.webhooks += await dropWebhooks(tx, store.id, webhooks, { of: userId });
  }
  return made;
}

/** For a store's owner in the dashboard. API keys do not see people's addresses. */
export async function emailsOfCreators(
  { actor, db: { manager } }: CommandContext,
  role: StoreRole,
  rows: readonly { createdByUserId: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(rows.flatMap(({ createdByUserId }) => createdByUserId ?? []))];
  if (actor.kind !== "user" || role !== "owner" || ids.length === 0) return new Map();
  const users = await manager.find(User, { select: { id: true, email: true }, where: { id: In(ids) } });
  return new Map(users.map(({ id, email }) => [id, email]));
}
