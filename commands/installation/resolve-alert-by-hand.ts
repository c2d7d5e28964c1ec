import { DomainError } from "../../domain/errors";
import { Alert, type AlertKind } from "../../entities/alert";
import { closeHole } from "../chain/chain-gaps";
import type { CommandContext } from "../context";
import { askToRetrySetAside } from "../chain/set-aside";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

/** A store's own, or any for a server admin. */
export interface AlertName {
  alertId: string;
  storeId?: string;
  /** For an alert that guards the store's money. @throws DomainError */
  checkGuard?: () => void;
}

/** They say that somebody, perhaps the caller, may be taking the store's money. */
const GUARDS: readonly AlertKind[] = ["wallet-changed", "settings-weakened", "destination-not-authentic"];

/**
 * Closes an alert by hand; its condition may raise another one. For an alert about unread blocks, these no longer
 * hold an expiry; a transaction that was set aside is retried, since it may be gone and hold the loss of another payment.
 * Idempotent.
 * @throws DomainError `alert-not-found`.
 */
export async function resolveAlertByHand(
  ctx: CommandContext,
  { alertId: id, storeId, checkGuard }: AlertName,
): Promise<Alert> {
  return inTransaction(ctx, async (tx) => {
    const alert = await tx.manager.findOne(Alert, {
      where: { id, ...(storeId === undefined ? {} : { storeId }) },
      lock: { mode: "pessimistic_write" },
    });
    if (alert === null) throw new DomainError("alert-not-found", "Alert not found.");
    if (alert.resolvedAt !== null) return alert;
    if (GUARDS.includes(alert.kind)) checkGuard?.();
    const resolvedAt = await tx.now();
    await tx.manager.update(Alert, { id }, { resolvedAt });
    const { hole, txid } = alert.details ?? {};
    if (hole) await closeHole(tx, hole);
    if (txid !== undefined) await askToRetrySetAside(tx.manager, txid);
    const { kind, storeId: whose } = alert;
    await writeAudit(tx, {
      action: "alert.resolved",
      storeId: whose,
      subject: id,
      details: { kind },
    });
    tx.after(notifyChanges, [{ topic: "alerts", storeId: whose, alertId: id }]);
    return { ...alert, resolvedAt };
  });
}
