import { Transaction } from "bitcoinjs-lib";
import { addressOfScript, scriptOfAddress } from "../../../domain/chain/address";
import type { StoredBlock } from "./chain";
import type { MempoolEntry } from "./mempool";
import { nowSeconds, type NodeCore } from "./node-core";
import { RPC, RpcError } from "./rpc-error";

export type Params = readonly unknown[];
type Method = (params: Params) => unknown;

/** Sats as bitcoind prints them: a JSON number of bitcoins. */
export const toBtc = (sats: bigint): number => Number(sats) / 1e8;

export function text(params: Params, at: number, name: string): string {
  const value = params[at];
  if (typeof value !== "string") throw new RpcError(RPC.type, `${name} must be a string`);
  return value;
}

function integer(params: Params, at: number, name: string): number {
  const value = params[at];
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new RpcError(RPC.type, `${name} must be an integer`);
  }
  return value;
}

function hash(params: Params, at: number, name: string): string {
  const value = text(params, at, name);
  if (!/^[0-9a-f]{64}$/i.test(value)) {
    throw new RpcError(
      RPC.invalidParameter,
      `${name} must be of length 64 (not ${value.length}, for '${value}')`,
    );
  }
  return value.toLowerCase();
}

export function scriptOf(address: string): Buffer {
  const script = scriptOfAddress(address, "regtest");
  if (script === null) throw new RpcError(RPC.notFound, "Invalid address");
  return script;
}

/** The read-only methods of the chain. */
export function chainMethods(core: NodeCore): Record<string, Method> {
  const { chain } = core;
  const blockOf = (params: Params): StoredBlock => {
    const block = chain.blocks.get(hash(params, 0, "blockhash"));
    if (!block) throw new RpcError(RPC.notFound, "Block not found");
    return block;
  };
  return {
    getblockchaininfo: () => ({
      chain: core.faults.chain,
      blocks: chain.tip.height,
      headers: chain.tip.height,
      bestblockhash: chain.tip.hash,
      difficulty: 4.656542373906925e-10,
      time: chain.tip.block.timestamp,
      mediantime: chain.medianTime(chain.tip),
      verificationprogress: 1,
      initialblockdownload: core.faults.initialBlockDownload,
      chainwork: chainwork(chain.tip),
      size_on_disk: 0,
      pruned: core.faults.prunedBelow > 0,
      ...(core.faults.prunedBelow > 0 ? { pruneheight: core.faults.prunedBelow } : {}),
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
    getblock: (params) => {
      const block = blockOf(params);
      if (block.height < core.faults.prunedBelow) {
        throw new RpcError(RPC.misc, "Block not available (pruned data)");
      }
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
    invalidateblock: (params) => {
      core.invalidate(hash(params, 0, "blockhash"));
      return null;
    },
    reconsiderblock: (params) => {
      core.reconsider(hash(params, 0, "blockhash"));
      return null;
    },
    generatetoaddress: (params) => {
      const script = scriptOf(text(params, 1, "address"));
      return Array.from({ length: integer(params, 0, "nblocks") }, () => core.mineMempool(script));
    },
    uptime: () => nowSeconds() - core.startedAt,
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

/** The methods of the mempool and of single transactions. */
export function mempoolMethods(core: NodeCore): Record<string, Method> {
  const { mempool } = core;
  const entryOf = (params: Params): MempoolEntry => {
    const entry = mempool.entries.get(hash(params, 0, "txid"));
    if (!entry) throw new RpcError(RPC.notFound, "Transaction not in mempool");
    return entry;
  };
  return {
    getrawmempool: ([verbose, withSequence]) => {
      const txids = [...mempool.entries.keys()];
      if (verbose === true) {
        return Object.fromEntries(
          [...mempool.entries].map(([txid, entry]) => [txid, entryJson(core, entry)]),
        );
      }
      return withSequence === true ? { txids, mempool_sequence: mempool.sequence } : txids;
    },
    getmempoolinfo: () => ({
      loaded: !core.faults.mempoolLoading,
      size: mempool.entries.size,
      bytes: [...mempool.entries.values()].reduce((sum, { vsize }) => sum + vsize, 0),
      mempoolminfee: mempool.policy.minFeeRate / 1e5,
      minrelaytxfee: 0.00001,
      incrementalrelayfee: 0.00001,
      unbroadcastcount: 0,
      fullrbf: mempool.policy.fullRbf,
    }),
    getmempoolentry: (params) => entryJson(core, entryOf(params)),
    getmempoolancestors: (params) => {
      const ancestors = mempool.ancestors(entryOf(params).txid);
      if (params[1] !== true) return ancestors;
      return Object.fromEntries(
        ancestors.flatMap((txid) => {
          const entry = mempool.entries.get(txid);
          return entry ? [[txid, entryJson(core, entry)]] : [];
        }),
      );
    },
    gettxspendingprevout: ([outputs]) => {
      if (!Array.isArray(outputs) || outputs.length === 0) {
        throw new RpcError(RPC.invalidParameter, "Invalid parameter, outputs are missing");
      }
      return (outputs as { txid: string; vout: number }[]).map(({ txid, vout }) => {
        const spendingtxid = mempool.spenderOf(`${txid}:${vout}`);
        return spendingtxid === undefined ? { txid, vout } : { txid, vout, spendingtxid };
      });
    },
    getrawtransaction: (params) => rawTransaction(core, params),
    sendrawtransaction: (params) => core.broadcast(parseTx(text(params, 0, "hexstring"))),
  };
}

function entryJson(core: NodeCore, entry: MempoolEntry): Record<string, unknown> {
  const { mempool } = core;
  const ancestors = mempool.ancestors(entry.txid);
  const descendants = mempool.descendants(entry.txid);
  return {
    vsize: entry.vsize,
    weight: entry.tx.weight(),
    time: entry.timeSeconds,
    height: entry.height,
    ancestorcount: ancestors.length + 1,
    descendantcount: descendants.length + 1,
    wtxid: Buffer.from(entry.tx.getHash(true)).reverse().toString("hex"),
    fees: { base: toBtc(entry.feeSats), modified: toBtc(entry.feeSats) },
    depends: [...new Set(entry.spends.map((key) => key.slice(0, 64)))].filter((id) =>
      mempool.entries.has(id),
    ),
    spentby: [
      ...new Set(entry.tx.outs.flatMap((_, vout) => mempool.spenderOf(`${entry.txid}:${vout}`) ?? [])),
    ],
    "bip125-replaceable": mempool.isReplaceable(entry.txid),
    unbroadcast: false,
  };
}

function parseTx(hex: string): Transaction {
  try {
    const tx = Transaction.fromHex(hex);
    if (tx.ins.length > 0) return tx;
  } catch {
    // told below
  }
  throw new RpcError(RPC.deserialization, "TX decode failed. Make sure the tx has at least one input.");
}

/** There is no txindex: the mempool, or the block that is named. */
function rawTransaction(core: NodeCore, params: Params): unknown {
  const txid = hash(params, 0, "txid");
  const verbose = params[1] === true || (typeof params[1] === "number" && params[1] > 0);
  if (params[2] === undefined || params[2] === null) {
    const entry = core.mempool.entries.get(txid);
    if (!entry) {
      throw new RpcError(
        RPC.notFound,
        "No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions.",
      );
    }
    return verbose ? txJson(txid, entry.tx) : entry.raw.toString("hex");
  }
  const block = core.chain.blocks.get(hash(params, 2, "blockhash"));
  if (!block) throw new RpcError(RPC.notFound, "Block hash not found");
  const tx = block.txs[block.txids.indexOf(txid)];
  if (!tx) {
    throw new RpcError(
      RPC.notFound,
      "No such transaction found in the provided block. Use gettransaction for wallet transactions.",
    );
  }
  if (!verbose) return tx.toHex();
  return {
    in_active_chain: core.chain.isActive(block),
    ...txJson(txid, tx),
    blockhash: block.hash,
    confirmations: core.chain.isActive(block) ? core.chain.tip.height - block.height + 1 : 0,
    time: block.block.timestamp,
    blocktime: block.block.timestamp,
  };
}

function txJson(txid: string, tx: Transaction): Record<string, unknown> {
  return {
    txid,
    hash: Buffer.from(tx.getHash(true)).reverse().toString("hex"),
    version: tx.version,
    vsize: tx.virtualSize(),
    locktime: tx.locktime,
    vin: tx.ins.map((input) => ({
      txid: Buffer.from(input.hash).reverse().toString("hex"),
      vout: input.index,
      sequence: input.sequence,
    })),
    vout: tx.outs.map(({ script, value }, n) => ({
      value: toBtc(value),
      n,
      scriptPubKey: {
        hex: Buffer.from(script).toString("hex"),
        address: addressOfScript(script, "regtest") ?? undefined,
      },
    })),
    hex: tx.toHex(),
  };
}
