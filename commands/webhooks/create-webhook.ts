import { IsNull } from "typeorm";
import { invalidField } from "../../domain/errors";
import { EVENT_TYPES, type EventType } from "../../domain/invoice/status";
import { checkGivenSecret, generatedSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhook/secret";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { checkLimit } from "../stores/limits";
import { lockForCreator } from "../stores/creators";
import { webhookSecretPlace } from "../server/sealed-places";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";

/** What shop plugins say of a webhook, and native clients do not. */
export interface DialectSettings {
  automaticRedelivery: boolean;
  /** Null for all. */
  specificEvents: readonly string[] | null;
  /** Used as it is; null for a generated one. */
  secret: string | null;
}

export interface CreateWebhookInput {
  storeId: string;
  url: string;
  /** Default all five; never empty. */
  events?: readonly EventType[];
  /** Default true. */
  enabled?: boolean;
  /** A webhook in the dialect of shop plugins, which has no `events`. */
  dialect?: DialectSettings;
}

/** A webhook and its signing secret, which is shown only now: it is stored encrypted. */
export interface CreatedWebhook {
  webhook: Webhook;
  secret: string;
}

/**
 * Registers an endpoint. Its address is looked up before the transaction begins.
 * @throws DomainError `validation-failed` at `/url`, `/events` or `/secret`, `store-not-found`, `limit-reached`.
 */
export async function createWebhook(ctx: CommandContext, input: CreateWebhookInput): Promise<CreatedWebhook> {
  const { dialect } = input;
  const wanted = new Set<EventType>(input.events ?? EVENT_TYPES);
  if (wanted.size === 0) throw invalidField("/events", "Must name at least one event.");
  const given = dialect?.secret ?? null;
  if (given !== null) checkGivenSecret(given);
  await ctx.checkWebhookUrl(input.url);
  const secret =
    given ??
    generatedSecret(dialect === undefined ? "native" : "greenfield", ctx.randomBytes(WEBHOOK_SECRET_BYTES));
  return ctx.db.transaction(async (manager) => {
    // Simultaneous creations wait for each other, so that all are counted.
    const { key, creatorId: createdByUserId } = await lockForCreator(manager, ctx, input.storeId);
    const existing = await manager.countBy(Webhook, { storeId: input.storeId, deletedAt: IsNull() });
    checkLimit(existing, ctx.settings.maxWebhooksPerStore, "webhooks");
    const id = ctx.newId("wh");
    const webhook = manager.create(Webhook, {
      id,
      storeId: input.storeId,
      url: input.url,
      host: ctx.limitedHost(input.url),
      ...subscription(dialect, wanted),
      enabled: input.enabled ?? true,
      secretEncrypted: ctx.secrets.encrypt(secret, webhookSecretPlace(id)),
      previousSecretEncrypted: null,
      previousSecretUntil: null,
      failureStreak: 0,
      createdByUserId,
      urlSetByKeyId: key?.id ?? null,
      createdAt: await ctx.now(manager),
      deletedAt: null,
    });
    await manager.insert(Webhook, webhook);
    const { url, events, enabled } = webhook;
    await writeAudit(manager, ctx, {
      action: "webhook.created",
      storeId: input.storeId,
      subject: id,
      details: {
        origin: new URL(url).origin,
        enabled,
        ...(dialect === undefined ? { events } : { dialect: webhook.dialect, ...dialectDetails(dialect) }),
      },
    });
    await notifyChanges(manager, [{ topic: "webhooks", storeId: input.storeId, webhookId: id }]);
    return { webhook, secret };
  });
}

type Subscription = Pick<Webhook, "dialect" | "events" | "specificEvents" | "automaticRedelivery">;

function subscription(dialect: DialectSettings | undefined, wanted: ReadonlySet<EventType>): Subscription {
  if (dialect === undefined) {
    const events = EVENT_TYPES.filter((type) => wanted.has(type));
    return { dialect: "native", events, specificEvents: null, automaticRedelivery: false };
  }
  const { specificEvents, automaticRedelivery } = dialect;
  return {
    dialect: "greenfield",
    events: [],
    specificEvents: specificEvents?.slice() ?? null,
    automaticRedelivery,
  };
}

/** For the audit log. */
export function dialectDetails({
  automaticRedelivery,
  specificEvents,
}: Omit<DialectSettings, "secret">): object {
  return { automaticRedelivery, events: specificEvents ?? "all" };
}
