import { roleReaches, type StoreRole } from "../../domain/account/store-role";
import type { Webhook } from "../../entities/webhook";
import { presenter } from "../http/presenter";
import { webhookAnswer } from "./answer";

const shown = presenter(webhookAnswer);

/** Without the secret. `emails`: for readers who may know them. */
export const presentWebhook = (webhook: Webhook, role: StoreRole, emails: ReadonlyMap<string, string>) =>
  shown(webhook, {
    webhookId: webhook.id,
    url: shownUrl(webhook.url, role),
    createdByEmail: emails.get(webhook.createdByUserId ?? "") ?? null,
  });

/** A path often is the endpoint's secret (Slack, Zapier). */
export function shownUrl(url: string, role: StoreRole): string {
  return roleReaches(role, "member") ? url : `${new URL(url).origin}/…`;
}
