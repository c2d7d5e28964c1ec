import { IsNull } from "typeorm";
import { Alert } from "../entities/alert";
import type { CommandContext } from "./context";
import type { PostAlert } from "./ports";

const BATCH = 50;

/**
 * Tells the operator what was not told yet: a log line each, and a message where there is somewhere to post to. A
 * message may come twice, never not at all: an alert whose message could not be posted is tried again at the next call.
 * @returns the function to call again and again; it answers how many were told.
 */
export function makeTellAlerts(ctx: CommandContext, post: PostAlert | null): () => Promise<number> {
  /** Logged, but not posted yet: one line an alert, however long its receiver is away. */
  const logged = new Set<string>();
  return async () => {
    const alerts = await ctx.db.manager.find(Alert, {
      where: { toldAt: IsNull() },
      order: { at: "ASC", id: "ASC" },
      take: BATCH,
    });
    for (const alert of alerts) if (!logged.has(alert.id)) logAlert(ctx, alert);
    for (const { id } of alerts) logged.add(id);
    for (const [told, alert] of alerts.entries()) {
      if (post !== null && !(await posted(ctx, post, alert))) return told;
      await ctx.db.manager.update(Alert, alert.id, { toldAt: await ctx.now(ctx.db.manager) });
      logged.delete(alert.id);
    }
    return alerts.length;
  };
}

function logAlert(ctx: CommandContext, { id, kind, severity, storeId, invoiceId, message }: Alert): void {
  ctx.log.error({ alertId: id, kind, severity, storeId, invoiceId }, `alert: ${message}`);
}

async function posted(ctx: CommandContext, post: PostAlert, alert: Alert): Promise<boolean> {
  const { id, kind, severity, storeId, invoiceId, message, at, resolvedAt } = alert;
  try {
    await post({ alertId: id, kind, severity, storeId, invoiceId, message, at, resolvedAt });
    return true;
  } catch (error) {
    ctx.log.warn({ alertId: id, err: error }, "an alert could not be posted; it is tried again");
    return false;
  }
}
