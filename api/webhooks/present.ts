import { roleReaches, type StoreRole } from "../../domain/account/store-role";
import type { Webhook } from "../../entities/webhook";

/** Without the secret. `emails`: for readers who may know them. */
export function presentWebhook(webhook: Webhook, role: StoreRole, emails: ReadonlyMap<string, string>) {
  return {
    webhookId: webhook.id,
    url: shownUrl(webhook.url, role),
    dialect: webhook.dialect,
    events: webhook.events,
    enabled: webhook.enabled,
    failureStreak: webhook.failureStreak,
    createdAt: webhook.createdAt,
    createdByUserId: webhook.createdByUserId,
    createdByEmail: emails.get(webhook.createdByUserId ?? "") ?? null,
  };
}

/** A path often is the endpoint's secret (Slack, Zapier). */
export function shownUrl(url: string, role: StoreRole): string {
  return roleReaches(role, "member") ? url : `${new URL(url).origin}/…`;
}
