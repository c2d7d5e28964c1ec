import { coinKey, type StoredBlock } from "./chain";
import type { NodeCore } from "./node-core";
import { RPC, RpcError } from "./rpc-error";
import { hash, integer, scriptOf, text, toBtc, type Method, type Params } from "./rpc-params";

/** What the chain is. */
export function chainMethods(core: NodeCore): Record<string, Method> {
  const { chain } = core;
  const blockOf = (params: Params): StoredBlock => {
    const block = chain.blocks.get(hash(params, 0, "blockhash"));
    if (!block) throw new RpcError(RPC.notFound, "Block not found");
    return block;
  };
  return {
    getblockchaininfo: () => ({
      chain: "regtest",
      blocks: chain.tip.height,
      headers: chain.tip.height,
      bestblockhash: chain.tip.hash,
      time: chain.tip.block.timestamp,
      mediantime: chain.medianTime(chain.tip),
      initialblockdownload: false,
      pruned: false,
    }),
    getbestblockhash: () => chain.tip.hash,
    getblockcount: () => chain.tip.height,
    getblockhash: (params) => {
      const block = chain.at(integer(params, 0, "height"));
      if (!block) throw new RpcError(RPC.invalidParameter, "Block height out of range");
      return block.hash;
    },
    getblockheader: (params) => headerJson(core, blockOf(params)),
    gettxout: (params) => coinJson(core, params),
    getblock: (params) => {
      const block = blockOf(params);
      if (params[1] !== 0)
        throw new RpcError(RPC.invalidParameter, "this simulated node has verbosity 0 alone");
      return block.raw.toString("hex");
    },
  };
}

/** What mines, and what the node says of itself. It has no peers. */
export function controlMethods(core: NodeCore): Record<string, Method> {
  return {
    generatetoaddress: (params) => {
      const script = scriptOf(text(params, 1, "address"));
      return Array.from({ length: integer(params, 0, "nblocks") }, () => core.mineMempool(script));
    },
    getpeerinfo: () => [],
    ping: () => null,
    uptime: () => core.clock() - core.startedAt,
    getnetworkinfo: () => ({
      version: 290000,
      subversion: "/devnet:29.0.0/",
      localrelay: true,
      connections: 0,
    }),
  };
}

/** Null: spent, in no block, or never there. */
function coinJson({ chain }: NodeCore, params: Params): Record<string, unknown> | null {
  const coin = chain.coins.get(coinKey(hash(params, 0, "txid"), integer(params, 1, "n")));
  if (coin === undefined) return null;
  return {
    bestblock: chain.tip.hash,
    confirmations: chain.tip.height - (coin.height ?? 0) + 1,
    value: toBtc(coin.valueSats),
    scriptPubKey: { hex: coin.scriptPubKey.toString("hex") },
    coinbase: coin.coinbase,
  };
}

function headerJson(core: NodeCore, block: StoredBlock): Record<string, unknown> {
  return {
    hash: block.hash,
    confirmations: core.chain.isActive(block) ? core.chain.tip.height - block.height + 1 : -1,
    height: block.height,
    time: block.block.timestamp,
    mediantime: core.chain.medianTime(block),
    ...(block.height > 0 ? { previousblockhash: block.previousHash } : {}),
  };
}
