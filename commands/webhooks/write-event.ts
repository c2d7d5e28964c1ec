import type { EntityManager } from "typeorm";
import { insertRows, jsonRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
import { groupBy } from "../../domain/group-by";
import type { EmittedEvent } from "../../domain/invoice/facts";
import { eventBody } from "../../domain/webhook/body";
import { type EventCircumstances, partsOf, subscribedParts } from "../../domain/webhook/dialect";
import type { Invoice } from "../../entities/invoice";
import { InvoiceEvent } from "../../entities/invoice-event";
import { type Change, notifyChanges } from "../server/notify-changes";
import { type DeliveryRow, insertDeliveries, type Subscriber } from "./queries";
import type { Tx } from "../transaction";
import { releaseWritten } from "./release";

/** An invoice's event before it is written. */
export interface NewEvent {
  invoice: Pick<Invoice, "id" | "storeId" | "metadata">;
  event: EmittedEvent;
  /** Sent to shop plugins beside it; read only where one is subscribed. */
  circumstances: () => Promise<EventCircumstances>;
}

/** Rows in one statement. */
const CHUNK = 1_000;
/**
 * Up to this many deliveries each is notified; beyond that only their webhooks, since all notifications of a
 * transaction stay in memory until its commit.
 */
const NOTIFIED_EACH = 1_000;

/**
 * Writes events, in this order, and for each a delivery per subscribed webhook (to a shop plugin's as many as it has
 * parts there), in the transaction of their states: there is never one without the other. They are released, and
 * watchers notified, after the commit.
 */
export async function writeEvents(
  tx: Tx,
  newEvents: readonly NewEvent[],
  subscribers: readonly Subscriber[],
): Promise<void> {
  if (newEvents.length === 0) return;
  const now = await tx.now();
  const ofStore = groupBy(subscribers, ({ storeId }) => storeId);
  const events = newEvents.map((each) => ({ ...each, eventId: tx.newId("evt") }));
  const deliveries: DeliveryRow[] = [];
  for (const each of events)
    for (const row of await deliveriesOf(each, ofStore.get(each.invoice.storeId) ?? []))
      deliveries.push({ id: tx.newId("whd"), ...row });
  await pipelined(writeRows(tx.manager, events, now), writeDeliveries(tx.manager, deliveries, now));
  tx.after(notifyChanges, [
    ...newEvents.map(({ invoice: { id: invoiceId, storeId } }) => ({
      topic: "invoices" as const,
      storeId,
      invoiceId,
    })),
    ...changesOf(deliveries),
  ]);
  const webhookIds = [...new Set(deliveries.map(({ webhookId }) => webhookId))];
  tx.after(
    releaseWritten,
    webhookIds.map((webhookId) => ({ webhookId, at: now })),
  );
}

function changesOf(deliveries: readonly DeliveryRow[]): Change[] {
  if (deliveries.length <= NOTIFIED_EACH)
    return deliveries.map(({ storeId, invoiceId, webhookId, id: deliveryId }) => ({
      topic: "deliveries",
      storeId,
      invoiceId,
      webhookId,
      deliveryId,
    }));
  const storeOf = new Map(deliveries.map(({ webhookId, storeId }) => [webhookId, storeId]));
  return [...storeOf].map(([webhookId, storeId]) => ({ topic: "webhooks", storeId, webhookId }));
}

type WrittenEvent = NewEvent & { eventId: string };

async function writeRows(
  manager: EntityManager,
  events: readonly WrittenEvent[],
  createdAt: Date,
): Promise<void> {
  const rows = events.map(({ eventId, invoice: { id: invoiceId, storeId, metadata }, event }) => {
    const { type, additionalStatus, round, byHand } = event;
    const body = eventBody({ type, invoiceId, metadata, additionalStatus });
    return { id: eventId, storeId, invoiceId, type, additionalStatus, round, byHand, body, createdAt };
  });
  await insertRows(manager, { into: InvoiceEvent, rows });
}

async function writeDeliveries(
  manager: EntityManager,
  deliveries: readonly DeliveryRow[],
  createdAt: Date,
): Promise<void> {
  for (let at = 0; at < deliveries.length; at += CHUNK)
    await insertDeliveries(manager, jsonRows(deliveries.slice(at, at + CHUNK)), createdAt);
}

/** A native webhook is sent the event as it is. */
async function deliveriesOf(
  { eventId, invoice: { id: invoiceId, storeId }, event, circumstances }: WrittenEvent,
  subscribers: readonly Subscriber[],
): Promise<Omit<DeliveryRow, "id">[]> {
  const ofPlugins = subscribers.some(({ dialect }) => dialect !== "native")
    ? partsOf(event, await circumstances())
    : [];
  return subscribers.flatMap(({ id: webhookId, dialect, events, specificEvents }) => {
    const native = events.includes(event.type) ? [null] : [];
    const parts = dialect === "native" ? native : subscribedParts(ofPlugins, specificEvents);
    return parts.map((content, part) => ({
      eventId,
      webhookId,
      storeId,
      invoiceId,
      byHand: event.byHand,
      part,
      dialectType: content?.type ?? null,
      dialectFields: content?.fields ?? null,
    }));
  });
}
