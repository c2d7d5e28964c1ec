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
      difficulty: 4.656542373906925e-10,
      time: chain.tip.block.timestamp,
      mediantime: chain.medianTime(chain.tip),
      verificationprogress: 1,
      initialblockdownload: false,
      chainwork: chainwork(chain.tip),
      size_on_disk: 0,
      pruned: false,
      warnings: [],
    }),
    getbestblockhash: () => chain.tip.hash,
    getblockcount: () => chain.tip.height,
    getblockhash: (params) => {
      const block = chain.at(integer(params, 0, "height"));
      if (!block) throw new RpcError(RPC.invalidParameter, "Block height out of range");
      return block.hash;
    },
    getblockheader: (params) => {
      const block = blockOf(params);
      return params[1] === false ? block.raw.toString("hex", 0, 80) : headerJson(core, block);
    },
    gettxout: (params) => coinJson(core, params),
    getblock: (params) => {
      const block = blockOf(params);
      const verbosity = params[1] ?? 1;
      if (verbosity === 0 || verbosity === false) return block.raw.toString("hex");
      if (verbosity !== 1 && verbosity !== true) {
        throw new RpcError(RPC.invalidParameter, "this simulated node has verbosity 0 and 1");
      }
      return {
        ...headerJson(core, block),
        size: block.raw.length,
        weight: block.block.weight(),
        tx: block.txids,
      };
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
      protocolversion: 70016,
      localrelay: true,
      networkactive: true,
      connections: 0,
      relayfee: core.mempool.policy.minFeeRate / 1e5,
      incrementalfee: 0.00001,
      warnings: [],
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

function chainwork(block: StoredBlock): string {
  return (2n * BigInt(block.height + 1)).toString(16).padStart(64, "0");
}

function headerJson(core: NodeCore, block: StoredBlock): Record<string, unknown> {
  const active = core.chain.isActive(block);
  const next = active ? core.chain.at(block.height + 1) : undefined;
  return {
    hash: block.hash,
    confirmations: active ? core.chain.tip.height - block.height + 1 : -1,
    height: block.height,
    version: block.block.version,
    versionHex: (block.block.version >>> 0).toString(16).padStart(8, "0"),
    merkleroot: Buffer.from(block.block.merkleRoot ?? [])
      .reverse()
      .toString("hex"),
    time: block.block.timestamp,
    mediantime: core.chain.medianTime(block),
    nonce: block.block.nonce,
    bits: block.block.bits.toString(16),
    difficulty: 4.656542373906925e-10,
    chainwork: chainwork(block),
    nTx: block.txids.length,
    ...(block.height > 0 ? { previousblockhash: block.previousHash } : {}),
    ...(next ? { nextblockhash: next.hash } : {}),
  };
}
