import { In, type SelectQueryBuilder } from "typeorm";
import { DomainError } from "../../domain/errors";
import type { EventType } from "../../domain/invoice/status";
import { isPublicAddress } from "../../domain/webhook/address";
import { type ShownState, shownState } from "../../domain/webhook/claim";
import { Invoice } from "../../entities/invoice";
import { InvoiceEvent } from "../../entities/invoice-event";
import { Webhook } from "../../entities/webhook";
import { WebhookAttempt } from "../../entities/webhook-attempt";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { CommandContext } from "../context";
import { webhookNotFound } from "./list-webhooks";
import { hasManyEvents, OF_TYPE, WAITS } from "./queries";
import { readTimeSpan } from "../../database/rows";
import { readPage, type Page, type PageRequest } from "../../database/pagination";

export interface DeliveryFilter {
  state?: ShownState | undefined;
  type?: EventType | undefined;
  invoiceId?: string | undefined;
  /** RFC 3339, inclusive; or a day in the store's time zone. */
  since?: string | undefined;
  /** RFC 3339, exclusive; or a day, which is included. */
  until?: string | undefined;
}

/** A delivery with its event. */
export interface DeliveryView {
  delivery: Omit<WebhookDelivery, "state"> & { state: ShownState };
  event: Pick<InvoiceEvent, "type" | "additionalStatus">;
}

/** Each may include 4 KiB of an answer, and there can be any number of redeliveries. */
const ATTEMPTS_SHOWN = 100;

export interface DeliveryDetail extends DeliveryView {
  /** The last hundred, oldest first. */
  attempts: WebhookAttempt[];
}

/** A store's webhook. The deliveries of a deleted one can still be read. */
export interface WebhookName {
  storeId: string;
  webhookId: string;
}

/** A webhook's deliveries, newest first. @throws DomainError `webhook-not-found`, `validation-failed` at `/cursor`. */
export async function listDeliveries(
  ctx: CommandContext,
  name: WebhookName,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<DeliveryView>> {
  await checkWebhook(ctx, name);
  const query = ctx.db
    .createQueryBuilder(WebhookDelivery, "delivery")
    .where("delivery.webhookId = :webhookId", name);
  const { type, ...others } = await withTimes(ctx, name.storeId, filter);
  if (type !== undefined) {
    const { rows } = await hasManyEvents(ctx.db.manager, name.storeId, type);
    query.andWhere(OF_TYPE[rows[0]?.many === true ? "many" : "few"], { storeId: name.storeId, type });
  }
  const { items, nextCursor } = await readPage(matching(query, others), page);
  return { items: await withEvents(ctx, items), nextCursor };
}

/** With instants instead of days. */
export async function withTimes<F extends DeliveryFilter>(
  ctx: CommandContext,
  storeId: string,
  filter: F,
): Promise<F> {
  const { from, to } = await readTimeSpan(ctx, storeId, { from: filter.since, to: filter.until });
  return { ...filter, since: from, until: to };
}

/** Restricts a query of deliveries (`delivery`) to those that match, by `withTimes`. */
export function matching(
  query: SelectQueryBuilder<WebhookDelivery>,
  { state, invoiceId, since, until }: Omit<DeliveryFilter, "type">,
): SelectQueryBuilder<WebhookDelivery> {
  if (state === "pending") query.andWhere(WAITS);
  else if (state !== undefined) query.andWhere("delivery.state = :state", { state });
  if (invoiceId !== undefined) query.andWhere("delivery.invoiceId = :invoiceId", { invoiceId });
  // Times stay text: Postgres reads their microseconds, which a Date would cut.
  if (since !== undefined) query.andWhere("delivery.createdAt >= CAST(:since AS timestamptz)", { since });
  if (until !== undefined) query.andWhere("delivery.createdAt < CAST(:until AS timestamptz)", { until });
  return query;
}

/** An invoice normally has no more: each state has one event. Deliveries beyond this are not shown here. */
const OF_INVOICE = 200;

/** An invoice's deliveries to all webhooks, in the order of its events. @throws DomainError `invoice-not-found`. */
export async function listInvoiceDeliveries(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<DeliveryView[]> {
  if (!(await ctx.db.manager.existsBy(Invoice, { id: invoiceId, storeId })))
    throw new DomainError("invoice-not-found", "Invoice not found in this store.");
  const deliveries = await ctx.db.manager.find(WebhookDelivery, {
    where: { invoiceId, storeId },
    order: { eventSeq: "ASC", part: "ASC", id: "ASC" },
    take: OF_INVOICE,
  });
  return withEvents(ctx, deliveries);
}

/** @throws DomainError `webhook-not-found`, `delivery-not-found`. */
export async function readDelivery(
  ctx: CommandContext,
  { storeId, webhookId, deliveryId }: WebhookName & { deliveryId: string },
): Promise<DeliveryDetail> {
  await checkWebhook(ctx, { storeId, webhookId });
  const delivery = await ctx.db.manager.findOneBy(WebhookDelivery, { id: deliveryId, webhookId, storeId });
  const [view] = delivery === null ? [] : await withEvents(ctx, [delivery]);
  if (view === undefined) throw new DomainError("delivery-not-found", "Delivery not found for this webhook.");
  const attempts = await ctx.db.manager.find(WebhookAttempt, {
    where: { deliveryId },
    order: { number: "DESC" },
    take: ATTEMPTS_SHOWN,
  });
  attempts.reverse();
  for (const attempt of attempts)
    if (!mayBeShown(ctx, attempt)) Object.assign(attempt, { responseBody: null, resolvedIp: null });
  return { ...view, attempts };
}

/**
 * Answers from the operator's own network are not shown to merchants: a webhook must not become a window into it. On
 * regtest the receiver is the developer's own.
 */
function mayBeShown({ settings }: CommandContext, { resolvedIp }: WebhookAttempt): boolean {
  return settings.network === "regtest" || (resolvedIp !== null && isPublicAddress(resolvedIp));
}

/** Finds deleted ones too. @throws DomainError `webhook-not-found` */
export async function checkWebhook(ctx: CommandContext, { storeId, webhookId }: WebhookName): Promise<void> {
  if (!(await ctx.db.manager.existsBy(Webhook, { id: webhookId, storeId }))) throw webhookNotFound();
}

async function withEvents(
  ctx: CommandContext,
  deliveries: readonly WebhookDelivery[],
): Promise<DeliveryView[]> {
  const events = await ctx.db.manager.find(InvoiceEvent, {
    select: { id: true, type: true, additionalStatus: true },
    where: { id: In(deliveries.map(({ eventId }) => eventId)) },
  });
  const byId = new Map(events.map((event) => [event.id, event]));
  return deliveries.flatMap((delivery) => {
    const event = byId.get(delivery.eventId);
    return event === undefined
      ? []
      : [{ delivery: { ...delivery, state: shownState(delivery.state) }, event }];
  });
}
