import { type EntityManager, IsNull, Raw } from "typeorm";
import type { EmittedEvent } from "../domain/invoice/facts";
import { eventBody } from "../domain/webhook/body";
import type { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import { Webhook } from "../entities/webhook";
import { WebhookDelivery } from "../entities/webhook-delivery";
import type { CommandContext } from "./context";
import { tellChanges } from "./tell-change";

/**
 * Writes an event and a delivery for each webhook that is subscribed now, in the transaction of the state that it
 * tells: there is never one without the other; and tells who watches. Returns the deliveries' ids, to be enqueued after the commit.
 */
export async function writeEvent(
  manager: EntityManager,
  ctx: CommandContext,
  invoice: Invoice,
  event: EmittedEvent,
  now: Date,
): Promise<string[]> {
  const { type, additionalStatus, round, byHand } = event;
  const row = manager.create(InvoiceEvent, {
    id: ctx.newId("evt"),
    storeId: invoice.storeId,
    invoiceId: invoice.id,
    type,
    additionalStatus,
    round,
    byHand,
    body: eventBody({ type, invoiceId: invoice.id, metadata: invoice.metadata, additionalStatus }),
    createdAt: now,
  });
  await manager.insert(InvoiceEvent, row); // fills in seq
  // A disabled webhook is subscribed too: its delivery is recorded as skipped when it is due, and can be sent by hand.
  const webhooks = await manager.find(Webhook, {
    select: { id: true },
    where: {
      storeId: invoice.storeId,
      deletedAt: IsNull(),
      events: Raw((column) => `:type = ANY(${column})`, { type }),
    },
  });
  const deliveries = webhooks.map((webhook) => ({
    id: ctx.newId("whd"),
    eventId: row.id,
    eventSeq: row.seq,
    webhookId: webhook.id,
    storeId: invoice.storeId,
    invoiceId: invoice.id,
    createdAt: now,
  }));
  if (deliveries.length > 0) await manager.insert(WebhookDelivery, deliveries);
  const { storeId, id: invoiceId } = invoice;
  await tellChanges(manager, [
    { topic: "invoices", storeId, invoiceId },
    ...deliveries.map(({ id: deliveryId, webhookId }) => ({
      topic: "deliveries" as const,
      storeId,
      invoiceId,
      webhookId,
      deliveryId,
    })),
  ]);
  return deliveries.map((delivery) => delivery.id);
}
