import { jsonRows } from "../../database/insert-rows";
import { ALERT_SEVERITIES } from "../../entities/alert";
import type { CommandContext } from "../context";
import type { AlertChannel, AlertMessage } from "../ports";
import { makeOwnerMails } from "./mail-owners";
import { endUnsent, READ_UNSENT, recordAccepted } from "./queries";

/** In one call. More wait, behind severer ones raised meanwhile. */
const BATCH = 1_000;
/** A slow channel delays the others no longer. */
const CALL_MS = 10_000;
/** An alert is left to its own process for so long. */
const AT_ONCE_MS = 30_000;
const MOST_SEVERE_FIRST = ALERT_SEVERITIES.toReversed();

/**
 * A log line each, and a message through every channel, the most severe first; a channel that is away delays no other.
 * Twice only if the database could not record it; none is lost. @returns the function to call periodically, with how
 * many alerts its last channel accepted.
 */
export function makeSendAlerts(ctx: CommandContext, others: readonly AlertChannel[]): () => Promise<number> {
  const channels = [logOf(ctx), ...others];
  const names = channels.map(({ name }) => name);
  let ended = false;
  return async () => {
    const { manager } = ctx.db;
    if (!ended) await endUnsent(manager, names, await ctx.now(manager));
    ended = true;
    const ends = await Promise.allSettled(channels.map((channel) => sendBy(ctx, channel, names)));
    let sent = 0;
    for (const end of ends) {
      if (end.status === "rejected") throw end.reason;
      sent += end.value;
    }
    return sent;
  };
}

/** A refusing channel is retried at the next call. @returns for how many alerts it was the last channel. */
async function sendBy(
  ctx: CommandContext,
  channel: AlertChannel,
  names: readonly AlertChannel["name"][],
): Promise<number> {
  const { name, atOnce } = channel;
  const began = await ctx.now(ctx.db.manager);
  const alerts = await readUnsent(ctx, name);
  let sent = 0;
  for (let from = 0; from < alerts.length; from += atOnce) {
    const ended = await deliver(ctx, channel, alerts.slice(from, from + atOnce), names);
    if (ended === null) return sent;
    sent += ended.sent;
    if (ended.at.getTime() - began.getTime() >= CALL_MS) break;
  }
  return sent;
}

/** Null: not accepted. */
async function deliver(
  ctx: CommandContext,
  { name, send }: AlertChannel,
  alerts: readonly AlertMessage[],
  names: readonly AlertChannel["name"][],
): Promise<{ sent: number; at: Date } | null> {
  try {
    await send(alerts);
  } catch (error) {
    ctx.log.warn({ channel: name, alerts: alerts.length, err: error }, "alert: not sent, retrying");
    return null;
  }
  const { manager } = ctx.db;
  const at = await ctx.now(manager);
  const accepted = jsonRows(alerts.map(({ alertId, message }) => ({ alertId, message })));
  const { rows } = await recordAccepted(manager, accepted, name, names, at);
  return { sent: rows.filter((row) => row.sent).length, at };
}

async function readUnsent(
  { db, now, alertChannels }: CommandContext,
  name: AlertChannel["name"],
): Promise<AlertMessage[]> {
  const { manager } = db;
  const alerts: AlertMessage[] = [];
  const until = new Date((await now(manager)).getTime() - (alertChannels === null ? 0 : AT_ONCE_MS));
  for (const severity of MOST_SEVERE_FIRST) {
    const room = BATCH - alerts.length;
    if (room > 0) {
      const unsent = await READ_UNSENT[name](manager, severity, room, until);
      alerts.push(...unsent.map(({ id: alertId, ...alert }) => ({ alertId, ...alert })));
    }
  }
  return alerts;
}

function logOf({ log }: CommandContext): AlertChannel {
  return {
    name: "log",
    atOnce: BATCH,
    send(alerts) {
      for (const { message, alertId, kind, severity, storeId, invoiceId } of alerts)
        log.error({ alertId, kind, severity, storeId, invoiceId }, `alert: ${message}`);
      return Promise.resolve();
    },
  };
}

export function ownersOf(ctx: CommandContext): AlertChannel[] {
  return ctx.sendMail === null ? [] : [makeOwnerMails(ctx, ctx.sendMail)];
}

/**
 * Not awaited. From memory: somebody who can write to the database may have deleted it. The sweep sends what is not accepted here.
 */
export function sendAtOnce(ctx: CommandContext, alerts: readonly AlertMessage[]): void {
  if (ctx.alertChannels === null) return;
  const log = logOf(ctx);
  const channels = [log, ...ctx.alertChannels, ...ownersOf(ctx)];
  const names = channels.map(({ name }) => name);
  // Whoever typed the command needs no line, and the service's log does.
  for (const channel of ctx.actor.kind === "cli" ? channels.filter((one) => one !== log) : channels)
    deliver(ctx, channel, alerts, names).catch((error: unknown) =>
      ctx.log.warn({ channel: channel.name, err: error }, "alert: not recorded, sent again"),
    );
}
