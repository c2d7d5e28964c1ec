import type { EntityManager } from "typeorm";
import type { CommandContext } from "../context";
import { webhookNotFound } from "./list-webhooks";
import { deleteAll, endRetries } from "./queries";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";

/**
 * Deletes a webhook: nothing is sent to it automatically any more. Its row stays, so that its deliveries can still
 * be read and redelivered by hand.
 * @throws DomainError `webhook-not-found`, also if it is already deleted.
 */
export async function deleteWebhook(ctx: CommandContext, storeId: string, webhookId: string): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    if ((await dropWebhooks(manager, ctx, storeId, [webhookId])) === 0) throw webhookNotFound();
  });
}

/** Returns how many were deleted by this call. */
export async function dropWebhooks(
  manager: EntityManager,
  ctx: CommandContext,
  storeId: string,
  webhookIds: readonly string[],
  because: object = {},
): Promise<number> {
  const { rows: deleted } = await deleteAll(manager, webhookIds, storeId);
  await endRetries(manager, webhookIds);
  for (const { id: subject } of deleted)
    await writeAudit(manager, ctx, { action: "webhook.deleted", storeId, subject, details: because });
  await notifyChanges(
    manager,
    deleted.map(({ id: webhookId }) => ({ topic: "webhooks", storeId, webhookId })),
  );
  return deleted.length;
}
