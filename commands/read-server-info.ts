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
  const rails = [
    ...(ctx.chain === null ? [] : [await bitcoin(ctx)]),
    ...(ctx.lightning === null ? [] : [await lightning(ctx)]),
  ];
  return { version, network, paymentMethods: rails.map(({ type }) => type), rails };
}

async function bitcoin({ db, now }: CommandContext): Promise<RailInfo> {
  const rail = await db.manager.findOneBy(Rail, { type: "BTC-CHAIN" });
  const height = await db.manager.maximum(ChainBlock, "height");
  const nodeHeight = rail?.nodeHeight ?? null;
  return {
    type: "BTC-CHAIN",
    synchronized: rail?.synchronized ?? false,
    nodeHeight,
    height,
    lagBlocks: nodeHeight === null || height === null ? null : Math.max(0, nodeHeight - height),
    lagSeconds: await age(rail, { db, now }),
    problem: rail === null ? "The chain was not looked at yet." : rail.problem,
  };
}

/** Of the node's money and channels nothing: they are the operator's. */
async function lightning({ db, now }: CommandContext): Promise<RailInfo> {
  const rail = await db.manager.findOneBy(Rail, { type: "BTC-LN" });
  return {
    type: "BTC-LN",
    synchronized: rail?.synchronized ?? false,
    nodeHeight: null,
    height: null,
    lagBlocks: null,
    lagSeconds: await age(rail, { db, now }),
    problem: rail === null ? "LND was not looked at yet." : rail.problem,
  };
}

/** In seconds. */
async function age(
  rail: Rail | null,
  { db, now }: Pick<CommandContext, "db" | "now">,
): Promise<number | null> {
  if (!rail?.caughtUpTo) return null;
  const at = await now(db.manager);
  return Math.max(0, Math.round((at.getTime() - rail.caughtUpTo.getTime()) / 1_000));
}
