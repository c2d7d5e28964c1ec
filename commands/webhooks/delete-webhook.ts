import type { CommandContext } from "../context";
import { webhookNotFound } from "./list-webhooks";
import { deleteAll, endRetries } from "./queries";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

/**
 * Deletes a webhook: nothing is sent to it automatically any more. Its row stays, so that its deliveries can still
 * be read and redelivered by hand.
 * @throws DomainError `webhook-not-found`, also if it is already deleted.
 */
export async function deleteWebhook(ctx: CommandContext, storeId: string, webhookId: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if ((await dropWebhooks(tx, storeId, [webhookId])) === 0) throw webhookNotFound();
  });
}

/** Returns how many were deleted by this call. */
export async function dropWebhooks(
  tx: Tx,
  storeId: string,
  webhookIds: readonly string[],
  because: object = {},
): Promise<number> {
  const { rows: deleted } = await deleteAll(tx.manager, webhookIds, storeId);
  await endRetries(tx.manager, webhookIds);
  for (const { id: subject } of deleted)
    await writeAudit(tx, { action: "webhook.deleted", storeId, subject, details: because });
  tx.after(
    notifyChanges,
    deleted.map(({ id: webhookId }) => ({ topic: "webhooks", storeId, webhookId })),
  );
  return deleted.length;
}
