import { DomainError } from "../../domain/errors";
import { Alert, type AlertKind } from "../../entities/alert";
import { closeHole } from "../chain/chain-gaps";
import type { CommandContext } from "../context";
import { resolveSetAside } from "../chain/set-aside";
import { notifyChanges } from "./notify-changes";
import { writeAudit } from "./write-audit";

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
 * Its condition may raise another. Unread blocks then no longer hold an expiry; a set-aside block is not retried, a
 * transaction once more. Idempotent.
 * @throws DomainError `alert-not-found`.
 */
export async function resolveAlertByHand(
  ctx: CommandContext,
  { alertId: id, storeId, checkGuard }: AlertName,
): Promise<Alert> {
  return ctx.db.transaction(async (manager) => {
    const alert = await manager.findOne(Alert, {
      where: { id, ...(storeId === undefined ? {} : { storeId }) },
      lock: { mode: "pessimistic_write" },
    });
    if (alert === null) throw new DomainError("alert-not-found", "Alert not found.");
    if (alert.resolvedAt !== null) return alert;
    if (GUARDS.includes(alert.kind)) checkGuard?.();
    const resolvedAt = await ctx.now(manager);
    await manager.update(Alert, { id }, { resolvedAt });
    const { hole, item } = alert.details ?? {};
    if (hole) await closeHole(manager, ctx, hole);
    if (item) await resolveSetAside(manager, ctx, item);
    const { kind, storeId: whose } = alert;
    await writeAudit(manager, ctx, {
      action: "alert.resolved",
      storeId: whose,
      subject: id,
      details: { kind },
    });
    await notifyChanges(manager, [{ topic: "alerts", storeId: whose, alertId: id }]);
    return { ...alert, resolvedAt };
  });
}
