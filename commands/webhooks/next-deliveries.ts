import { batch } from "../../database/batch";
import { inTime } from "../../database/in-time";
import { perDatabase } from "../../database/per-database";
import { LINE_LENGTH } from "../../domain/webhook/claim";
import type { CommandContext } from "../context";
import type { EnqueueOptions, Jobs } from "../jobs";
import { type DueDelivery, findDue, findForgotten, requestForgottenRetries } from "./queries";
import type { NewDelivery } from "./write-event";

/** Proven endpoints come first, so that others, however many, are not read before them. */
async function enqueueDue(
  ctx: CommandContext,
  due: readonly DueDelivery[],
  options: EnqueueOptions = {},
): Promise<void> {
  const jobsOf = (each: readonly DueDelivery[]): Jobs["webhook-delivery"][] =>
    each.map(({ deliveryId, attempt }) => ({ deliveryId, attempt }));
  await Promise.all([
    ctx.enqueue("webhook-delivery", jobsOf(due.filter(({ proven }) => proven)), options),
    ctx.enqueue("webhook-delivery", jobsOf(due.filter(({ proven }) => !proven)), {
      ...options,
      unproven: true,
    }),
  ]);
}

/**
 * Enqueues the first attempts at deliveries that have just been committed. Of a webhook with more than may be queued
 * only the next ones, and of an event's parts only the first: a job for each of the others would only find that out.
 */
export async function enqueueNew(ctx: CommandContext, deliveries: readonly NewDelivery[]): Promise<void> {
  const count = new Map<string, number>();
  for (const { webhookId } of deliveries) count.set(webhookId, (count.get(webhookId) ?? 0) + 1);
  const crowded = new Set(
    [...count].filter(([, each]) => each > LINE_LENGTH).map(([webhookId]) => webhookId),
  );
  const few = deliveries.filter(({ webhookId }) => !crowded.has(webhookId));
  await enqueueDue(
    ctx,
    few
      .filter(({ part }) => part === 0)
      .map(({ deliveryId, proven }) => ({ deliveryId, attempt: 1, proven })),
    { fresh: true },
  );
  await wakeWebhooks(ctx, [...crowded]);
}

/**
 * A sample with which `enqueueNew` does the same as with all: one more than the queue allows shows that a webhook
 * has too many. For callers that write hundreds of thousands in one transaction.
 */
export function enoughToEnqueue(deliveries: readonly NewDelivery[]): NewDelivery[] {
  const count = new Map<string, number>();
  return deliveries.filter(({ webhookId }) => {
    const before = count.get(webhookId) ?? 0;
    count.set(webhookId, before + 1);
    return before <= LINE_LENGTH;
  });
}

/** Enqueues the deliveries of these webhooks that are next. Best effort, never throws: the sweep finds them too. */
export async function wakeWebhooks(ctx: CommandContext, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return;
  try {
    await wakerOf(ctx.db)({ ctx, webhookIds });
  } catch {
    ctx.log.warn(
      { webhooks: webhookIds.length },
      "webhook: waiting deliveries not enqueued, left to the sweep",
    );
  }
}

/** Deliveries that end while others are being woken share the next statement. */
const wakerOf = perDatabase(() =>
  batch<{ ctx: CommandContext; webhookIds: readonly string[] }, undefined>(async (asked) => {
    const [first] = asked;
    if (first === undefined) return [];
    const ids = [...new Set(asked.flatMap(({ webhookIds }) => webhookIds))];
    const { rows: due } = await inTime(findDue(first.ctx.db.manager, ids));
    await enqueueDue(first.ctx, due);
    return [];
  }),
);

/**
 * The sweep: enqueues deliveries that the queue lost (or never received), and that no job will wake. Returns how
 * many; enqueuing one that is already queued changes nothing.
 */
export async function sendForgottenDeliveries(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  await requestForgottenRetries(ctx.db.manager, now);
  const { rows: due } = await findForgotten(ctx.db.manager, now);
  await enqueueDue(ctx, due, { sweep: true });
  return due.length;
}
