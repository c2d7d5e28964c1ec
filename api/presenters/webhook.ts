import type { Webhook } from "../../entities/webhook";

/** The Webhook of the API. The secret is no part of it: it is shown once, at registration. */
export function presentWebhook(webhook: Webhook) {
  return {
    webhookId: webhook.id,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    failureStreak: webhook.failureStreak,
    createdAt: webhook.createdAt,
  };
}
