import type { Statement } from "../../database/statement";
import type { CommandContext } from "../context";
import { PRUNE_RECORDS, PRUNE_REST } from "./queries";

const DAY_MS = 86_400_000;

/**
 * Deletes expired data: after `keptDays` the bodies and attempts of deliveries that ended, reconciliation reports
 * and alerts that ended, and rows that are no longer used, by `others` too. Every statement deletes one batch. Returns the
 * number of rows.
 */
export async function prune(
  ctx: CommandContext,
  { keptDays, others = [] }: { keptDays: number; others?: readonly Statement<[now: Date], never>[] },
): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const oldest = new Date(now.getTime() - keptDays * DAY_MS);
  const statements = [
    ...PRUNE_RECORDS.map((run) => ({ run, until: oldest })),
    ...[...PRUNE_REST, ...others].map((run) => ({ run, until: now })),
  ];
  let pruned = 0;
  for (const { run, until } of statements)
    for (let count = 1; count > 0; pruned += count) ({ count } = await run(ctx.db.manager, until));
  return pruned;
}
