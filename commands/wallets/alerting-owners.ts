import type { CommandContext } from "../context";
import { inTransaction, type Tx } from "../transaction";
import { BY } from "./shared-wallet";
import { writeAlert } from "../server/raise-alert";
import { sendAtOnce } from "../server/send-alerts";
import { type AuditText, writeAudit } from "../server/write-audit";

/** `first`: there was no destination before, so that nothing was taken from anybody. */
type Alert = (audit: AuditText & { storeId: string }, what: string, first?: boolean) => Promise<void>;

/**
 * Where a store's payments go was changed: an alert each, since an unread one must not hide the next. Sent by this
 * process after its commit: before the sweep somebody could delete it. `again`: what undoes a thief's change.
 */
export function alertingOwners<T>(
  ctx: CommandContext,
  again: string,
  change: (tx: Tx, alert: Alert) => Promise<T>,
): Promise<T> {
  return inTransaction(ctx, (tx) =>
    change(tx, async (audit, what, first = false) => {
      const subject = await writeAudit(tx, audit);
      const message = `${what}, ${BY[tx.actor.kind]}. If none of you did this, delete the store's API keys and ${again}.`;
      const { storeId } = audit;
      const alert = { kind: "wallet-changed", subject, storeId, message } as const;
      const severity = first ? "info" : "critical";
      const over = first ? { resolvedAt: await tx.now() } : {};
      tx.after(sendAtOnce, [await writeAlert(tx, { ...alert, severity, ...over })]);
    }),
  );
}
