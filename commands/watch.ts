import type { CommandContext } from "./context";
import type { Lease } from "./lease";
import type { ChainPort } from "./ports";

/** What the leading chain-watch works with. Every transaction that it writes in checks the lease first. */
export interface ChainWatch {
  ctx: CommandContext;
  chain: ChainPort;
  lease: Lease;
}
