import type { EntityManager } from "typeorm";
import type { CommandContext } from "./context";
import { raiseAlert, resolveAlerts } from "./raise-alert";

/** The rails are looked at every 5 s: an expiry that waits no longer than that is nobody's trouble. */
const UNNOTICED_SECONDS = 10;
/** A decision that was to wait is made again so much later. */
const RETRIED_SECONDS = 5;

/** Of an invoice `i`: it has an address, and chain-watch has not finished a look that began after its expiry. */
const CHAIN_IS_BEHIND = `
  coalesce((SELECT caught_up_to < i.expires_at FROM rails WHERE type = 'BTC-CHAIN'), true)
  AND EXISTS (SELECT 1 FROM invoice_payment_methods m
               WHERE m.invoice_id = i.id AND m.type = 'BTC-CHAIN' AND m.destination IS NOT NULL)`;
/** LND has not said the last word on a BOLT11 that was given out. */
const LIGHTNING_IS_BEHIND = `
  EXISTS (SELECT 1 FROM bolt11s b
           WHERE b.invoice_id = i.id AND b.state IN ('wanted', 'open') AND b.bolt11 IS NOT NULL
             AND coalesce(b.looked_up_at < i.expires_at, true))`;

/**
 * SQL of invoices `i` whose decision would be to wait (domain/invoice/rows, `expiryMayBeDecided`): only the clock has
 * made them due, and the chain was not looked at past their expiry. `now`, `startedAt` and `holdMinutes` name parameters.
 * One with an unfinished BOLT11 is decided all the same: its expiry is what has that cancelled.
 */
export function waitsForChain(parameters: { now: string; startedAt: string; holdMinutes: string }): string {
  const { now, startedAt, holdMinutes } = parameters;
  return `(i.status = 'New' AND i.decide_at = i.expires_at
    AND ${now} < greatest(i.expires_at, ${startedAt}) + ${holdMinutes} * interval '1 minute'
    AND ${CHAIN_IS_BEHIND}
    AND NOT EXISTS (SELECT 1 FROM bolt11s b WHERE b.invoice_id = i.id AND b.state IN ('wanted', 'open')))`;
}

/**
 * Tells the operator of expiries that wait for a node which is away or behind, once a store however many they are; ends
 * what was told where none waits any more.
 */
export async function alertHeldExpiries(ctx: CommandContext): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    const now = await ctx.now(manager);
    // Nobody may have looked yet: nothing new is told, and what another process told stays.
    if (now.getTime() - ctx.startedAt.getTime() < UNNOTICED_SECONDS * 1_000) return;
    const storeIds = await storesThatWait(manager, now);
    const open = await manager.query<{ subject: string }[]>(
      `SELECT subject FROM alerts WHERE kind = 'expiry-held' AND resolved_at IS NULL`,
    );
    const told = new Set(open.map(({ subject }) => subject));
    for (const storeId of storeIds.filter((id) => !told.delete(id)))
      await raiseAlert(manager, ctx, {
        kind: "expiry-held",
        severity: "warning",
        subject: storeId,
        storeId,
        message: "Invoices' time is up, but their expiry waits for a node that is away or behind.",
      });
    await resolveAlerts(manager, ctx, "expiry-held", [...told]);
  });
}

async function storesThatWait(manager: EntityManager, now: Date): Promise<string[]> {
  const rows = await manager.query<{ storeId: string }[]>(
    `SELECT DISTINCT i.store_id AS "storeId" FROM invoices i
      WHERE i.status = 'New' AND i.decide_at <= $1::timestamptz + ${RETRIED_SECONDS} * interval '1 second'
        AND i.expires_at <= $1::timestamptz - ${UNNOTICED_SECONDS} * interval '1 second'
        AND (${CHAIN_IS_BEHIND} OR ${LIGHTNING_IS_BEHIND})`,
    [now],
  );
  return rows.map(({ storeId }) => storeId);
}
