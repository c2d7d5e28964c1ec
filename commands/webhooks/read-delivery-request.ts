import { DomainError } from "../../domain/errors";
import { unsignedDialectHeaders } from "../../domain/webhook/dialect-body";
import { unsignedHeaders } from "../../domain/webhook/signature";
import { InvoiceEvent } from "../../entities/invoice-event";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { bodyOf } from "../../domain/webhook/body";
import { readDelivery, type WebhookName } from "./list-deliveries";

export interface DeliveryRequest {
  method: "POST";
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * The request of a delivery's last attempt: headers and body as they were sent, and the present URL. Before the
 * first attempt there are no signatures, as nothing was signed yet.
 * @throws DomainError `webhook-not-found`, `delivery-not-found`; `pruned` when it is no longer stored.
 */
export async function readDeliveryRequest(
  ctx: CommandContext,
  name: WebhookName & { deliveryId: string },
): Promise<DeliveryRequest> {
  const { delivery, attempts } = await readDelivery(ctx, name);
  const event = await ctx.db.manager.findOneByOrFail(InvoiceEvent, { id: delivery.eventId });
  const body = bodyOf({ ...delivery, deliveryId: delivery.id, body: event.body });
  const { url, dialect } = await ctx.db.manager.findOneByOrFail(Webhook, { id: delivery.webhookId });
  const sent = attempts.at(-1)?.sentHeaders ?? null;
  // Attempts are kept as long as bodies, so a delivery without its attempt was pruned.
  if (body === null || (sent === null && delivery.attemptCount > 0))
    throw new DomainError("pruned", "This request is no longer stored.");
  const unsent = (dialect === "greenfield" ? unsignedDialectHeaders : unsignedHeaders)({
    eventId: delivery.eventId,
    deliveryId: delivery.id,
    storeId: delivery.storeId,
    attempt: delivery.requestedAttempt,
    test: event.test,
    userAgent: ctx.settings.userAgent,
  });
  return { method: "POST", url, headers: sent ?? unsent, body };
}
