import { FAILING_STREAK, inFlightLimit, LINE_LENGTH } from "../domain/webhook/claim";
import { gather } from "../domain/gather";
import type { CommandContext } from "./context";
import { EARLIER_IS_OPEN } from "./earlier-open";
import { inTime } from "./in-time";
import { perDatabase } from "./per-database";
import { queryPrepared } from "./query-prepared";
import type { NewDelivery } from "./write-event";

/** Younger ones have just been enqueued by whoever wrote them. */
const FORGOTTEN_AFTER_SECONDS = 3;

interface DueDelivery {
  deliveryId: string;
  attempt: number;
}

/**
 * The deliveries that could go now: of each webhook as many of the oldest as its limit leaves room for, without those
 * that wait for an earlier event of their invoice. Those behind them are woken as these end.
 */
async function dueDeliveries(
  ctx: CommandContext,
  webhooks: string,
  parameters: readonly unknown[],
): Promise<DueDelivery[]> {
  return queryPrepared<DueDelivery>(
    ctx.db.manager,
    `SELECT due.id AS "deliveryId", due.requested_attempt AS attempt
       FROM webhooks w
       CROSS JOIN LATERAL (SELECT count(*) AS n FROM webhook_attempts a
                            WHERE a.webhook_id = w.id AND a.state = 'sending') AS flight
       CROSS JOIN LATERAL (SELECT d.id, d.requested_attempt FROM webhook_deliveries d
                            WHERE d.webhook_id = w.id AND d.state = 'pending'
                              AND NOT ${EARLIER_IS_OPEN}
                            ORDER BY d.event_seq
                            LIMIT greatest(0, CASE WHEN w.failure_streak >= ${FAILING_STREAK}
                              THEN ${inFlightLimit(FAILING_STREAK)} ELSE ${inFlightLimit(0)} END - flight.n)) AS due
      WHERE ${webhooks}`,
    [...parameters],
  );
}

/**
 * Asks for the first attempts at deliveries that have just been committed. Of a webhook that got more than stand in line
 * by themselves those whose turn it is: a job for each of the others would only find that out.
 */
export async function enqueueNew(ctx: CommandContext, deliveries: readonly NewDelivery[]): Promise<void> {
  const count = new Map<string, number>();
  for (const { webhookId } of deliveries) count.set(webhookId, (count.get(webhookId) ?? 0) + 1);
  const crowded = new Set(
    [...count].filter(([, each]) => each > LINE_LENGTH).map(([webhookId]) => webhookId),
  );
  const few = deliveries.filter(({ webhookId }) => !crowded.has(webhookId));
  await ctx.enqueue(
    "webhook-delivery",
    few.map(({ deliveryId }) => ({ deliveryId, attempt: 1 })),
    { fresh: true },
  );
  await wakeWebhooks(ctx, [...crowded]);
}

/** Calls those whose turn it is at these webhooks now. Best effort, never throws: the sweep finds them too. */
export async function wakeWebhooks(ctx: CommandContext, webhookIds: readonly string[]): Promise<void> {
  try {
    await Promise.all(webhookIds.map((webhookId) => wakerOf(ctx.db)({ ctx, webhookId })));
  } catch {
    ctx.log.warn(
      { webhooks: webhookIds.length },
      "waiting deliveries could not be woken; the sweep will do it",
    );
  }
}

/** What ends while others are being woken is looked at together. */
const wakerOf = perDatabase(() =>
  gather<{ ctx: CommandContext; webhookId: string }, undefined>(async (ended) => {
    const [first] = ended;
    if (first === undefined) return [];
    const webhookIds = [...new Set(ended.map(({ webhookId }) => webhookId))];
    const due = await inTime(dueDeliveries(first.ctx, "w.id = ANY($1)", [webhookIds]));
    if (due.length > 0) await first.ctx.enqueue("webhook-delivery", due);
    return [];
  }),
);

/**
 * The sweep: puts deliveries back that the queue lost (or never got), and that nobody else will call. Returns how many
 * were asked for; asking for one that is queued already changes nothing.
 */
export async function sendForgottenDeliveries(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const due = await dueDeliveries(
    ctx,
    `w.id IN (SELECT p.webhook_id FROM webhook_deliveries p WHERE p.state = 'pending'
                AND p.created_at <= $1::timestamptz - ${FORGOTTEN_AFTER_SECONDS} * interval '1 second')`,
    [now],
  );
  if (due.length > 0) await ctx.enqueue("webhook-delivery", due, { sweep: true });
  return due.length;
}
