import type { CommandContext } from "./context";
import { webhookNotFound } from "./list-webhooks";
import { tellChanges } from "./tell-change";
import { writeAudit } from "./write-audit";

/**
 * Deletes a webhook: nothing is sent to it by itself any more. Its row stays, so that its deliveries can still be read
 * and sent by hand.
 * @throws DomainError `webhook-not-found`, also for one that is deleted already.
 */
export async function deleteWebhook(ctx: CommandContext, storeId: string, webhookId: string): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE webhooks SET deleted_at = clock_timestamp(), enabled = false
        WHERE id = $1 AND store_id = $2 AND deleted_at IS NULL`,
      [webhookId, storeId],
    );
    if (count === 0) throw webhookNotFound();
    await writeAudit(manager, ctx, { action: "webhook.deleted", storeId, subject: webhookId });
    await tellChanges(manager, [{ topic: "webhooks", storeId, webhookId }]);
  });
}
