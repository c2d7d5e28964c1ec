import { In, IsNull } from "typeorm";
import type { KeptOrDeleted } from "../../domain/account/kept-or-deleted";
import { ApiKey } from "../../entities/api-key";
import { Webhook } from "../../entities/webhook";
import { lockStore } from "../../database/rows";
import type { CommandContext } from "../context";
import { apiKeyNotFound } from "./list-api-keys";
import { deleteKeys } from "./queries";
import { dropWebhooks } from "./drop-webhooks";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

interface DeleteApiKeyOptions {
  /** Whose present URL a deleted key set. Kept by default. */
  webhooks?: KeptOrDeleted | undefined;
}

/**
 * With the keys that it made, and so on. Refused everywhere from the commit on.
 * @throws DomainError `store-not-found`, `api-key-not-found`.
 */
export async function deleteApiKey(
  ctx: CommandContext,
  { storeId, keyId, webhooks = "keep" }: { storeId: string; keyId: string } & DeleteApiKeyOptions,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    // Meanwhile the key must not make a key or a webhook, which would outlive it.
    await lockStore(tx.manager, storeId);
    const deleted = await dropKeys(tx, storeId, [keyId], { with: keyId });
    if (deleted.length === 0) throw apiKeyNotFound();
    if (webhooks === "keep") return;
    const theirs = { storeId, urlSetByKeyId: In(deleted), deletedAt: IsNull() };
    const ids = (await tx.manager.findBy(Webhook, theirs)).map(({ id }) => id);
    await dropWebhooks(tx, storeId, ids, { with: keyId });
  });
}

/** Whatever the user's role now: it only takes a right away. @throws DomainError `api-key-not-found`. */
export async function deleteOwnApiKey(
  ctx: CommandContext,
  { userId, keyId, ...options }: { userId: string; keyId: string } & DeleteApiKeyOptions,
): Promise<void> {
  const key = await ctx.db.manager.findOneBy(ApiKey, { id: keyId, createdByUserId: userId });
  if (key === null) throw apiKeyNotFound();
  await deleteApiKey(ctx, { storeId: key.storeId, keyId, ...options });
}

/** Recursively; each is audited with the cause. The store must be locked. Returns their ids. */
export async function dropKeys(
  tx: Tx,
  storeId: string,
  keyIds: readonly string[],
  because: { with: string } | { of: string },
): Promise<string[]> {
  const { rows: deleted } = await deleteKeys(tx.manager, keyIds, storeId);
  for (const { id: subject, name, prefix } of deleted)
    await writeAudit(tx, {
      action: "api-key.deleted",
      storeId,
      subject,
      details: { name, prefix, ...("with" in because && subject === because.with ? {} : because) },
    });
  return deleted.map(({ id }) => id);
}
