import type { KnownTxids } from "../../domain/chain/known-txids";
import type { CommandContext } from "../context";
import type { Lease } from "./lease";
import type { ChainPort, LightningPort } from "../ports";

/** The dependencies of a leader. Every transaction in which it writes checks the lease first. */
export interface Watch {
  ctx: CommandContext;
  lease: Lease;
}

/** The dependencies of the leading chain-watch. */
export interface ChainWatch extends Watch {
  chain: ChainPort;
  /** What this process has read of the mempool, where it follows the chain. */
  known?: KnownTxids;
}

/** The dependencies of the leading lightning-watch. */
export interface LightningWatch extends Watch {
  lightning: LightningPort;
}
