import { attemptWebhook } from "../commands/attempt-webhook";
import type { StartWorker } from "./worker";

/** Most of them wait for an endpoint, and hold no database connection meanwhile. */
const CONCURRENCY = 600;

export const startWebhookDelivery: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker("webhook-delivery", (work) => attemptWebhook(ctx, work), {
    concurrency: CONCURRENCY,
    onFatal,
  });
