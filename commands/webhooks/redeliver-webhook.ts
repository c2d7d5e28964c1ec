import { type EntityManager, IsNull, type SelectQueryBuilder } from "typeorm";
import { limitConcurrency } from "../../database/limit-concurrency";
import { perDatabase } from "../../database/batch";
import { DomainError } from "../../domain/errors";
import { shownState } from "../../domain/webhook/claim";
import { Webhook } from "../../entities/webhook";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { CommandContext } from "../context";
import { type DeliveryFilter, matching, type WebhookName, withTimes } from "./list-deliveries";
import { approveAgain, approveAll, type OverState } from "./queries";
import { releaseDeliveries } from "./release";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction, type Tx } from "../transaction";

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
  await inTransaction(ctx, (tx) => approve(tx, deliveryId));
}

/** Requests the next attempt. @throws DomainError `delivery-in-progress`, `pruned`. */
export async function approve(tx: Tx, deliveryId: string): Promise<void> {
  const {
    rows: [approved],
  } = await approveAgain(tx.manager, deliveryId);
  if (approved === undefined) throw await refusal(tx.manager, deliveryId);
  const { storeId, invoiceId, webhookId } = approved;
  tx.after(notifyChanges, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
  tx.after(releaseDeliveries, [webhookId]);
}

async function refusal(manager: EntityManager, deliveryId: string): Promise<DomainError> {
  const { state } = await manager.findOneByOrFail(WebhookDelivery, { id: deliveryId });
  return shownState(state) === "pending" || state === "sending"
    ? new DomainError(
        "delivery-in-progress",
        "This delivery is pending or being sent. Check it again in a moment.",
      )
    : new DomainError(
        "pruned",
        "The body of this delivery is no longer stored, so it cannot be redelivered.",
      );
}

/** Deliveries in one transaction: a statement is far from its time limit, and their rows are locked for a moment. */
const CHUNK = 2_000;
/** Chunks of all stores, so that however many redeliver at once, the pool's other connections stay free. */
const CHUNKS_AT_ONCE = 2;
const inTurnOf = perDatabase(() => limitConcurrency(CHUNKS_AT_ONCE));

/**
 * Redelivers many deliveries by hand: those that match, by default the failed ones. Those in progress or pruned are
 * left out, and so are those of deleted webhooks that are not named. They are sent within each endpoint's limit.
 * Returns how many. Each chunk is committed by itself: if this ends before the last one, those before it are sent.
 */
export async function redeliverWebhooks(
  ctx: CommandContext,
  { storeId, webhookId }: RedeliverScope,
  { state = "failed", ...chosen }: DeliveryFilter,
): Promise<number> {
  if (state === "pending" || state === "sending") return 0;
  const filter = await withTimes(ctx, storeId, chosen);
  let count = 0;
  for (const id of webhookId === undefined ? await presentWebhooks(ctx, storeId) : [webhookId])
    count += await redeliverOf(ctx, { storeId, webhookId: id }, { state, ...filter });
  return count;
}

async function presentWebhooks(ctx: CommandContext, storeId: string): Promise<string[]> {
  const present = await ctx.db.manager.find(Webhook, {
    select: { id: true },
    where: { storeId, deletedAt: IsNull() },
    order: { id: "ASC" },
  });
  return present.map(({ id }) => id);
}

/**
 * The oldest first, so that an invoice's events are sent in their order. A chunk ends between two times: those of one
 * decision are not separated.
 */
async function redeliverOf(
  ctx: CommandContext,
  webhook: WebhookName,
  { type, ...filter }: DeliveryFilter & { state: OverState },
): Promise<number> {
  const chosen = (): SelectQueryBuilder<WebhookDelivery> =>
    matching(
      ctx.db
        .createQueryBuilder(WebhookDelivery, "delivery")
        .where("delivery.webhookId = :webhookId", webhook)
        .andWhere("delivery.storeId = :storeId", webhook),
      filter,
    );
  let count = 0;
  for (let after: string | null = "-infinity"; after !== null;) {
    const from = after;
    after = await inTurnOf(ctx.db)(async () => {
      const { ids, last } = await readChunk(chosen, from);
      const approved = await approveAll(ctx.db.manager, ids, filter.state, type ?? null);
      count += approved.count;
      if (approved.count > 0) {
        notifyChanges(ctx, [{ topic: "webhooks", ...webhook }]);
        await releaseDeliveries(ctx, [webhook.webhookId]);
      }
      return last;
    });
  }
  return count;
}

interface Chunk {
  ids: string[];
  /** The time of its last delivery, as text, since a Date would cut its microseconds; null if no others follow. */
  last: string | null;
}

/** Whether a body is kept and its event's type are not looked up here: those that do not match are read chunk by chunk, too. */
async function readChunk(chosen: () => SelectQueryBuilder<WebhookDelivery>, after: string): Promise<Chunk> {
  const next = (): SelectQueryBuilder<WebhookDelivery> =>
    chosen().andWhere("delivery.createdAt > CAST(:after AS timestamptz)", { after });
  const end = await next()
    .select("CAST(delivery.createdAt AS text)", "last")
    .orderBy("delivery.createdAt")
    .offset(CHUNK - 1)
    .limit(1)
    .getRawOne<{ last: string }>();
  const last = end?.last ?? null;
  const rows = await next()
    .select("delivery.id", "id")
    .andWhere("delivery.createdAt <= CAST(:last AS timestamptz)", { last: last ?? "infinity" })
    .getRawMany<{ id: string }>();
  return { ids: rows.map(({ id }) => id), last };
}
