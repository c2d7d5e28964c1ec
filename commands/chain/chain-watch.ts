import type { KnownTxids } from "../../domain/chain/known-txids";
import type { LeaderContext } from "../context";
import type { ChainPort } from "../ports";
import { type InTurn, limitConcurrency } from "../../database/limit-concurrency";
import type { Lease } from "../../database/lease";

/** A leader's. Every transaction in which it writes checks the lease first. */
export interface ChainWatch {
  ctx: LeaderContext;
  chain: ChainPort;
  /** Read of the mempool by this process, where it follows the chain. */
  known?: KnownTxids;
}

const turns = new WeakMap<Lease, InTurn>();

/**
 * Serialises a leader's writes about the chain, although it processes hints and complete checks concurrently. Two
 * transactions that spend the same coin may share no invoice and so no lock, but each has to find what the other
 * wrote. Queries to the node about a mempool transaction belong inside the serialised function, so that a block
 * that contradicts the answer comes either before the query or after the record.
 */
export function serializeChainWrites<T>({ ctx: { lease } }: ChainWatch, work: () => Promise<T>): Promise<T> {
  const inTurn = turns.get(lease) ?? limitConcurrency(1);
  turns.set(lease, inTurn);
  return inTurn(work);
}
