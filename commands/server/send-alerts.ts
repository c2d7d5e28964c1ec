import { In, IsNull } from "typeorm";
import { Alert } from "../../entities/alert";
import type { CommandContext } from "../context";
import type { AlertChannel, AlertMessage } from "../ports";

/** More alerts than this are sent in several batches. */
const BATCH = 1_000;

/**
 * Sends new alerts: a log line each, and a message through every channel. A message may come twice (after a
 * restart), but is never lost: one that a channel did not accept is retried at the next call, by that channel only.
 * @returns the function to call periodically; it returns how many were sent.
 */
export function makeSendAlerts(
  ctx: CommandContext,
  channels: readonly AlertChannel[],
): () => Promise<number> {
  const ways = [logOf(ctx), ...channels].map((channel) => ({ channel, took: new Set<string>() }));
  return async () => {
    const alerts = (
      await ctx.db.manager.find(Alert, {
        where: { toldAt: IsNull() },
        order: { at: "ASC", id: "ASC" },
        take: BATCH,
      })
    ).map(messageOf);
    for (const way of ways) await sendBy(ctx, way, alerts);
    const sent = alerts.map(({ alertId }) => alertId).filter((id) => ways.every(({ took }) => took.has(id)));
    if (sent.length > 0)
      await ctx.db.manager.update(Alert, { id: In(sent) }, { toldAt: await ctx.now(ctx.db.manager) });
    for (const { took } of ways) for (const id of sent) took.delete(id);
    return sent.length;
  };
}

interface Way {
  channel: AlertChannel;
  /** The alerts that it accepted while another channel has not yet. */
  took: Set<string>;
}

/** A channel that refuses is retried at the next call, and not for every alert now. */
async function sendBy(
  ctx: CommandContext,
  { channel, took }: Way,
  alerts: readonly AlertMessage[],
): Promise<void> {
  const open = alerts.filter(({ alertId }) => !took.has(alertId));
  for (let from = 0; from < open.length; from += channel.atOnce) {
    const some = open.slice(from, from + channel.atOnce);
    try {
      await channel.send(some);
    } catch (error) {
      const { name } = channel;
      ctx.log.warn({ channel: name, alerts: open.length - from, err: error }, "alert: not sent, retrying");
      return;
    }
    for (const { alertId } of some) took.add(alertId);
  }
}

function logOf({ log }: CommandContext): AlertChannel {
  return {
    name: "log",
    atOnce: 1,
    send(alerts) {
      for (const { message, alertId, kind, severity, storeId, invoiceId } of alerts)
        log.error({ alertId, kind, severity, storeId, invoiceId }, `alert: ${message}`);
      return Promise.resolve();
    },
  };
}

function messageOf({ id, kind, severity, storeId, invoiceId, message, at, resolvedAt }: Alert): AlertMessage {
  return { alertId: id, kind, severity, storeId, invoiceId, message, at, resolvedAt };
}
