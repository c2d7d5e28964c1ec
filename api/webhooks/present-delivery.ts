import type { DeliveryDetail, DeliveryView } from "../../commands/webhooks/list-deliveries";
import type { DeliveryRequest } from "../../commands/webhooks/read-delivery-request";
import type { WebhookAttempt } from "../../entities/webhook-attempt";

export function presentDelivery({ delivery, event }: DeliveryView) {
  return {
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    webhookId: delivery.webhookId,
    invoiceId: delivery.invoiceId,
    type: event.type,
    additionalStatus: event.additionalStatus,
    dialectType: delivery.dialectType,
    state: delivery.state,
    attemptCount: delivery.attemptCount,
    httpStatus: delivery.httpStatus,
    error: delivery.error,
    durationMs: delivery.durationMs,
    createdAt: delivery.createdAt,
    lastAttemptAt: delivery.lastAttemptAt,
    nextAttemptAt: delivery.state === "failed" ? delivery.retryAt : null,
  };
}

export function presentDeliveryDetail(detail: DeliveryDetail) {
  return { ...presentDelivery(detail), attempts: detail.attempts.map(presentAttempt) };
}

function presentAttempt(attempt: WebhookAttempt) {
  return {
    number: attempt.number,
    cause: attempt.cause,
    startedAt: attempt.startedAt,
    durationMs: attempt.durationMs,
    httpStatus: attempt.httpStatus,
    error: attempt.error,
    responseBody: attempt.responseBody?.toString("utf8") ?? null,
    resolvedIp: attempt.resolvedIp,
  };
}

export function presentDeliveryRequest({ body, ...request }: DeliveryRequest) {
  return { ...request, body: body.toString("utf8") };
}
