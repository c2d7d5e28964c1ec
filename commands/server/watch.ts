import type { CommandContext } from "../context";
import type { Lease } from "./lease";
import type { ChainPort, LightningPort } from "../ports";

/** What a leader works with. Every transaction that it writes in checks the lease first. */
export interface Watch {
  ctx: CommandContext;
  lease: Lease;
}

/** What the leading chain-watch works with. */
export interface ChainWatch extends Watch {
  chain: ChainPort;
}

/** What the leading lightning-watch works with. */
export interface LightningWatch extends Watch {
  lightning: LightningPort;
}
