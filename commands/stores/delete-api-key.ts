import type { EntityManager } from "typeorm";
import { ApiKey } from "../../entities/api-key";
import { lockStore } from "./change-store";
import type { CommandContext } from "../context";
import { apiKeyNotFound } from "./list-api-keys";
import { deleteKeys } from "./queries";
import { writeAudit } from "../server/write-audit";

/**
 * Deletes a key, the keys that it made, those that these made, and so on. Every process refuses them from the
 * commit on, since keys are looked up at every request.
 * @throws DomainError `store-not-found`, `api-key-not-found`.
 */
export async function deleteApiKey(ctx: CommandContext, storeId: string, keyId: string): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    // A key that is being deleted must not make another one, which would outlive it.
    await lockStore(manager, storeId);
    if ((await dropKeys(manager, ctx, storeId, [keyId], { with: keyId })) === 0) throw apiKeyNotFound();
  });
}

/**
 * Deletes a key that the user made, whatever role in its store they have now: it only takes a right away.
 * @throws DomainError `api-key-not-found`.
 */
export async function deleteOwnApiKey(ctx: CommandContext, userId: string, keyId: string): Promise<void> {
  const key = await ctx.db.manager.findOneBy(ApiKey, { id: keyId, createdByUserId: userId });
  if (key === null) throw apiKeyNotFound();
  await deleteApiKey(ctx, key.storeId, keyId);
}

/**
 * Deletes keys and those that they created, recursively; each is audited with the cause. The store must be locked.
 * Returns how many.
 */
export async function dropKeys(
  manager: EntityManager,
  ctx: CommandContext,
  storeId: string,
  keyIds: readonly string[],
  because: { with: string } | { of: string },
): Promise<number> {
  const { rows: deleted, count } = await deleteKeys(manager, keyIds, storeId);
  for (const { id: subject, name, prefix } of deleted)
    await writeAudit(manager, ctx, {
      action: "api-key.deleted",
      storeId,
      subject,
      details: { name, prefix, ...("with" in because && subject === because.with ? {} : because) },
    });
  return count;
}
