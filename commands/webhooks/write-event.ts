import type { EntityManager } from "typeorm";
import { pipelined } from "../../database/pipelined";
import { groupBy } from "../../domain/group-by";
import type { EmittedEvent } from "../../domain/invoice/facts";
import { eventBody } from "../../domain/webhook/body";
import type { Invoice } from "../../entities/invoice";
import type { CommandContext } from "../context";
import { type Change, notifyChanges } from "../server/notify-changes";
import { insertDeliveries, insertEvents, readSubscribers } from "./queries";

/** An invoice's event before it is written. */
export interface NewEvent {
  invoice: Pick<Invoice, "id" | "storeId" | "metadata">;
  event: EmittedEvent;
}

export interface NewDelivery {
  deliveryId: string;
  webhookId: string;
  invoiceId: string;
  /** Its endpoint's last attempt succeeded. */
  proven: boolean;
}

/** Rows of one statement. */
const CHUNK = 1_000;
/**
 * Deliveries up to which each is notified; beyond, only their webhooks: everything of a transaction waits in memory
 * for its commit.
 */
const TOLD_EACH = 1_000;

/**
 * Writes events, in this order, and for each a delivery per subscribed webhook, in the transaction of their states:
 * there is never one without the other; and notifies watchers. Returns the deliveries, to be enqueued after the
 * commit.
 */
export async function writeEvents(
  manager: EntityManager,
  ctx: CommandContext,
  told: readonly NewEvent[],
  now: Date,
): Promise<NewDelivery[]> {
  if (told.length === 0) return [];
  const events = told.map((each) => ({ ...each, eventId: ctx.newId("evt") }));
  const [seqOf, webhooksOf] = await pipelined(
    writeRows(manager, events, now),
    subscribed(manager, [...new Set(told.map(({ invoice }) => invoice.storeId))]),
  );
  const deliveries = events.flatMap(({ eventId, invoice: { id: invoiceId, storeId }, event }) =>
    webhooksOf(storeId, event.type).map(({ id: webhookId, proven }) => ({
      deliveryId: ctx.newId("whd"),
      eventId,
      eventSeq: seqOf.get(eventId) ?? "",
      webhookId,
      storeId,
      invoiceId,
      proven,
    })),
  );
  for (let at = 0; at < deliveries.length; at += CHUNK)
    await writeChunk(manager, deliveries.slice(at, at + CHUNK), now);
  await notifyChanges(manager, [
    ...told.map(({ invoice: { id: invoiceId, storeId } }) => ({
      topic: "invoices" as const,
      storeId,
      invoiceId,
    })),
    ...changesOf(deliveries),
  ]);
  return deliveries;
}

function changesOf(deliveries: readonly (NewDelivery & { storeId: string })[]): Change[] {
  if (deliveries.length <= TOLD_EACH)
    return deliveries.map(({ storeId, invoiceId, webhookId, deliveryId }) => ({
      topic: "deliveries",
      storeId,
      invoiceId,
      webhookId,
      deliveryId,
    }));
  const storeOf = new Map(deliveries.map(({ webhookId, storeId }) => [webhookId, storeId]));
  return [...storeOf].map(([webhookId, storeId]) => ({ topic: "webhooks", storeId, webhookId }));
}

/** Returns each event's place. */
async function writeRows(
  manager: EntityManager,
  events: readonly (NewEvent & { eventId: string })[],
  now: Date,
): Promise<Map<string, string>> {
  const { rows } = await insertEvents(
    manager,
    events.map(({ eventId }) => eventId),
    events.map(({ invoice }) => invoice.storeId),
    events.map(({ invoice }) => invoice.id),
    events.map(({ event }) => event.type),
    events.map(({ event }) => event.additionalStatus),
    events.map(({ event }) => event.round),
    events.map(({ event }) => event.byHand),
    events.map(({ invoice: { id: invoiceId, metadata }, event: { type, additionalStatus } }) =>
      eventBody({ type, invoiceId, metadata, additionalStatus }),
    ),
    now,
  );
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}

async function subscribed(
  manager: EntityManager,
  storeIds: readonly string[],
): Promise<(storeId: string, type: EmittedEvent["type"]) => { id: string; proven: boolean }[]> {
  const { rows: webhooks } = await readSubscribers(manager, storeIds);
  const byStore = groupBy(webhooks, ({ storeId }) => storeId);
  return (storeId, type) => (byStore.get(storeId) ?? []).filter(({ events }) => events.includes(type));
}

async function writeChunk(
  manager: EntityManager,
  deliveries: readonly (NewDelivery & {
    eventId: string;
    eventSeq: string;
    storeId: string;
  })[],
  now: Date,
): Promise<void> {
  await insertDeliveries(
    manager,
    deliveries.map(({ deliveryId }) => deliveryId),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ eventSeq }) => eventSeq),
    deliveries.map(({ webhookId }) => webhookId),
    deliveries.map(({ storeId }) => storeId),
    deliveries.map(({ invoiceId }) => invoiceId),
    now,
  );
}
