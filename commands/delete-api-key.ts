import { lockKeys } from "./api-key";
import type { CommandContext } from "./context";
import { apiKeyNotFound } from "./list-api-keys";
import { writeAudit } from "./write-audit";

/**
 * Deletes a key, those that it made, those that these made, and so on. Every process refuses them from the commit on,
 * as keys are looked up at every request.
 * @throws DomainError `store-not-found`, `api-key-not-found`.
 */
export async function deleteApiKey(ctx: CommandContext, storeId: string, keyId: string): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await lockKeys(manager, storeId);
    const [deleted] = await manager.query<[{ id: string; name: string; prefix: string }[], number]>(
      `WITH RECURSIVE doomed AS (
         SELECT id FROM api_keys WHERE id = $1 AND store_id = $2
         UNION SELECT key.id FROM api_keys key JOIN doomed ON key.created_by_key_id = doomed.id
       )
       DELETE FROM api_keys WHERE id IN (SELECT id FROM doomed) RETURNING id, name, prefix`,
      [keyId, storeId],
    );
    if (deleted.length === 0) throw apiKeyNotFound();
    for (const { id: subject, name, prefix } of deleted)
      await writeAudit(manager, ctx, {
        action: "api-key.deleted",
        storeId,
        subject,
        details: { name, prefix, ...(subject === keyId ? {} : { with: keyId }) },
      });
  });
}
