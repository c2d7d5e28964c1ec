import type { KnownTxids } from "../../domain/chain/known-txids";
import type { LeaderContext } from "../context";
import type { ChainPort } from "../ports";

/**
 * A leader's, which does one thing after the other: two transactions that spend the same coin may share no lock, but
 * each has to find what the other wrote.
 */
export interface ChainWatch {
  ctx: LeaderContext;
  chain: ChainPort;
  /** Read of the mempool by this process, where it follows the chain. */
  known?: KnownTxids;
}
