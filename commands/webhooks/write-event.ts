import type { EntityManager } from "typeorm";
import { insertRows, jsonRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
import { groupBy } from "../../domain/group-by";
import type { EmittedEvent } from "../../domain/invoice/facts";
import { eventBody } from "../../domain/webhook/body";
import { type EventCircumstances, type Part, partsOf, subscribedParts } from "../../domain/webhook/dialect";
import type { Invoice } from "../../entities/invoice";
import { InvoiceEvent } from "../../entities/invoice-event";
import { type Change, notifyChanges } from "../server/notify-changes";
import { type DeliveryRow, insertDeliveries, readSubscribers } from "./queries";
import type { Tx } from "../transaction";
import { releaseDeliveries } from "./release";

/** An invoice's event before it is written. */
export interface NewEvent {
  invoice: Pick<Invoice, "id" | "storeId" | "metadata">;
  event: EmittedEvent;
  /** Sent to shop plugins beside it; read only where one is subscribed. */
  circumstances: () => Promise<EventCircumstances>;
}

interface Subscriber {
  id: string;
  /** Null for the event as it is. */
  parts: Part[] | null;
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
 * parts there), in the transaction of their states:
 * there is never one without the other. They are released, and watchers notified, after the commit.
 */
export async function writeEvents(tx: Tx, newEvents: readonly NewEvent[]): Promise<void> {
  if (newEvents.length === 0) return;
  const now = await tx.now();
  const events = newEvents.map((each) => ({ ...each, eventId: tx.newId("evt") }));
  const [seqOf, webhooksOf] = await pipelined(
    writeRows(tx.manager, events, now),
    subscribed(tx.manager, [...new Set(newEvents.map(({ invoice }) => invoice.storeId))]),
  );
  const deliveries: DeliveryRow[] = [];
  for (const { eventId, ...newEvent } of events)
    for (const { id: webhookId, parts } of await webhooksOf(newEvent))
      for (const [part, content] of (parts ?? [null]).entries())
        deliveries.push({
          id: tx.newId("whd"),
          eventId,
          eventSeq: seqOf.get(eventId) ?? "",
          webhookId,
          storeId: newEvent.invoice.storeId,
          invoiceId: newEvent.invoice.id,
          byHand: newEvent.event.byHand,
          part,
          dialectType: content?.type ?? null,
          dialectFields: content?.fields ?? null,
        });
  for (let at = 0; at < deliveries.length; at += CHUNK)
    await insertDeliveries(tx.manager, jsonRows(deliveries.slice(at, at + CHUNK)), now);
  tx.after(notifyChanges, [
    ...newEvents.map(({ invoice: { id: invoiceId, storeId } }) => ({
      topic: "invoices" as const,
      storeId,
      invoiceId,
    })),
    ...changesOf(deliveries),
  ]);
  tx.after(releaseDeliveries, [...new Set(deliveries.map(({ webhookId }) => webhookId))]);
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

/** Returns the `seq` of each event. */
async function writeRows(
  manager: EntityManager,
  events: readonly (NewEvent & { eventId: string })[],
  createdAt: Date,
): Promise<Map<string, string>> {
  const rows = events.map(({ eventId, invoice: { id: invoiceId, storeId, metadata }, event }) => {
    const { type, additionalStatus, round, byHand } = event;
    const body = eventBody({ type, invoiceId, metadata, additionalStatus });
    return { id: eventId, storeId, invoiceId, type, additionalStatus, round, byHand, body, createdAt };
  });
  const written = await insertRows<{ id: string; seq: string }>(manager, {
    into: InvoiceEvent,
    rows,
    returning: ["id", "seq"],
  });
  return new Map(written.map(({ id, seq }) => [id, seq]));
}

async function subscribed(
  manager: EntityManager,
  storeIds: readonly string[],
): Promise<(newEvent: NewEvent) => Promise<Subscriber[]>> {
  const { rows: webhooks } = await readSubscribers(manager, storeIds);
  const byStore = groupBy(webhooks, ({ storeId }) => storeId);
  return async ({ invoice: { storeId }, event, circumstances }) => {
    const ofStore = byStore.get(storeId) ?? [];
    const ofPlugins = ofStore.some(({ dialect }) => dialect !== "native")
      ? partsOf(event, await circumstances())
      : [];
    return ofStore.flatMap(({ id, dialect, events, specificEvents }): Subscriber[] => {
      if (dialect === "native") return events.includes(event.type) ? [{ id, parts: null }] : [];
      return [{ id, parts: subscribedParts(ofPlugins, specificEvents) }];
    });
  };
}
