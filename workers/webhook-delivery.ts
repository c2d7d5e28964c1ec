import { attemptWebhook } from "../commands/webhooks/attempt-webhook";
import { IN_FLIGHT } from "../domain/webhook/claim";
import type { StartWorker } from "./worker";

export const startWebhookDelivery: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker("webhook-delivery", (work) => attemptWebhook(ctx, work), {
    concurrency: IN_FLIGHT.all,
    onFatal,
  });
