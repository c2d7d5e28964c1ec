import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import type { Tx } from "../transaction";
import { deleteWebhooks, endRetries } from "./queries";

/** Returns how many were deleted by this call. */
export async function dropWebhooks(
  tx: Tx,
  storeId: string,
  webhookIds: readonly string[],
  because: object = {},
): Promise<number> {
  const { rows: deleted } = await deleteWebhooks(tx.manager, webhookIds, storeId);
  await endRetries(tx.manager, webhookIds);
  for (const { id: subject } of deleted)
    await writeAudit(tx, { action: "webhook.deleted", storeId, subject, details: because });
  tx.after(
    notifyChanges,
    deleted.map(({ id: webhookId }) => ({ topic: "webhooks", storeId, webhookId })),
  );
  return deleted.length;
}
