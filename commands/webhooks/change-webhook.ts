import { invalidField } from "../../domain/errors";
import { EVENT_TYPES, type EventType } from "../../domain/invoice/status";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { lockWebhook, readWebhook } from "./list-webhooks";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";

export interface WebhookChanges {
  url?: string;
  /** Never empty. */
  events?: readonly EventType[];
  enabled?: boolean;
}

/**
 * Changes an endpoint. The URL and whether it is enabled hold for all that has not left yet, the events for those that
 * happen from now on. A new address is looked up before the transaction begins.
 * @throws DomainError `webhook-not-found`; `validation-failed` at `/url` or `/events`.
 */
export async function changeWebhook(
  ctx: CommandContext,
  storeId: string,
  webhookId: string,
  changes: WebhookChanges,
): Promise<Webhook> {
  const { events, ...given } = changes;
  if (events?.length === 0) throw invalidField("/events", "Must name at least one event.");
  const wanted = {
    ...given,
    ...(events === undefined ? {} : { events: EVENT_TYPES.filter((type) => events.includes(type)) }),
  };
  const { url: newUrl, ...rest } = wanted;
  const { url } = await readWebhook(ctx, storeId, webhookId);
  if (newUrl !== undefined && newUrl !== url) await ctx.checkWebhookUrl(newUrl);
  return ctx.db.transaction(async (manager) => {
    const webhook = await lockWebhook(manager, storeId, webhookId);
    if (Object.keys(wanted).length === 0) return webhook;
    const moved = newUrl !== undefined && newUrl !== webhook.url;
    // Another address has to answer well itself before it counts as one that does.
    const written = { ...wanted, ...(moved ? { everDelivered: false } : {}) };
    await manager.update(Webhook, webhookId, written);
    await writeAudit(manager, ctx, {
      action: "webhook.changed",
      storeId,
      subject: webhookId,
      details: { ...rest, ...(newUrl === undefined ? {} : { origin: new URL(newUrl).origin }) },
    });
    await notifyChanges(manager, [{ topic: "webhooks", storeId, webhookId }]);
    return { ...webhook, ...written };
  });
}
