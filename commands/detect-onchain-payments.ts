import { In } from "typeorm";
import { decodeTx, type DecodedTx } from "../domain/chain/decode-tx";
import { MalformedChainData } from "../domain/chain/wire-reader";
import { Invoice } from "../entities/invoice";
import { assertLease } from "./lease";
import { recordInTurn } from "./record-in-turn";
import { findHits, recordTransactions, type Hits } from "./record-transactions";
import type { ChainWatch } from "./watch";

export interface Detected {
  /** All that were looked at. */
  txids: string[];
  /** Payments that were seen for the first time. */
  payments: number;
  /** Bytes that were no transaction. */
  malformed: number;
  /** The mempool contradicted the processed blocks: walk the chain, then look again. */
  contradicted: boolean;
  /** Transactions that are news when they are met again: contradicted, replaced, or gone before we looked. */
  lookAgain: string[];
}

/**
 * Records the payments and conflicts among raw transactions that somebody says are in the mempool. That is believed
 * only of a transaction that concerns us, and after the node has said so itself: ZMQ tells of disconnected blocks'
 * transactions too. Safe to run at any time, in any order, any number of times.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function detectOnchainPayments(watch: ChainWatch, raws: readonly Buffer[]): Promise<Detected> {
  const detected: Detected = { txids: [], payments: 0, malformed: 0, contradicted: false, lookAgain: [] };
  const txs: DecodedTx[] = [];
  for (const raw of raws) {
    try {
      txs.push(decodeTx(raw));
    } catch (error) {
      if (!(error instanceof MalformedChainData)) throw error;
      detected.malformed += 1;
    }
  }
  detected.txids = txs.map(({ txid }) => txid);
  const hits = await findHits(watch.ctx.db.manager, txs);
  for (const tx of new Set([...hits.paid, ...hits.spent].map((hit) => hit.tx)))
    await detectOne(watch, tx, hits, detected);
  return detected;
}

async function detectOne(watch: ChainWatch, tx: DecodedTx, hits: Hits, detected: Detected): Promise<void> {
  const { ctx, chain, lease } = watch;
  // First, so that an answer about ancestors is not about a transaction that has left.
  const signalsReplaceability = await mayBeReplaced(watch, tx, hits);
  const recorded = await recordInTurn(lease, async () => {
    const entry = await chain.mempoolEntry(tx.txid);
    if (entry === null) return null;
    return ctx.db.transaction(async (manager) => {
      await assertLease(manager, lease);
      return recordTransactions(manager, ctx, [tx], {
        where: "mempool",
        now: await ctx.now(manager),
        acceptedAt: new Date(entry.timeSeconds * 1_000),
        signalsReplaceability,
      });
    });
  });
  if (recorded === null) {
    detected.lookAgain.push(tx.txid);
    return;
  }
  detected.payments += recorded.payments;
  detected.contradicted ||= recorded.contradicted;
  detected.lookAgain.push(...recorded.replacedTxids, ...(recorded.contradicted ? [tx.txid] : []));
  await ctx.enqueue(
    "invoices",
    recorded.invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
}

/** Asked of the node only where zero confirmations could be accepted. What it cannot tell counts as replaceable. */
async function mayBeReplaced({ ctx, chain }: ChainWatch, tx: DecodedTx, { paid }: Hits): Promise<boolean> {
  const ids = paid.filter((hit) => hit.tx === tx).map((hit) => hit.watched.invoiceId);
  const zeroConf = await ctx.db.manager.existsBy(Invoice, { id: In(ids), requiredConfirmations: 0 });
  if (!zeroConf || tx.signalsReplaceability) return true;
  const ancestors = await chain.mempoolAncestors(tx.txid);
  if (ancestors === null) return true;
  const raws = await chain.mempoolTransactions(ancestors);
  return ancestors.some((txid) => {
    const raw = raws.get(txid);
    return raw === undefined || decodeTx(raw).signalsReplaceability;
  });
}
