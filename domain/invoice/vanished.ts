import { isDoubleSpent } from "../chain/onchain-payment";
import { isLacking, type Phase } from "./phase";
import { counts } from "./sums";

type CountedRow = Parameters<typeof isDoubleSpent>[0] & { neverCounts: boolean };
type PaymentRow = CountedRow & { txid: string | null; conflictTxid: string | null };

/** `counts` of a row. */
export function countsByRow(row: CountedRow): boolean {
  return counts({ ...row, doubleSpent: isDoubleSpent(row) });
}

/**
 * A change takes something from its invoice: rows 6, 7, 8 and 12 depend on what was paid instead. `before`:
 * null if new.
 */
export function isLoss(before: CountedRow | null, after: CountedRow): boolean {
  if (before === null) return false;
  return (countsByRow(before) && !countsByRow(after)) || (isDoubleSpent(after) && !isDoubleSpent(before));
}

/** A replacement, such as a transaction with a higher fee, counts however many others were in between. */
function hasVanished(payments: readonly PaymentRow[]): boolean {
  const there = new Set(payments.filter(countsByRow).map(({ txid }) => txid));
  const gone = payments.filter(({ state }) => state === "replaced" || state === "evicted");
  const replacedBy = new Map(gone.map(({ txid, conflictTxid }) => [txid, conflictTxid]));
  return gone.some((row) => {
    if (row.neverCounts) return false;
    const passed = new Set<string>();
    let next = row.conflictTxid;
    while (next !== null && !there.has(next) && !passed.has(next)) {
      passed.add(next);
      next = replacedBy.get(next) ?? null;
    }
    return next === null || !there.has(next);
  });
}

/** The remaining payments, pending ones too, are not enough. */
export function lacksVanished(
  { paidSats, minDueSats }: { paidSats: bigint; minDueSats: bigint },
  phase: Phase,
  payments: readonly PaymentRow[],
): boolean {
  return isLacking(phase) && paidSats < minDueSats && hasVanished(payments);
}
