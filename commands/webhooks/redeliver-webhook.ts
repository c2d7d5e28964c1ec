import { DomainError } from "../../domain/errors";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { CommandContext } from "../context";
import { type DeliveryFilter, matching } from "./list-deliveries";
import { wakeWebhooks } from "./next-deliveries";
import { approveAgain, BODY_IS_KEPT, IS_OVER, TO_PRESENT_WEBHOOKS } from "./queries";
import { notifyChanges } from "../server/notify-changes";

/** The scope; without `webhookId` all of the store's webhooks. */
export interface RedeliverScope {
  storeId: string;
  webhookId?: string | undefined;
}

/**
 * Redelivers one delivery by hand: from delivered, failed or skipped, also when the webhook is disabled or deleted.
 * @throws DomainError `delivery-not-found`, `delivery-in-progress`, `pruned`.
 */
export async function redeliverWebhook(
  ctx: CommandContext,
  { storeId, webhookId, deliveryId }: RedeliverScope & { deliveryId: string },
): Promise<void> {
  const where = { id: deliveryId, storeId, ...(webhookId === undefined ? {} : { webhookId }) };
  if (!(await ctx.db.manager.existsBy(WebhookDelivery, where)))
    throw new DomainError("delivery-not-found", "Delivery not found.");
  const {
    rows: [approved],
  } = await approveAgain(ctx.db.manager, deliveryId);
  if (approved === undefined) throw await refusal(ctx, deliveryId);
  const { attempt, webhookId: sentTo, invoiceId } = approved;
  await notifyChanges(ctx.db.manager, [
    { topic: "deliveries", storeId, invoiceId, webhookId: sentTo, deliveryId },
  ]);
  await ctx.enqueue("webhook-delivery", [{ deliveryId, attempt }]);
}

async function refusal(ctx: CommandContext, deliveryId: string): Promise<DomainError> {
  const { state } = await ctx.db.manager.findOneByOrFail(WebhookDelivery, { id: deliveryId });
  return state === "pending" || state === "sending"
    ? new DomainError(
        "delivery-in-progress",
        "This delivery is pending or being sent. Check it again in a moment.",
      )
    : new DomainError(
        "pruned",
        "The body of this delivery is no longer stored, so it cannot be redelivered.",
      );
}

/**
 * Redelivers many deliveries by hand: those that match, by default the failed ones. Those in progress or pruned are
 * left out, and so are those of deleted webhooks that are not named. They are sent within each endpoint's limit.
 * Returns how many.
 */
export async function redeliverWebhooks(
  ctx: CommandContext,
  { storeId, webhookId }: RedeliverScope,
  { state = "failed", ...filter }: DeliveryFilter,
): Promise<number> {
  const ofStore = ctx.db
    .createQueryBuilder(WebhookDelivery, "delivery")
    .select("delivery.id")
    .where("delivery.storeId = :storeId", { storeId })
    .andWhere(IS_OVER)
    .andWhere(BODY_IS_KEPT)
    .orderBy("delivery.id") // two of these at once lock the rows in one order
    .setLock("pessimistic_write");
  if (webhookId !== undefined) ofStore.andWhere("delivery.webhookId = :webhookId", { webhookId });
  else ofStore.andWhere(TO_PRESENT_WEBHOOKS);
  const chosen = matching(ofStore, { state, ...filter });
  const approved = await ctx.db
    .createQueryBuilder()
    .update(WebhookDelivery)
    .set({ state: "pending", requestedAttempt: () => "requested_attempt + 1", retryAt: null })
    .where(`id IN (${chosen.getQuery()})`)
    .setParameters(chosen.getParameters())
    .returning(["webhookId"])
    .execute();
  const rows = approved.raw as { webhook_id: string }[];
  const webhookIds = [...new Set(rows.map((row) => row.webhook_id))];
  await notifyChanges(
    ctx.db.manager,
    webhookIds.map((id) => ({ topic: "webhooks", storeId, webhookId: id })),
  );
  await wakeWebhooks(ctx, webhookIds);
  return rows.length;
}
