import { IsNull } from "typeorm";
import { invalidField } from "../../domain/errors";
import { EVENT_TYPES, type EventType } from "../../domain/invoice/status";
import { checkGivenSecret, generatedSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhook/signature";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { checkLimit } from "../stores/limits";
import { lockForCreator } from "../stores/creators";
import { webhookSecretPlace } from "../server/sealed-places";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

/** Said by shop plugins alone. */
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
  const host = await ctx.checkWebhookUrl(input.url);
  const secret =
    given ??
    generatedSecret(dialect === undefined ? "native" : "greenfield", ctx.randomBytes(WEBHOOK_SECRET_BYTES));
  return inTransaction(ctx, async (tx) => {
    // Simultaneous creations wait for each other, so that all are counted.
    const { key, creatorId: createdByUserId } = await lockForCreator(tx, input.storeId);
    const existing = await tx.manager.countBy(Webhook, { storeId: input.storeId, deletedAt: IsNull() });
    checkLimit(existing, tx.settings.maxWebhooksPerStore, "webhooks");
    const id = tx.newId("wh");
    const webhook = tx.manager.create(Webhook, {
      id,
      storeId: input.storeId,
      url: input.url,
      host,
      ...subscription(dialect, wanted),
      enabled: input.enabled ?? true,
      secretEncrypted: tx.secrets.encrypt(secret, webhookSecretPlace(id)),
      previousSecretEncrypted: null,
      previousSecretUntil: null,
      failureStreak: 0,
      createdByUserId,
      urlSetByKeyId: key?.id ?? null,
      createdAt: await tx.now(),
      deletedAt: null,
    });
    await tx.manager.insert(Webhook, webhook);
    const { url, events, enabled } = webhook;
    await writeAudit(tx, {
      action: "webhook.created",
      storeId: input.storeId,
      subject: id,
      details: {
        origin: new URL(url).origin,
        enabled,
        ...(dialect === undefined ? { events } : { dialect: webhook.dialect, ...dialectDetails(dialect) }),
      },
    });
    tx.after(notifyChanges, [{ topic: "webhooks", storeId: input.storeId, webhookId: id }]);
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
