import type { CommandContext } from "../../commands/context";

/** chain-watch has just finished a complete check that began now. */
export async function lookedAtChain(ctx: Pick<CommandContext, "db" | "now">): Promise<void> {
  await ctx.db.query(
    `INSERT INTO payment_method_syncs (type, checked_at, caught_up_to) VALUES ('BTC-CHAIN', $1, $1)
     ON CONFLICT (type) DO UPDATE SET caught_up_to = excluded.caught_up_to, checked_at = excluded.checked_at`,
    [await ctx.now(ctx.db.manager)],
  );
}
