import { markLoss, upsertSync } from "./queries";
import type { LeaderContext } from "../context";
import { inTransaction, type Tx } from "../transaction";

export interface SyncReport {
  synchronized: boolean;
  /** Null: not reported, or none. */
  nodeHeight: number | null;
  /** Without hosts or secrets; null when all is well. */
  problem: string | null;
  /** The start of a complete check; null if incomplete. */
  caughtUpTo: Date | null;
}

/** Checks follow one another: `caughtUpTo` goes back only with the database's clock. @throws LeaseLostError */
export async function writeSync(
  ctx: LeaderContext,
  report: SyncReport,
  alongside: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { synchronized, nodeHeight, problem, caughtUpTo } = report;
  await inTransaction(ctx, async (tx) => {
    await alongside(tx);
    await upsertSync(tx.manager, caughtUpTo, synchronized, nodeHeight, problem);
  });
}

/** A payment was lost or a block undone: noted until the next complete check. */
export async function noteLoss({ manager }: Tx): Promise<void> {
  await markLoss(manager);
}

/** The watcher works on a check that takes long. @throws LeaseLostError */
export async function reportLongCheck(ctx: LeaderContext): Promise<void> {
  await writeSync(ctx, {
    synchronized: false,
    nodeHeight: null,
    problem: "Catching up with the chain and the mempool.",
    caughtUpTo: null,
  });
}
