import { invalidField } from "../../domain/errors";
import { EVENT_TYPES, type EventType } from "../../domain/invoice/status";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { lockForCreator } from "../stores/creators";
import { endRetries } from "../stores/queries";
import { lockWebhook, readWebhook } from "./list-webhooks";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

export interface WebhookChanges {
  url?: string;
  /** Never empty. */
  events?: readonly EventType[];
  enabled?: boolean;
}

/**
 * Changes an endpoint. The URL and whether it is enabled apply to everything that has not been sent yet, the events
 * to those that happen from now on. The host of a new URL is resolved before the transaction begins.
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
  const moved = newUrl === undefined || newUrl === url ? {} : { host: await ctx.checkWebhookUrl(newUrl) };
  return inTransaction(ctx, async (tx) => {
    await lockForCreator(tx, storeId);
    const webhook = await lockWebhook(tx.manager, storeId, webhookId);
    if (webhook.dialect !== "native" && events !== undefined)
      throw invalidField("/events", "Must be left out: a shop plugin's webhook has events of its own.");
    if (Object.keys(wanted).length === 0) return webhook;
    return applyChange(tx, webhook, {
      wanted: { ...wanted, ...moved },
      details: { ...rest, ...(newUrl === undefined ? {} : { origin: new URL(newUrl).origin }) },
    });
  });
}

/** Changes a webhook that the caller has locked, after its store (`lockForCreator`). `details` are for the audit log. */
export async function applyChange(
  tx: Tx,
  webhook: Webhook,
  { wanted, details }: { wanted: Partial<Webhook>; details: object },
): Promise<Webhook> {
  const { id: webhookId, storeId } = webhook;
  const moved = wanted.url !== undefined && wanted.url !== webhook.url;
  const { actor } = tx;
  // A new URL has to succeed itself before it counts as proven.
  const fresh = {
    everDelivered: false,
    urlSetByKeyId: actor.kind === "key" ? actor.id : null,
  };
  const written = { ...wanted, ...(moved ? fresh : {}) };
  await tx.manager.update(Webhook, webhookId, written);
  if (wanted.enabled === false || wanted.automaticRedelivery === false)
    await endRetries(tx.manager, [webhookId]);
  await writeAudit(tx, { action: "webhook.changed", storeId, subject: webhookId, details });
  tx.after(notifyChanges, [{ topic: "webhooks", storeId, webhookId }]);
  return { ...webhook, ...written };
}
