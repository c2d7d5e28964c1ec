import type { EntityManager } from "typeorm";
import { FAILING_STREAK } from "../domain/webhook/claim";
import { WebhookAttempt } from "../entities/webhook-attempt";
import { WebhookDelivery } from "../entities/webhook-delivery";
import type { ClaimedAttempt } from "./claim-attempt";
import type { CommandContext } from "./context";
import type { WebhookAnswer } from "./ports";
import { raiseAlert, resolveAlert } from "./raise-alert";
import { tellChanges } from "./tell-change";

/**
 * Writes what became of an attempt. Only its own row is decided by it, and only while that says nothing better: a late
 * answer replaces `interrupted`. The delivery follows unless a hand has asked for the next attempt meanwhile.
 */
export async function recordAttempt(
  ctx: CommandContext,
  attempt: ClaimedAttempt,
  answer: WebhookAnswer,
): Promise<void> {
  const { deliveryId, number, webhookId } = attempt;
  await ctx.db.transaction(async (manager) => {
    const streak = await lockStreak(manager, webhookId);
    await manager.query("SELECT 1 FROM webhook_deliveries WHERE id = $1 FOR NO KEY UPDATE", [deliveryId]);
    const { outcome, httpStatus, error, durationMs, responseBody, resolvedIp } = answer;
    const { affected } = await manager
      .createQueryBuilder()
      .update(WebhookAttempt)
      .set({ state: outcome, httpStatus, error, durationMs, responseBody, resolvedIp })
      .where("delivery_id = :deliveryId AND number = :number", { deliveryId, number })
      .andWhere("(state = 'sending' OR (state = 'failed' AND error = 'interrupted'))")
      .execute();
    if (affected !== 1) return;
    await manager.update(
      WebhookDelivery,
      { id: deliveryId, requestedAttempt: number },
      { state: outcome, httpStatus, error, durationMs },
    );
    await countStreak(ctx, manager, attempt, streak, outcome);
    const { storeId, invoiceId } = attempt;
    await tellChanges(manager, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
  });
}

async function lockStreak(manager: EntityManager, webhookId: string): Promise<number> {
  const rows: { failureStreak: number }[] = await manager.query(
    `SELECT failure_streak AS "failureStreak" FROM webhooks WHERE id = $1 FOR NO KEY UPDATE`,
    [webhookId],
  );
  return rows[0]?.failureStreak ?? 0;
}

async function countStreak(
  ctx: CommandContext,
  manager: EntityManager,
  { webhookId, storeId }: ClaimedAttempt,
  before: number,
  outcome: WebhookAnswer["outcome"],
): Promise<void> {
  const streak = outcome === "delivered" ? 0 : before + 1;
  if (streak !== before) {
    await manager.query("UPDATE webhooks SET failure_streak = $2 WHERE id = $1", [webhookId, streak]);
    await tellChanges(manager, [{ topic: "webhooks", storeId, webhookId }]);
  }
  if (outcome === "delivered" && before >= FAILING_STREAK)
    await resolveAlert(manager, ctx, "deliveries-failing", webhookId);
  // Once a streak: an alert that a person has closed is not opened again by the next failure.
  if (streak === FAILING_STREAK && outcome === "failed")
    await raiseAlert(manager, ctx, {
      kind: "deliveries-failing",
      severity: "warning",
      subject: webhookId,
      storeId,
      message: `${FAILING_STREAK} webhook deliveries in a row failed at webhook ${webhookId}. They are not repeated automatically: mend the endpoint, then redeliver.`,
    });
}
