import type { Evidence, FoundTransaction, OnchainPayment, PaidInvoice } from "./onchain-payment";
import { isDust } from "./dust";

/** A miner's clock may be two hours off, and a block's time below that of its parent. */
export const BLOCK_TIME_MARGIN_MS = 4 * 3_600_000;

/** Whether a block was surely mined before an invoice was created. */
export function isMinedBefore(minedAt: Date, createdAt: Date): boolean {
  return createdAt.getTime() > minedAt.getTime() + BLOCK_TIME_MARGIN_MS;
}

/**
 * A transaction that was mined before the invoice was created, and was not seen in the mempool after that, paid for
 * an earlier use of the address: a rescan may find it. The other explanation is a database clock that is far ahead.
 */
export function isOlderThan(invoice: PaidInvoice, evidence: Evidence): boolean {
  return evidence.where !== "mempool" && isMinedBefore(evidence.minedAt, invoice.createdAt);
}

/** The invoices that a transaction pays by an output that does not count because it is older than they are. */
export function paidBeforeTheyWereMade(
  { tx, outputs }: FoundTransaction,
  existing: ReadonlyMap<string, OnchainPayment>,
  evidence: Evidence,
): PaidInvoice[] {
  const older = outputs.filter(
    ({ output, invoice }) =>
      isOlderThan(invoice, evidence) && !isDust(output) && !existing.has(`${tx.txid}:${output.vout}`),
  );
  return [...new Set(older.map(({ invoice }) => invoice))];
}
