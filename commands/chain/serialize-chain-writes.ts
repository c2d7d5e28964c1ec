import { type InTurn, limitConcurrency } from "../../database/limit-concurrency";
import type { Lease } from "../server/lease";

const turns = new WeakMap<Lease, InTurn>();

/**
 * Serialises a leader's writes about the chain, though it processes hints and complete checks concurrently. Two
 * transactions that spend the same coin may share no invoice and so no lock: each has to find what the other wrote.
 * Questions to the node about a mempool transaction belong into the queue's turn, so that a block that contradicts it
 * comes either before the answer or after the record.
 */
export function serializeChainWrites<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  const inTurn = turns.get(lease) ?? limitConcurrency(1);
  turns.set(lease, inTurn);
  return inTurn(work);
}
