import { IsNull } from "typeorm";
import { invalidField } from "../../domain/errors";
import { EVENT_TYPES, type EventType } from "../../domain/invoice/status";
import { webhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhook/secret";
import { Webhook } from "../../entities/webhook";
import { lockStore } from "../stores/change-store";
import type { CommandContext } from "../context";
import { checkLimit } from "../stores/limits";
import { lockMaker, makerOf } from "../stores/makers";
import { webhookSecretPlace } from "../server/sealed-places";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";

export interface CreateWebhookInput {
  storeId: string;
  url: string;
  /** Default all five; never empty. */
  events?: readonly EventType[];
  /** Default true. */
  enabled?: boolean;
}

/** A webhook and its signing secret, which is shown now and never again: it is stored encrypted. */
export interface CreatedWebhook {
  webhook: Webhook;
  secret: string;
}

/**
 * Registers an endpoint. Its address is looked up before the transaction begins.
 * @throws DomainError `validation-failed` at `/url` or `/events`, `store-not-found`, `limit-reached`.
 */
export async function createWebhook(ctx: CommandContext, input: CreateWebhookInput): Promise<CreatedWebhook> {
  const wanted = new Set<EventType>(input.events ?? EVENT_TYPES);
  if (wanted.size === 0) throw invalidField("/events", "Must name at least one event.");
  await ctx.checkWebhookUrl(input.url);
  const secret = webhookSecret(ctx.randomBytes(WEBHOOK_SECRET_BYTES));
  return ctx.db.transaction(async (manager) => {
    await lockMaker(manager, ctx);
    await lockStore(manager, input.storeId); // two at once are both counted
    const createdByUserId = await makerOf(manager, ctx, input.storeId);
    const existing = await manager.countBy(Webhook, { storeId: input.storeId, deletedAt: IsNull() });
    checkLimit(existing, ctx.settings.maxWebhooksPerStore, "webhooks");
    const id = ctx.newId("wh");
    const webhook = manager.create(Webhook, {
      id,
      storeId: input.storeId,
      url: input.url,
      events: EVENT_TYPES.filter((type) => wanted.has(type)),
      enabled: input.enabled ?? true,
      secretEncrypted: ctx.secrets.encrypt(secret, webhookSecretPlace(id)),
      previousSecretEncrypted: null,
      previousSecretUntil: null,
      failureStreak: 0,
      createdByUserId,
      createdAt: await ctx.now(manager),
      deletedAt: null,
    });
    await manager.insert(Webhook, webhook);
    const { url, events, enabled } = webhook;
    await writeAudit(manager, ctx, {
      action: "webhook.created",
      storeId: input.storeId,
      subject: id,
      details: { origin: new URL(url).origin, events, enabled },
    });
    await notifyChanges(manager, [{ topic: "webhooks", storeId: input.storeId, webhookId: id }]);
    return { webhook, secret };
  });
}
