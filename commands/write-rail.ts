import { assertLease } from "./lease";
import { raiseAlert, resolveAlert } from "./raise-alert";
import type { ChainWatch } from "./watch";

export interface RailReport {
  synchronized: boolean;
  /** Null when the node did not tell. */
  nodeHeight: number | null;
  /** In words without hosts or secrets; null when all is well. */
  problem: string | null;
  /** Start of a complete check; null when this was none. */
  caughtUpTo: Date | null;
}

/** Writes how far the chain was looked at. `caughtUpTo` never goes back. @throws LeaseLostError */
export async function writeRail({ ctx, lease }: ChainWatch, report: RailReport): Promise<void> {
  const { synchronized, nodeHeight, problem, caughtUpTo } = report;
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await manager.query(
      `INSERT INTO rails (type, caught_up_to, checked_at, synchronized, node_height, problem)
       VALUES ('BTC-CHAIN', $1, clock_timestamp(), $2, $3, $4)
       ON CONFLICT (type) DO UPDATE SET
         caught_up_to = GREATEST(rails.caught_up_to, excluded.caught_up_to), checked_at = excluded.checked_at,
         synchronized = excluded.synchronized, node_height = COALESCE(excluded.node_height, rails.node_height),
         problem = excluded.problem`,
      [caughtUpTo, synchronized, nodeHeight, problem],
    );
  });
}

/** Says that the watcher is at work in a check that takes long. @throws LeaseLostError */
export async function tellLongCheck(watch: ChainWatch): Promise<void> {
  const problem = "Catching up with the chain and the mempool.";
  await writeRail(watch, { synchronized: false, nodeHeight: null, problem, caughtUpTo: null });
}

const SUBJECT = "BTC-CHAIN";

/** @throws LeaseLostError */
export async function alertNode(
  { ctx, lease }: ChainWatch,
  kind: "node-away" | "node-behind",
  message: string,
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await raiseAlert(manager, ctx, { kind, severity: "critical", subject: SUBJECT, message });
  });
}

/** @throws LeaseLostError */
export async function endNodeAlerts({ ctx, lease }: ChainWatch): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await resolveAlert(manager, ctx, "node-away", SUBJECT);
    await resolveAlert(manager, ctx, "node-behind", SUBJECT);
  });
}

/** The words of the open alert about blocks that were pruned before they were read, if there is one. */
export async function openPruneProblem({ ctx }: ChainWatch): Promise<string | null> {
  const [alert] = await ctx.db.query<{ message: string }[]>(
    `SELECT message FROM alerts WHERE kind = 'node-behind' AND subject LIKE 'pruned %' AND resolved_at IS NULL
     ORDER BY at LIMIT 1`,
  );
  return alert?.message ?? null;
}
