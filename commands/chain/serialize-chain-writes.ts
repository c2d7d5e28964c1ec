import { type InTurn, limitConcurrency } from "../../database/limit-concurrency";
import type { Lease } from "../server/lease";

const turns = new WeakMap<Lease, InTurn>();

/**
 * What a leader records of the chain, one after the other, though it looks at news and at everything beside each other.
 * Two transactions that spend the same coin may share no invoice and so no lock: each has to find what the other wrote.
 * What the node is asked about a transaction in the mempool belongs into the turn, so that a block that contradicts it
 * comes either before the answer or behind the record.
 */
export function serializeChainWrites<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  const inTurn = turns.get(lease) ?? limitConcurrency(1);
  turns.set(lease, inTurn);
  return inTurn(work);
}
