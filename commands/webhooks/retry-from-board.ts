import { IsNull, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import { Webhook } from "../../entities/webhook";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { CommandContext } from "../context";
import { writeAudit } from "../server/write-audit";

/**
 * Records that a person requested a redelivery on the queues' board, before the job runs again: a record without an
 * attempt is harmless, an attempt without a record would not be. Returns the number that the job has to request:
 * its own count may be used already, if other jobs sent the delivery meanwhile. With `onlyFailed` it returns null
 * for a delivery that is gone, is not marked failed, or whose webhook was deleted: the person did not request it by
 * name.
 * @throws DomainError `delivery-not-found`.
 */
export async function requestRetryFromBoard(
  ctx: CommandContext,
  deliveryId: string,
  { onlyFailed = false } = {},
): Promise<number | null> {
  return ctx.db.transaction(async (manager) => {
    const delivery = await manager.findOneBy(WebhookDelivery, { id: deliveryId });
    if (onlyFailed && !(await isMeant(manager, delivery))) return null;
    if (delivery === null) throw new DomainError("delivery-not-found", "Delivery not found.");
    await writeAudit(manager, ctx, {
      action: "delivery.retry-asked",
      storeId: delivery.storeId,
      subject: deliveryId,
      details: { webhookId: delivery.webhookId, attemptCount: delivery.attemptCount },
    });
    return delivery.state === "pending" ? delivery.requestedAttempt : delivery.requestedAttempt + 1;
  });
}

/** The same selection as when many are redelivered by the API (`redeliverWebhooks`). */
async function isMeant(manager: EntityManager, delivery: WebhookDelivery | null): Promise<boolean> {
  if (delivery?.state !== "failed") return false;
  return manager.existsBy(Webhook, { id: delivery.webhookId, deletedAt: IsNull() });
}
