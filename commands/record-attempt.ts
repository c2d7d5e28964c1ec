import type { EntityManager } from "typeorm";
import { FAILING_STREAK } from "../domain/webhook/claim";
import type { ClaimedAttempt } from "./claim-attempt";
import type { CommandContext } from "./context";
import type { WebhookAnswer } from "./ports";
import { queryPrepared } from "./query-prepared";
import { raiseAlert, resolveAlert } from "./raise-alert";
import { recordDelivered } from "./record-delivered";
import { tellChanges, type Change } from "./tell-change";

/**
 * Writes what became of an attempt. Only its own row is decided by it, and only while that says nothing better: a late
 * answer replaces `interrupted`. The delivery follows unless a hand has asked for the next attempt meanwhile.
 * Answers whether other deliveries of its endpoint may wait; one that is just being written looks again by itself.
 */
export async function recordAttempt(
  ctx: CommandContext,
  attempt: ClaimedAttempt,
  answer: WebhookAnswer,
): Promise<boolean> {
  if (answer.outcome === "delivered") {
    const recorded = await recordDelivered(ctx.db)({ attempt, answer });
    if (recorded.written) {
      await tellChanges(ctx.db.manager, [changeOf(attempt)]);
      return recorded.othersWait;
    }
  }
  await recordWithStreak(ctx, attempt, answer);
  return true;
}

const changeOf = ({ storeId, invoiceId, webhookId, deliveryId }: ClaimedAttempt): Change => ({
  topic: "deliveries",
  storeId,
  invoiceId,
  webhookId,
  deliveryId,
});

/** Under the webhook's lock, since its failures in a row are counted and told. */
async function recordWithStreak(
  ctx: CommandContext,
  attempt: ClaimedAttempt,
  answer: WebhookAnswer,
): Promise<void> {
  const { deliveryId, number, webhookId } = attempt;
  await ctx.db.transaction(async (manager) => {
    const streak = await lockStreak(manager, webhookId, deliveryId);
    const { outcome, httpStatus, error, durationMs, responseBody, resolvedIp } = answer;
    const [attempted] = await queryPrepared(
      manager,
      `WITH attempt AS (
         UPDATE webhook_attempts SET state = $3, http_status = $4, error = $5, duration_ms = $6, response_body = $7,
                resolved_ip = $8
          WHERE delivery_id = $1 AND number = $2 AND (state = 'sending' OR (state = 'failed' AND error = 'interrupted'))
          RETURNING delivery_id),
       delivery AS (
         UPDATE webhook_deliveries SET state = $3, http_status = $4, error = $5, duration_ms = $6
          WHERE id = (SELECT delivery_id FROM attempt) AND requested_attempt = $2)
       SELECT 1 FROM attempt`,
      [deliveryId, number, outcome, httpStatus, error, durationMs, responseBody, resolvedIp],
    );
    if (attempted === undefined) return;
    await countStreak(ctx, manager, attempt, streak, outcome);
    await tellChanges(manager, [changeOf(attempt)]);
  });
}

/** Locks the webhook, then the delivery, and answers the webhook's failures in a row. */
async function lockStreak(manager: EntityManager, webhookId: string, deliveryId: string): Promise<number> {
  const [webhook] = await queryPrepared<{ failureStreak: number }>(
    manager,
    `WITH webhook AS MATERIALIZED (SELECT id, failure_streak FROM webhooks WHERE id = $1 FOR NO KEY UPDATE),
          delivery AS MATERIALIZED (SELECT 1 FROM webhook_deliveries
                                     WHERE id = $2 AND webhook_id = (SELECT id FROM webhook) FOR NO KEY UPDATE)
     SELECT failure_streak AS "failureStreak", (SELECT count(*) FROM delivery) FROM webhook`,
    [webhookId, deliveryId],
  );
  return webhook?.failureStreak ?? 0;
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
