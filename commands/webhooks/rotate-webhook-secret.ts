import { generatedSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhook/signature";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import type { CreatedWebhook } from "./create-webhook";
import { lockWebhook } from "./list-webhooks";
import { previousSecretPlace, webhookSecretPlace } from "../server/sealed-places";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

/**
 * Gives a webhook a new secret, which is shown only now. All later requests are signed with it; for `overlapSeconds`
 * the old one signs beside it in `webhook-signature`. With 0 the old one is deleted at once, and so it is at a shop
 * plugin's webhook, whose signature has room for one, and where it cannot be read.
 * @throws DomainError `webhook-not-found`.
 */
export async function rotateWebhookSecret(
  ctx: CommandContext,
  storeId: string,
  webhookId: string,
  overlapSeconds: number,
): Promise<CreatedWebhook> {
  return inTransaction(ctx, async (tx) => {
    const webhook = await lockWebhook(tx.manager, storeId, webhookId);
    const secret = generatedSecret(webhook.dialect, tx.randomBytes(WEBHOOK_SECRET_BYTES));
    const now = await tx.now();
    const place = webhookSecretPlace(webhookId);
    const previous = overlapSeconds > 0 && webhook.dialect === "native" ? oldSecret(tx, webhook) : null;
    const secrets = {
      secretEncrypted: tx.secrets.encrypt(secret, place),
      previousSecretEncrypted:
        previous === null ? null : tx.secrets.encrypt(previous, previousSecretPlace(webhookId)),
      previousSecretUntil: previous === null ? null : new Date(now.getTime() + overlapSeconds * 1_000),
    };
    await tx.manager.update(Webhook, webhookId, secrets);
    await writeAudit(tx, {
      action: "webhook.secret-rotated",
      storeId,
      subject: webhookId,
      details: { overlapSeconds },
    });
    return { webhook: { ...webhook, ...secrets }, secret };
  });
}

/** Null if it cannot be read with the server's `APP_SECRET`: it signs nothing, and a new one ends that. */
function oldSecret(tx: Tx, { id, secretEncrypted }: Webhook): string | null {
  try {
    return tx.secrets.decrypt(secretEncrypted, webhookSecretPlace(id));
  } catch (err) {
    tx.log.warn({ webhookId: id, err }, "webhook: secret cannot be read, rotated without an overlap");
    return null;
  }
}
