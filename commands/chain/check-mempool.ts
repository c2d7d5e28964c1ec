import type { KnownTxids } from "../../domain/chain/known-txids";
import { recordReplacements } from "./check-pending";
import { detectOnchainPayments } from "./detect-onchain-payments";
import type { ChainWatch } from "./chain-watch";

/** Raw transactions in memory at once. */
const CHUNK = 500;
/** Transactions between two log lines about a long scan. */
const PROGRESS_TRANSACTIONS = 25_000;

export interface MempoolCheck {
  txids: readonly string[];
  /** Answers of the node that were not a transaction. */
  malformed: number;
  /** Something contradicted the processed blocks: walk along the chain and check again. */
  contradicted: boolean;
}

/**
 * Reads every mempool transaction that was not read before; those that left and came back are read again. `onChunk`
 * is called between chunks, so that other work continues during a long scan.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function checkMempool(
  watch: ChainWatch,
  known: KnownTxids,
  signal: AbortSignal,
  onChunk: () => Promise<void>,
): Promise<MempoolCheck> {
  const { ctx, chain } = watch;
  const txids = await chain.mempoolTxids();
  const listedAt = await ctx.now(ctx.db.manager);
  const unknown = known.takeUnknown(txids);
  if (unknown.length > 0) known.forget(await recordReplacements(watch));
  const check = { txids, malformed: 0, contradicted: false };
  const again = new Set(unknown);
  try {
    for (let from = 0; from < unknown.length; from += CHUNK) {
      signal.throwIfAborted();
      const raws = await chain.mempoolTransactions(unknown.slice(from, from + CHUNK));
      const detected = await detectOnchainPayments(watch, [...raws.values()]);
      // A transaction that left before it could be read stays unknown.
      for (const txid of raws.keys()) again.delete(txid);
      for (const txid of detected.lookAgain) again.add(txid);
      // A hint may have recorded meanwhile what this scan found replaced.
      known.forget(detected.lookAgain);
      check.malformed += detected.malformed;
      check.contradicted ||= detected.contradicted;
      const done = from + CHUNK;
      if (done % PROGRESS_TRANSACTIONS === 0) ctx.log.info({ done, of: unknown.length }, "mempool: scanning");
      await onChunk();
    }
  } finally {
    known.replace(txids, again, listedAt);
  }
  return check;
}
