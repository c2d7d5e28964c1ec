import type { EventType } from "../../domain/invoice/status";
import { eventBody } from "../../domain/webhook/body";
import { NOTHING_BEFORE, partsOf } from "../../domain/webhook/dialect";
import { InvoiceEvent } from "../../entities/invoice-event";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { CommandContext } from "../context";
import { type DeliveryDetail, readDelivery, type WebhookName } from "./list-deliveries";
import { lockWebhook } from "./list-webhooks";
import { releaseDeliveries } from "./release";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction } from "../transaction";

/** By the text between the underscores a plugin knows a test. */
const DIALECT_TEST = "inv_test__test_";

/**
 * Sends a test event to one webhook, whatever it is subscribed to: a delivery like any other, except that it has the
 * header `X-Service-Test: true`, its invoice does not exist, and it is in no feed.
 * @throws DomainError `webhook-not-found`.
 */
export async function testWebhook(
  ctx: CommandContext,
  { storeId, webhookId }: WebhookName,
  type: EventType,
): Promise<DeliveryDetail> {
  const deliveryId = ctx.newId("whd");
  const additionalStatus = "None";
  await inTransaction(ctx, async (tx) => {
    const { dialect } = await lockWebhook(tx.manager, storeId, webhookId);
    // The plugins' event that ours is about: those before it lead to it.
    const part =
      dialect === "native"
        ? undefined
        : partsOf({ type, additionalStatus, byHand: false }, NOTHING_BEFORE).at(-1);
    const invoiceId = tx.newId(part === undefined ? "inv_test" : DIALECT_TEST);
    const createdAt = await tx.now();
    const event = tx.manager.create(InvoiceEvent, {
      id: tx.newId("evt"),
      storeId,
      invoiceId,
      type,
      additionalStatus,
      byHand: true,
      test: true,
      body: eventBody({ type, invoiceId, metadata: '{"orderId":"test"}', additionalStatus }),
      createdAt,
    });
    await tx.manager.insert(InvoiceEvent, event); // fills in seq
    await tx.manager.insert(WebhookDelivery, {
      id: deliveryId,
      eventId: event.id,
      eventSeq: event.seq,
      webhookId,
      storeId,
      invoiceId,
      createdAt,
      dialectType: part?.type ?? null,
      dialectFields: part?.fields ?? null,
    });
    tx.after(notifyChanges, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
    tx.after(releaseDeliveries, [webhookId]);
  });
  return readDelivery(ctx, { storeId, webhookId, deliveryId });
}
