import type { DeliveryDetail, DeliveryView } from "../../commands/webhooks/list-deliveries";
import type { DeliveryRequest } from "../../commands/webhooks/read-delivery-request";
import type { WebhookAttempt } from "../../entities/webhook-attempt";
import { presenter } from "../http/presenter";
import { attempt as attemptAnswer, deliveryAnswer } from "./delivery-answer";

const shown = presenter(deliveryAnswer);
const shownAttempt = presenter(attemptAnswer);

export const presentDelivery = ({ delivery, event: { type, additionalStatus } }: DeliveryView) =>
  shown(delivery, {
    deliveryId: delivery.id,
    type,
    additionalStatus,
    nextAttemptAt: delivery.state === "failed" ? delivery.retryAt : null,
  });

export function presentDeliveryDetail(detail: DeliveryDetail) {
  return { ...presentDelivery(detail), attempts: detail.attempts.map(presentAttempt) };
}

const presentAttempt = (attempt: WebhookAttempt) =>
  shownAttempt(attempt, { responseBody: attempt.responseBody?.toString("utf8") ?? null });

export function presentDeliveryRequest({ body, ...request }: DeliveryRequest) {
  return { ...request, body: body.toString("utf8") };
}
