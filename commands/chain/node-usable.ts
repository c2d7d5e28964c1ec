import type { Network } from "../../domain/network";
import type { CommandContext } from "../context";
import type { ChainPort, NodeInfo } from "../ports";

const NODE_CHAINS: Record<Network, string> = {
  mainnet: "main",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest",
};

/** Why nothing may be concluded from the node; null when it is ours and has loaded its chain and mempool. */
export async function whyNotUsable(
  ctx: CommandContext,
  chain: ChainPort,
  info: NodeInfo,
): Promise<string | null> {
  const expected = NODE_CHAINS[ctx.settings.network];
  if (info.chain !== expected)
    return `The Bitcoin node is on the network "${info.chain}", but this installation is for "${expected}".`;
  if (info.initialBlockDownload) return "The Bitcoin node is still downloading the chain.";
  if (!(await chain.mempoolLoaded())) return "The Bitcoin node is still loading its mempool.";
  return null;
}
