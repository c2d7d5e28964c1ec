import type { Network } from "../domain/network";
import type { PaymentMethodType } from "../domain/invoice/status";
import { ChainBlock } from "../entities/chain-block";
import { Rail } from "../entities/rail";
import type { CommandContext } from "./context";

/** How far a rail's node, and we after it, have come. */
export interface RailInfo {
  type: PaymentMethodType;
  synchronized: boolean;
  nodeHeight: number | null;
  /** The last block that was processed. */
  height: number | null;
  lagBlocks: number | null;
  /** Since the start of the last complete look at the node. */
  lagSeconds: number | null;
  /** In words, without hosts and secrets. */
  problem: string | null;
}

export interface ServerInfo {
  version: string;
  network: Network;
  /** What this server can take. A store offers those that were set up for it. */
  paymentMethods: PaymentMethodType[];
  rails: RailInfo[];
}

/** What a merchant may know of the server: nothing of what it owns, and no host. */
export async function readServerInfo(ctx: CommandContext): Promise<ServerInfo> {
  const { version, network } = ctx.settings;
  if (ctx.chain === null) return { version, network, paymentMethods: [], rails: [] };
  return { version, network, paymentMethods: ["BTC-CHAIN"], rails: [await bitcoin(ctx)] };
}

async function bitcoin({ db, now }: CommandContext): Promise<RailInfo> {
  const rail = await db.manager.findOneBy(Rail, { type: "BTC-CHAIN" });
  const height = await db.manager.maximum(ChainBlock, "height");
  const { synchronized = false, nodeHeight = null, caughtUpTo = null } = rail ?? {};
  const at = await now(db.manager);
  return {
    type: "BTC-CHAIN",
    synchronized,
    nodeHeight,
    height,
    lagBlocks: nodeHeight === null || height === null ? null : Math.max(0, nodeHeight - height),
    lagSeconds: caughtUpTo && Math.max(0, Math.round((at.getTime() - caughtUpTo.getTime()) / 1_000)),
    problem: rail === null ? "The chain was not looked at yet." : rail.problem,
  };
}
