import { attemptWebhook } from "../commands/webhooks/attempt-webhook";
import { SENDS } from "../domain/webhook/send-slots";
import type { StartWorker } from "./worker";

/** Jobs that are checked beside those that send: these find out that they have to wait, or send nothing. */
const LOOKED_AT = 100;

export const startWebhookDelivery: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker("webhook-delivery", (work) => attemptWebhook(ctx, work), {
    concurrency: SENDS + LOOKED_AT,
    onFatal,
  });
