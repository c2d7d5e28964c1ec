import { attemptWebhook } from "../commands/webhooks/attempt-webhook";
import { SENDS } from "../domain/webhook/send-slots";
import type { StartWorker } from "./worker";

/**
 * Jobs that are checked concurrently with those that send: they find that they have to wait, or that there is
 * nothing to send.
 */
const LOOKED_AT = 100;

export const startWebhookDelivery: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker("webhook-delivery", (work) => attemptWebhook(ctx, work), {
    concurrency: SENDS + LOOKED_AT,
    onFatal,
  });
