import type { NodeFault } from "../../domain/errors";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { markLoss, upsertSync } from "./queries";
import type { Watch } from "./watch";
import { inTransaction, type Tx } from "../transaction";

export interface SyncReport {
  type: PaymentMethodType;
  synchronized: boolean;
  /** Null: not reported, or none. */
  nodeHeight: number | null;
  /** Without hosts or secrets; null when all is well. */
  problem: string | null;
  /** The start of a complete check; null if incomplete. */
  caughtUpTo: Date | null;
  fault?: NodeFault | null;
  /** Lightning only; null: not reported. */
  receivableSats?: bigint | null;
}

/** Checks follow one another: `caughtUpTo` goes back only with the database's clock. @throws LeaseLostError */
export async function writeSync(
  { ctx }: Watch,
  report: SyncReport,
  alongside: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { type, synchronized, nodeHeight, problem, caughtUpTo, fault = null, receivableSats = null } = report;
  await inTransaction(ctx, async (tx) => {
    await alongside(tx);
    await upsertSync(
      tx.manager,
      type,
      caughtUpTo,
      synchronized,
      nodeHeight,
      problem,
      receivableSats?.toString() ?? null,
      fault,
    );
  });
}

/** A payment was lost or a block undone: noted until the next complete check. */
export async function noteLoss({ manager }: Tx): Promise<void> {
  await markLoss(manager);
}

/** The watcher works on a check that takes long. @throws LeaseLostError */
export async function reportLongCheck(watch: Watch): Promise<void> {
  await writeSync(watch, {
    type: "BTC-CHAIN",
    synchronized: false,
    nodeHeight: null,
    problem: "Catching up with the chain and the mempool.",
    caughtUpTo: null,
  });
}
