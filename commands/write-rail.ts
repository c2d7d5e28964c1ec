import type { PaymentMethodType } from "../domain/invoice/status";
import { assertLease } from "./lease";
import { raiseAlert, resolveAlert } from "./raise-alert";
import type { Watch } from "./watch";

export interface RailReport {
  type: PaymentMethodType;
  synchronized: boolean;
  /** Null when the node did not tell, or has none to tell. */
  nodeHeight: number | null;
  /** In words without hosts or secrets; null when all is well. */
  problem: string | null;
  /** Start of a complete check; null when this was none. */
  caughtUpTo: Date | null;
  /** Lightning alone: null when the node did not tell. */
  receivableSats?: bigint | null;
}

/** Writes how far a rail was looked at. `caughtUpTo` never goes back. @throws LeaseLostError */
export async function writeRail({ ctx, lease }: Watch, report: RailReport): Promise<void> {
  const { type, synchronized, nodeHeight, problem, caughtUpTo, receivableSats = null } = report;
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await manager.query(
      `INSERT INTO rails (type, caught_up_to, checked_at, synchronized, node_height, problem, receivable_sats)
       VALUES ($1, $2, clock_timestamp(), $3, $4, $5, $6)
       ON CONFLICT (type) DO UPDATE SET
         caught_up_to = GREATEST(rails.caught_up_to, excluded.caught_up_to), checked_at = excluded.checked_at,
         synchronized = excluded.synchronized, node_height = COALESCE(excluded.node_height, rails.node_height),
         problem = excluded.problem, receivable_sats = excluded.receivable_sats`,
      [type, caughtUpTo, synchronized, nodeHeight, problem, receivableSats?.toString() ?? null],
    );
  });
}

/** Says that the watcher is at work in a check that takes long. @throws LeaseLostError */
export async function tellLongCheck(watch: Watch): Promise<void> {
  await writeRail(watch, {
    type: "BTC-CHAIN",
    synchronized: false,
    nodeHeight: null,
    problem: "Catching up with the chain and the mempool.",
    caughtUpTo: null,
  });
}

const TROUBLES = {
  "BTC-CHAIN": ["node-away", "node-behind"],
  "BTC-LN": ["lightning-away", "lightning-locked", "lightning-forbidden"],
} as const;

/** What keeps a rail's node from being used. */
export type NodeTrouble = (typeof TROUBLES)[PaymentMethodType][number];

/** @throws LeaseLostError */
export async function alertNode(
  { ctx, lease }: Watch,
  type: PaymentMethodType,
  kind: NodeTrouble,
  message: string,
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await raiseAlert(manager, ctx, { kind, severity: "critical", subject: type, message });
  });
}

/** Ends the alerts about a rail's node, but for the one that goes on. @throws LeaseLostError */
export async function endNodeAlerts(
  { ctx, lease }: Watch,
  type: PaymentMethodType,
  goesOn?: NodeTrouble,
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    for (const kind of TROUBLES[type]) if (kind !== goesOn) await resolveAlert(manager, ctx, kind, type);
  });
}

/** The words of the open alert about blocks that were pruned before they were read, if there is one. */
export async function openPruneProblem({ ctx }: Watch): Promise<string | null> {
  const [alert] = await ctx.db.query<{ message: string }[]>(
    `SELECT message FROM alerts WHERE kind = 'node-behind' AND subject LIKE 'pruned %' AND resolved_at IS NULL
     ORDER BY at LIMIT 1`,
  );
  return alert?.message ?? null;
}
