import { In, IsNull, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import type { StoreRole } from "../../domain/account/store-role";
import { ApiKey } from "../../entities/api-key";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { dropKeys } from "./delete-api-key";
import { countMadeBy, lockEnabledUser, lockStoresOfMaker } from "./queries";
import { dropWebhooks } from "../webhooks/delete-webhook";

// API keys and webhooks record their creator: a key's creations belong to the user who created the key. They
// outlive the creator's membership unless its removal says otherwise (docs/adr/0054).

/** What happens to a user's API keys and webhooks when their rights end. */
export const KEPT_OR_DELETED = ["keep", "delete"] as const;
export type KeptOrDeleted = (typeof KEPT_OR_DELETED)[number];

export interface Made {
  apiKeys: number;
  webhooks: number;
}

/**
 * Locks the calling user, before the store: a user who is being disabled can create nothing more.
 * @throws DomainError `unauthenticated`.
 */
export async function lockMaker(manager: EntityManager, { actor }: CommandContext): Promise<void> {
  if (actor.kind !== "user") return;
  const { count } = await lockEnabledUser(manager, actor.id);
  if (count === 0) throw new DomainError("unauthenticated", "This user can no longer log in.");
}

/** The key that asks, if a key does. @throws DomainError `unauthenticated` for a deleted one. */
export async function askingKey(
  manager: EntityManager,
  { actor }: CommandContext,
  storeId: string,
): Promise<ApiKey | null> {
  if (actor.kind !== "key" || actor.id === null) return null;
  const key = await manager.findOneBy(ApiKey, { id: actor.id, storeId });
  if (key === null) throw new DomainError("unauthenticated", "This API key has been deleted.");
  return key;
}

/**
 * The user behind a new object; null for the command line. The store must be locked, as it is while a member is
 * removed: otherwise an object being created would outlive the membership.
 * @throws DomainError `store-mismatch` for a user who is no longer an owner, `unauthenticated` for a deleted key.
 */
export async function makerOf(
  manager: EntityManager,
  ctx: CommandContext,
  storeId: string,
): Promise<string | null> {
  const { actor } = ctx;
  const key = await askingKey(manager, ctx, storeId);
  if (key !== null) return key.createdByUserId;
  if (actor.kind !== "user" || actor.id === null) return null;
  const owns = await manager.existsBy(StoreMember, { storeId, userId: actor.id, role: "owner" });
  if (!owns && !(await manager.existsBy(User, { id: actor.id, admin: true })))
    throw new DomainError("store-mismatch", "You are no longer an owner of this store.");
  return actor.id;
}

/** How many existing keys and webhooks each of these users made: in one store, or in all. */
export async function countMade(
  manager: EntityManager,
  userIds: readonly string[],
  storeId: string | null,
): Promise<ReadonlyMap<string, Made>> {
  const { rows } = await countMadeBy(manager, userIds, storeId);
  return new Map(rows.map(({ userId, apiKeys, webhooks }) => [userId, { apiKeys, webhooks }]));
}

/**
 * Deletes what a user has created, in one store or in all, and what their keys have created. Each deletion is
 * audited.
 */
export async function dropMade(
  manager: EntityManager,
  ctx: CommandContext,
  { userId, storeId }: { userId: string; storeId: string | null },
): Promise<Made> {
  // Locked first, then read: rows that are being written meanwhile are waited for, and found.
  const { rows: stores } = await lockStoresOfMaker(manager, userId, storeId);
  const made = { apiKeys: 0, webhooks: 0 };
  for (const store of stores) {
    const theirs = { storeId: store.id, createdByUserId: userId };
    const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
    const keys = ids(await manager.findBy(ApiKey, theirs));
    const webhooks = ids(await manager.findBy(Webhook, { ...theirs, deletedAt: IsNull() }));
    made.apiKeys += await dropKeys(manager, ctx, store.id, keys, { of: userId });
    made.webhooks += await dropWebhooks(manager, ctx, store.id, webhooks, { of: userId });
  }
  return made;
}

/**
 * The addresses of the users who created these, for a store's owner in the dashboard. API keys do not see people's
 * addresses.
 */
export async function emailsOfMakers(
  { actor, db: { manager } }: CommandContext,
  role: StoreRole,
  rows: readonly { createdByUserId: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(rows.flatMap(({ createdByUserId }) => createdByUserId ?? []))];
  if (actor.kind !== "user" || role !== "owner" || ids.length === 0) return new Map();
  const users = await manager.find(User, { select: { id: true, email: true }, where: { id: In(ids) } });
  return new Map(users.map(({ id, email }) => [id, email]));
}
