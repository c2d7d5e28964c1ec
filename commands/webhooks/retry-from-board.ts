import { IsNull, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import { HELD_AFTER_RESTORE } from "../../domain/webhook/claim";
import { Webhook } from "../../entities/webhook";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { CommandContext } from "../context";
import { approve } from "./redeliver-webhook";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

/**
 * Redelivers by hand what a person chose on the queues' board, and records who did; its job runs when the delivery is
 * released. With `onlyFailed` it does nothing for a delivery that is gone, is not marked failed, or whose webhook was
 * deleted: the person did not request it by name. Returns whether it was requested.
 * @throws DomainError `delivery-not-found`, `pruned`, `delivery-in-progress` (a job that failed before its attempt began is
 * run again by the sweep).
 */
export async function retryFromBoard(
  ctx: CommandContext,
  deliveryId: string,
  { onlyFailed = false } = {},
): Promise<boolean> {
  const delivery = await ctx.db.manager.findOneBy(WebhookDelivery, { id: deliveryId });
  if (onlyFailed && !(await isMeant(ctx.db.manager, delivery))) return false;
  if (delivery === null) throw new DomainError("delivery-not-found", "Delivery not found.");
  const { storeId, webhookId, attemptCount } = delivery;
  await inTransaction(ctx, async (tx) => {
    await writeAudit(tx, {
      action: "delivery.retry-asked",
      storeId,
      subject: deliveryId,
      details: { webhookId, attemptCount },
    });
    await approve(tx, deliveryId);
  });
  return true;
}

/** The same selection as when many are redelivered by the API (`redeliverWebhooks`), without what a restore holds. */
async function isMeant(manager: EntityManager, delivery: WebhookDelivery | null): Promise<boolean> {
  if (delivery?.state !== "failed" || delivery.error === HELD_AFTER_RESTORE) return false;
  return manager.existsBy(Webhook, { id: delivery.webhookId, deletedAt: IsNull() });
}
