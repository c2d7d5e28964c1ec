import type { CommandContext } from "../context";
import { webhookNotFound } from "./list-webhooks";
import { dropWebhooks } from "../stores/drop-webhooks";
import { inTransaction } from "../transaction";

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
