import type { CommandContext } from "./context";

const BATCH = 1_000;

/** Two weeks of blocks are one difficulty period: no reorganisation goes deeper. */
const BLOCKS_KEPT = 4_032;

/** What is dropped, and after how long. Every statement takes one batch; `$1` is the database's clock. */
const OLD = [
  `UPDATE invoice_events SET body = NULL WHERE id IN (SELECT id FROM invoice_events
     WHERE body IS NOT NULL AND created_at < $1::timestamptz - interval '90 days' LIMIT ${BATCH})`,
  `DELETE FROM webhook_attempts WHERE (delivery_id, number) IN (SELECT delivery_id, number FROM webhook_attempts
     WHERE state <> 'sending' AND started_at < $1::timestamptz - interval '90 days' LIMIT ${BATCH})`,
  `DELETE FROM heartbeats WHERE beat_at < $1::timestamptz - interval '10 minutes'`,
  `DELETE FROM user_links WHERE expires_at < $1::timestamptz - interval '1 day'`,
  `DELETE FROM idempotency_keys WHERE (store_id, key) IN (SELECT store_id, key FROM idempotency_keys
     WHERE expires_at <= $1 LIMIT ${BATCH})`,
  `DELETE FROM chain_blocks WHERE $1::timestamptz IS NOT NULL AND height IN (SELECT height FROM chain_blocks
     WHERE height <= (SELECT max(height) FROM chain_blocks) - ${BLOCKS_KEPT} LIMIT ${BATCH})`,
] as const;

/** Drops what is kept for a time only: bodies and attempts of deliveries, and rows that say nothing any more. Answers how many. */
export async function prune(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  let pruned = 0;
  for (const statement of OLD)
    for (let rows = BATCH; rows >= BATCH; pruned += rows)
      [, rows] = await ctx.db.query<[unknown[], number]>(statement, [now]);
  return pruned;
}
