import { DomainError, invalidField } from "../domain/errors";
import { EVENT_TYPES, type EventType } from "../domain/invoice/status";
import { webhookSecret, WEBHOOK_SECRET_BYTES } from "../domain/webhook/secret";
import { Store } from "../entities/store";
import { Webhook } from "../entities/webhook";
import type { CommandContext } from "./context";
import { tellChanges } from "./tell-change";
import { writeAudit } from "./write-audit";

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
 * @throws DomainError `validation-failed` at `/url` or `/events`, `store-not-found`.
 */
export async function createWebhook(ctx: CommandContext, input: CreateWebhookInput): Promise<CreatedWebhook> {
  const wanted = new Set<EventType>(input.events ?? EVENT_TYPES);
  if (wanted.size === 0) throw invalidField("/events", "Must name at least one event.");
  await ctx.checkWebhookUrl(input.url);
  const secret = webhookSecret(ctx.randomBytes(WEBHOOK_SECRET_BYTES));
  return ctx.db.transaction(async (manager) => {
    if (!(await manager.existsBy(Store, { id: input.storeId })))
      throw new DomainError("store-not-found", "There is no such store.");
    const webhook = manager.create(Webhook, {
      id: ctx.newId("wh"),
      storeId: input.storeId,
      url: input.url,
      events: EVENT_TYPES.filter((type) => wanted.has(type)),
      enabled: input.enabled ?? true,
      secretEncrypted: ctx.secrets.encrypt(secret),
      previousSecretEncrypted: null,
      previousSecretUntil: null,
      failureStreak: 0,
      createdAt: await ctx.now(manager),
      deletedAt: null,
    });
    await manager.insert(Webhook, webhook);
    const { id: subject, url, events, enabled } = webhook;
    await writeAudit(manager, ctx, {
      action: "webhook.created",
      storeId: input.storeId,
      subject,
      details: { origin: new URL(url).origin, events, enabled },
    });
    await tellChanges(manager, [{ topic: "webhooks", storeId: input.storeId, webhookId: subject }]);
    return { webhook, secret };
  });
}
