import type { EntityManager } from "typeorm";
import { decodeTx, type DecodedTx, MalformedChainData } from "../../domain/chain/decode-tx";
import { leastGainFirst } from "../../domain/chain/match-outputs";
import { decideInvoices } from "../invoices/change-invoice";
import { isItemFailure } from "../../database/item-failure";
import { onOneConnection, pipelined } from "../../database/pipelined";
import type { ChainPort, MempoolEntry } from "../ports";
import { ANCESTORS_MAX, rememberAncestors } from "./payment-transactions";
import {
  findMatches,
  findSpends,
  invoicesPaidIn,
  matchesOf,
  recordTransactions,
  type ScriptMatches,
} from "./record-transactions";
import { readCounted } from "./payment-queries";
import { readSetAside, setAside } from "./set-aside";
import type { ChainWatch } from "./chain-watch";
import { inTransaction } from "../transaction";

export interface Detection {
  /** All transactions that were read. */
  txids: string[];
  /** Payments that were seen for the first time. */
  payments: number;
  /** Answers of the node that were not a transaction. */
  malformed: number;
  /** The mempool contradicted the processed blocks: walk along the chain, then check again. */
  contradicted: boolean;
  /** Transactions to be read again when they reappear: contradicted, replaced, or gone before they were read. */
  lookAgain: string[];
}

const nothingDetected = (): Detection => ({
  txids: [],
  payments: 0,
  malformed: 0,
  contradicted: false,
  lookAgain: [],
});

/**
 * Records the payments and conflicts among raw transactions reported as in the mempool, and decides their invoices,
 * one transaction after the other. For a transaction that concerns us the node is asked to confirm that it is in
 * the mempool, since ZMQ also publishes transactions of disconnected blocks. Idempotent and safe in any order.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function detectOnchainPayments(watch: ChainWatch, raws: readonly Buffer[]): Promise<Detection> {
  const detected = nothingDetected();
  const txs = decodeEach(raws);
  detected.malformed = raws.length - txs.length;
  detected.txids = txs.map(({ txid }) => txid);
  const { db } = watch.ctx;
  const [hits, skipped] = await onOneConnection(db, (manager) =>
    pipelined(findMatches(manager, txs), readSetAside(manager, detected.txids)),
  );
  const ours = leastGainFirst(hits, await countedSats(db.manager, hits.spent));
  const found = { ...hits, mayBeOld: ours.length > 1 };
  for (const tx of ours) if (!skipped.has(tx.txid)) await tryDetectOne(watch, tx, found, detected);
  return detected;
}

/** `mayBeOld`: an earlier write of this run may spend the same coin. Other processes record only what is in blocks. */
type Found = ScriptMatches & { mayBeOld: boolean };

/** The counted sats of each transaction whose coins are spent. */
async function countedSats(
  manager: EntityManager,
  spent: ScriptMatches["spent"],
): Promise<ReadonlyMap<string, bigint>> {
  if (spent.length === 0) return new Map();
  const { rows } = await readCounted(manager, [...new Set(spent.map(({ watched }) => watched.txid))]);
  return new Map(rows.map(({ txid, sats }) => [txid, BigInt(sats)]));
}

/** Retries a transaction that was set aside. False if it could not be read now. Rejects when it fails again. */
export async function detectAgain(watch: ChainWatch, raw: Buffer): Promise<boolean> {
  const tx = decodeTx(raw);
  const detected = nothingDetected();
  const hits = await findMatches(watch.ctx.db.manager, [tx]);
  await detectOne(watch, tx, { ...hits, mayBeOld: false }, detected);
  return !detected.lookAgain.includes(tx.txid);
}

/** A transaction that cannot be processed does not stop the others from being detected. */
async function tryDetectOne(
  watch: ChainWatch,
  tx: DecodedTx,
  found: Found,
  detected: Detection,
): Promise<void> {
  try {
    await detectOne(watch, tx, found, detected);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    const { ctx } = watch;
    const item = { txid: tx.txid, invoiceIds: invoicesPaidIn(found, tx) };
    await inTransaction(ctx, (tx) => setAside(tx, item, error));
  }
}

async function detectOne(
  watch: ChainWatch,
  decoded: DecodedTx,
  found: Found,
  detected: Detection,
): Promise<void> {
  const { ctx, chain } = watch;
  const { paid, spent } = matchesOf(found, decoded);
  const present = await findInMempool(chain, decoded.txid, paid.length > 0);
  if (present === null) {
    detected.lookAgain.push(decoded.txid);
    return;
  }
  const { entry, ancestors } = present;
  const sighting = {
    where: "mempool",
    acceptedAt: new Date(entry.timeSeconds * 1_000),
    hasUnconfirmedAncestors: entry.hasUnconfirmedParents,
  } as const;
  const done = await inTransaction(ctx, async (tx) => {
    const hits = found.mayBeOld ? { paid, spent: await findSpends(tx.manager, [decoded]) } : { paid, spent };
    return recordTransactions(tx, hits, sighting, watch.known, (invoiceIds) =>
      pipelined(rememberAncestors(tx, decoded.txid, ancestors), decideInvoices(tx, invoiceIds)),
    );
  });
  if (done === null) return;
  detected.payments += done.payments;
  detected.contradicted ||= done.contradicted;
  detected.lookAgain.push(...done.replacedTxids, ...(done.contradicted ? [decoded.txid] : []));
}

/** A transaction as it is in the mempool, with the ancestors that are in no block either. Null when it has left. */
async function findInMempool(
  chain: ChainPort,
  txid: string,
  withAncestors: boolean,
): Promise<{ entry: MempoolEntry; ancestors: DecodedTx[] } | null> {
  const entry = await chain.mempoolEntry(txid);
  if (!entry?.hasUnconfirmedParents || !withAncestors) return entry && { entry, ancestors: [] };
  const txids = (await chain.mempoolAncestors(txid)) ?? [];
  const raws = await chain.mempoolTransactions(txids.slice(0, ANCESTORS_MAX + 1));
  // While it is in the mempool none of its ancestors was replaced, so a missing one was mined.
  const stands = (await chain.mempoolEntry(txid)) !== null;
  return stands ? { entry, ancestors: decodeEach([...raws.values()]) } : null;
}

/** Leaves out invalid transactions. */
function decodeEach(raws: readonly Buffer[]): DecodedTx[] {
  return raws.flatMap((raw) => {
    try {
      return [decodeTx(raw)];
    } catch (error) {
      if (!(error instanceof MalformedChainData)) throw error;
      return [];
    }
  });
}
