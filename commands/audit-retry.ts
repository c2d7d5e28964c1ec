import { DomainError } from "../domain/errors";
import { WebhookDelivery } from "../entities/webhook-delivery";
import type { CommandContext } from "./context";
import { writeAudit } from "./write-audit";

/**
 * Notes that a person asked on the queues' board to send a delivery again, before the job runs again: a note without an
 * attempt does no harm, an attempt without a note would.
 * @throws DomainError `delivery-not-found`.
 */
export async function auditRetry(ctx: CommandContext, deliveryId: string): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    const delivery = await manager.findOneBy(WebhookDelivery, { id: deliveryId });
    if (delivery === null) throw new DomainError("delivery-not-found", "There is no such delivery.");
    await writeAudit(manager, ctx, {
      action: "delivery.retry-asked",
      storeId: delivery.storeId,
      subject: deliveryId,
      details: { webhookId: delivery.webhookId, attemptCount: delivery.attemptCount },
    });
  });
}
