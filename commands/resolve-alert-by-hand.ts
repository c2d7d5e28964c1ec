import { DomainError } from "../domain/errors";
import { Alert } from "../entities/alert";
import type { CommandContext } from "./context";
import { tellChanges } from "./tell-change";
import { writeAudit } from "./write-audit";

/** Whose alert: a store's own, or any for a server admin. */
export interface AlertName {
  alertId: string;
  storeId?: string;
}

/**
 * Closes an alert because somebody has seen to it; what it was about may raise another one. Asking twice changes
 * nothing.
 * @throws DomainError `alert-not-found`.
 */
export async function resolveAlertByHand(
  ctx: CommandContext,
  { alertId: id, storeId }: AlertName,
): Promise<Alert> {
  return ctx.db.transaction(async (manager) => {
    const alert = await manager.findOne(Alert, {
      where: { id, ...(storeId === undefined ? {} : { storeId }) },
      lock: { mode: "pessimistic_write" },
    });
    if (alert === null) throw new DomainError("alert-not-found", "There is no such alert.");
    if (alert.resolvedAt !== null) return alert;
    const resolvedAt = await ctx.now(manager);
    await manager.update(Alert, { id }, { resolvedAt });
    const { kind, storeId: whose } = alert;
    await writeAudit(manager, ctx, {
      action: "alert.resolved",
      storeId: whose,
      subject: id,
      details: { kind },
    });
    await tellChanges(manager, [{ topic: "alerts", storeId: whose, alertId: id }]);
    return { ...alert, resolvedAt };
  });
}
