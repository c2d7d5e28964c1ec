import type { EntityManager } from "typeorm";
import type { KnownTxids } from "../../domain/chain/known-txids";
import type { Sighting } from "../../domain/chain/onchain-payment";
import { isItemFailure } from "../../database/item-failure";
import type { CommandContext } from "../context";
import { markDue, type TouchedInvoices } from "../invoices/decide-invoices";
import { invoicesPaidIn, matchesOf, recordTransactions, type ScriptMatches } from "./record-transactions";
import { setAside } from "./set-aside";

interface Recorded extends TouchedInvoices {
  /** Payments that were seen for the first time. */
  payments: number;
  /** Transactions that were set aside. */
  failed?: string[];
}

/** Records what a block's transactions mean, in the caller's transaction. Null if they do not concern us. */
export type RecordBlock = (
  manager: EntityManager,
  ctx: CommandContext,
  hits: ScriptMatches,
  sighting: Extract<Sighting, { where: "block" }>,
  known?: KnownTxids,
) => Promise<Recorded | null>;

/** `work` records a block's transactions together; where that fails, it runs again and records each alone. */
export async function togetherOrEach<T>(work: (record: RecordBlock) => Promise<T>): Promise<T> {
  try {
    return await work(recordTransactions);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    return work(recordEach);
  }
}

/** A transaction that fails is set aside. */
const recordEach: RecordBlock = async (manager, ctx, hits, sighting, known) => {
  const failed: string[] = [];
  const invoiceIds = new Set<string>();
  let payments = 0;
  const txs = new Set([...hits.paid, ...hits.spent].map((hit) => hit.tx));
  if (txs.size === 0) return null;
  for (const tx of txs)
    try {
      // Nested: a savepoint.
      const one = await manager.transaction(async (within) => {
        const recorded = await recordTransactions(within, ctx, matchesOf(hits, tx), sighting, known);
        // An invoice whose row cannot be written fails here, and not later with the whole block.
        if (recorded !== null) await markDue(within, recorded.invoiceIds, recorded.now);
        return recorded;
      });
      for (const invoiceId of one?.invoiceIds ?? []) invoiceIds.add(invoiceId);
      payments += one?.payments ?? 0;
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      failed.push(tx.txid);
      const item = { txid: tx.txid, block: sighting, invoiceIds: invoicesPaidIn(hits, tx) };
      await setAside(manager, ctx, item, error);
    }
  return { invoiceIds: [...invoiceIds], payments, failed, now: await ctx.now(manager) };
};
