import { checkGivenSecret } from "../../domain/webhook/signature";
import type { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { applyChange } from "./change-webhook";
import { dialectDetails, type DialectSettings } from "./create-webhook";
import { lockWebhook, readDialectWebhook, webhookNotFound } from "./list-webhooks";
import { lockForCreator } from "../stores/creators";
import { webhookSecretPlace } from "../server/sealed-places";
import { inTransaction } from "../transaction";

/** All that a shop plugin says of its webhook; `secret` null keeps the one that it has. */
export interface DialectWebhookInput extends DialectSettings {
  url: string;
  enabled: boolean;
}

/**
 * Replaces what a shop plugin says of its webhook. URL, secret and whether it is enabled hold for all that has not left
 * yet, the events for those that happen from now on. A new address is looked up before the transaction begins.
 * @throws DomainError `webhook-not-found`, also for a native one; `validation-failed` at `/url` or `/secret`.
 */
export async function changeDialectWebhook(
  ctx: CommandContext,
  { storeId, webhookId }: { storeId: string; webhookId: string },
  input: DialectWebhookInput,
): Promise<Webhook> {
  const { url, enabled, automaticRedelivery, specificEvents, secret } = input;
  if (secret !== null) checkGivenSecret(secret);
  const before = await readDialectWebhook(ctx, storeId, webhookId);
  const moved = url === before.url ? {} : { host: await ctx.checkWebhookUrl(url) };
  return inTransaction(ctx, async (tx) => {
    await lockForCreator(tx, storeId);
    const webhook = await lockWebhook(tx.manager, storeId, webhookId);
    if (webhook.dialect !== "greenfield") throw webhookNotFound();
    const sealed = secret === null ? null : tx.secrets.encrypt(secret, webhookSecretPlace(webhookId));
    return applyChange(tx, webhook, {
      wanted: {
        url,
        ...moved,
        enabled,
        automaticRedelivery,
        specificEvents: specificEvents?.slice() ?? null,
        ...(sealed === null ? {} : { secretEncrypted: sealed }),
      },
      details: {
        origin: new URL(url).origin,
        enabled,
        ...dialectDetails(input),
        ...(secret === null ? {} : { secret: "replaced" }),
      },
    });
  });
}
