import { Transaction } from "bitcoinjs-lib";
import { addressOfScript } from "../../../domain/wallet/address";
import type { MempoolEntry } from "./mempool";
import type { NodeCore } from "./node-core";
import { RPC, RpcError } from "./rpc-error";
import { hash, text, toBtc, type Method, type Params } from "./rpc-params";

/** The first byte of a script that nobody can spend. */
const OP_RETURN = 0x6a;

/** The methods of the mempool and of single transactions. */
export function mempoolMethods(core: NodeCore): Record<string, Method> {
  const { mempool } = core;
  const entryOf = (params: Params): MempoolEntry => mempool.entryOf(hash(params, 0, "txid"));
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
      loaded: true,
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
    sendrawtransaction: (params) => send(core, params),
  };
}

/** With its limit on burnt bitcoins. */
function send(core: NodeCore, params: Params): string {
  const tx = parseTx(text(params, 0, "hexstring"));
  const burntMaxSats = BigInt(Math.round(Number(params[2] ?? 0) * 1e8));
  const burns = tx.outs.some(({ script, value }) => script[0] === OP_RETURN && value > burntMaxSats);
  const tooMuch = "Unspendable output exceeds maximum configured by user (maxburnamount)";
  if (burns) throw new RpcError(RPC.missingInputs, tooMuch);
  return core.broadcast(tx);
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
    // published below
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
