import { type EntityManager, In, IsNull } from "typeorm";
import type { EmittedEvent } from "../domain/invoice/facts";
import { eventBody } from "../domain/webhook/body";
import type { Invoice } from "../entities/invoice";
import { Webhook } from "../entities/webhook";
import type { CommandContext } from "./context";
import { tellChanges } from "./tell-change";

/** What an invoice tells. */
export interface Told {
  invoice: Pick<Invoice, "id" | "storeId" | "metadata">;
  event: EmittedEvent;
}

export interface NewDelivery {
  deliveryId: string;
  webhookId: string;
  invoiceId: string;
}

/**
 * Writes events, in this order, and of each a delivery for each webhook that is subscribed now, in the transaction of the
 * states that they tell: there is never one without the other; and tells who watches. Answers the deliveries, to be
 * enqueued after the commit.
 */
export async function writeEvents(
  manager: EntityManager,
  ctx: CommandContext,
  told: readonly Told[],
  now: Date,
): Promise<NewDelivery[]> {
  if (told.length === 0) return [];
  const events = told.map((each) => ({ ...each, eventId: ctx.newId("evt") }));
  const seqOf = await insertEvents(manager, events, now);
  const webhooksOf = await subscribed(manager, [...new Set(told.map(({ invoice }) => invoice.storeId))]);
  return writeDeliveries(
    manager,
    ctx,
    events.map(({ eventId, invoice, event }) => ({
      eventId,
      eventSeq: seqOf.get(eventId) ?? "",
      invoice,
      webhookIds: webhooksOf(invoice.storeId, event.type).map(({ id }) => id),
    })),
    now,
  );
}

/** An event that was written, and who is subscribed to it. */
export interface WrittenEvent {
  eventId: string;
  eventSeq: string;
  invoice: Pick<Invoice, "id" | "storeId">;
  webhookIds: readonly string[];
}

/** The deliveries of events that the same transaction has written; and tells who watches. */
export async function writeDeliveries(
  manager: EntityManager,
  ctx: CommandContext,
  events: readonly WrittenEvent[],
  now: Date,
): Promise<NewDelivery[]> {
  const deliveries = events.flatMap(({ eventId, eventSeq, invoice, webhookIds }) =>
    webhookIds.map((webhookId) => ({
      deliveryId: ctx.newId("whd"),
      eventId,
      eventSeq,
      webhookId,
      storeId: invoice.storeId,
      invoiceId: invoice.id,
    })),
  );
  await insertDeliveries(manager, deliveries, now);
  await tellChanges(manager, [
    ...events.map(({ invoice: { id: invoiceId, storeId } }) => ({
      topic: "invoices" as const,
      storeId,
      invoiceId,
    })),
    ...deliveries.map(({ storeId, invoiceId, webhookId, deliveryId }) => ({
      topic: "deliveries" as const,
      storeId,
      invoiceId,
      webhookId,
      deliveryId,
    })),
  ]);
  return deliveries;
}

/** Answers each event's place. */
async function insertEvents(
  manager: EntityManager,
  events: readonly (Told & { eventId: string })[],
  now: Date,
): Promise<Map<string, string>> {
  const columns = events.map(({ eventId, invoice, event }) => {
    const { type, additionalStatus, round, byHand } = event;
    const { id: invoiceId, storeId, metadata } = invoice;
    const body = eventBody({ type, invoiceId, metadata, additionalStatus });
    return [eventId, storeId, invoiceId, type, additionalStatus, round, byHand, body] as const;
  });
  const rows = await manager.query<{ id: string; seq: string }[]>(
    `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, round, by_hand, body, created_at)
     SELECT id, store_id, invoice_id, type, additional_status, round, by_hand, body, $9::timestamptz
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::boolean[], $8::bytea[])
            WITH ORDINALITY
         AS event (id, store_id, invoice_id, type, additional_status, round, by_hand, body, number)
      ORDER BY number RETURNING id, seq`,
    [...Array.from({ length: 8 }, (_, at) => columns.map((row) => row[at])), now],
  );
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}

/** A disabled webhook is subscribed too: its delivery is recorded as skipped when it is due, and can be sent by hand. */
async function subscribed(
  manager: EntityManager,
  storeIds: readonly string[],
): Promise<(storeId: string, type: EmittedEvent["type"]) => Webhook[]> {
  const webhooks = await manager.find(Webhook, {
    select: { id: true, storeId: true, events: true },
    where: { storeId: In(storeIds), deletedAt: IsNull() },
  });
  return (storeId, type) =>
    webhooks.filter((webhook) => webhook.storeId === storeId && webhook.events.includes(type));
}

async function insertDeliveries(
  manager: EntityManager,
  deliveries: readonly (NewDelivery & {
    eventId: string;
    eventSeq: string;
    storeId: string;
  })[],
  now: Date,
): Promise<void> {
  if (deliveries.length === 0) return;
  await manager.query(
    `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at)
     SELECT *, $7::timestamptz FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])`,
    [
      deliveries.map(({ deliveryId }) => deliveryId),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ eventSeq }) => eventSeq),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ storeId }) => storeId),
      deliveries.map(({ invoiceId }) => invoiceId),
      now,
    ],
  );
}
