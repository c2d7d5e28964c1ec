import type { CommandContext } from "./context";

const BATCH = 1_000;
const DAY_MS = 86_400_000;

/** Two weeks of blocks are one difficulty period: no reorganisation goes deeper. */
const BLOCKS_KEPT = 4_032;

/** What people may want to read or send again, and for how long the operator says. `$1` is the oldest time that is kept. */
const RECORDS = [
  `UPDATE invoice_events SET body = NULL WHERE id IN (SELECT id FROM invoice_events
     WHERE body IS NOT NULL AND created_at < $1 LIMIT ${BATCH})`,
  `DELETE FROM webhook_attempts WHERE (delivery_id, number) IN (SELECT delivery_id, number FROM webhook_attempts
     WHERE state <> 'sending' AND started_at < $1 LIMIT ${BATCH})`,
  `DELETE FROM reconciliation_reports WHERE id IN (SELECT id FROM reconciliation_reports WHERE at < $1 LIMIT ${BATCH})`,
  `DELETE FROM alerts WHERE id IN (SELECT id FROM alerts
     WHERE resolved_at < $1 AND told_at IS NOT NULL LIMIT ${BATCH})`,
] as const;

/** What says nothing any more, and after how long. `$1` is the database's clock. */
const REST = [
  `DELETE FROM heartbeats WHERE beat_at < $1::timestamptz - interval '10 minutes'`,
  `DELETE FROM user_links WHERE expires_at < $1::timestamptz - interval '1 day'`,
  `DELETE FROM sessions WHERE expires_at <= $1`,
  `DELETE FROM passkey_challenges WHERE expires_at <= $1`,
  `DELETE FROM idempotency_keys WHERE (store_id, key) IN (SELECT store_id, key FROM idempotency_keys
     WHERE expires_at <= $1 LIMIT ${BATCH})`,
  `DELETE FROM chain_blocks WHERE $1::timestamptz IS NOT NULL AND height IN (SELECT height FROM chain_blocks
     WHERE height <= (SELECT max(height) FROM chain_blocks) - ${BLOCKS_KEPT} LIMIT ${BATCH})`,
] as const;

/**
 * Drops what is kept for a time only: after `keptDays` bodies and attempts of deliveries, reconciliation reports and alerts that ended, and rows that say nothing any
 * more. Every statement takes one batch at a time. Answers how many rows.
 */
export async function prune(ctx: CommandContext, { keptDays }: { keptDays: number }): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const oldest = new Date(now.getTime() - keptDays * DAY_MS);
  const statements = [
    ...RECORDS.map((sql) => ({ sql, at: oldest })),
    ...REST.map((sql) => ({ sql, at: now })),
  ];
  let pruned = 0;
  for (const { sql, at } of statements)
    for (let rows = BATCH; rows >= BATCH; pruned += rows)
      [, rows] = await ctx.db.query<[unknown[], number]>(sql, [at]);
  return pruned;
}
