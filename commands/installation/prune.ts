import type { Statement } from "../../database/statement";
import type { CommandContext } from "../context";
import { PRUNE_RECORDS, PRUNE_REST } from "./queries";

const DAY_MS = 86_400_000;

/**
 * After `keptDays`: bodies and attempts of ended deliveries, reports and ended alerts; and rows of no more use, by
 * `others` too. A batch per statement. Returns the number of rows.
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
