import type { KnownTxids } from "../../domain/chain/known-txids";
import type { CommandContext } from "../context";
import type { WatchedNode } from "../lightning/lightning-node";
import type { Lease } from "./lease";
import type { ChainPort, LightningPort } from "../ports";

/** A leader's. Every transaction in which it writes checks the lease first. */
export interface Watch {
  ctx: CommandContext;
  lease: Lease;
}

export interface ChainWatch extends Watch {
  chain: ChainPort;
  /** Read of the mempool by this process, where it follows the chain. */
  known?: KnownTxids;
}

export interface LightningWatch extends Watch {
  node: WatchedNode;
  lightning: LightningPort;
}
