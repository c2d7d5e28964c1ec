import { Transaction } from "bitcoinjs-lib";
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
    getrawmempool: () => [...mempool.entries.keys()],
    getmempoolinfo: () => ({
      loaded: true,
      size: mempool.entries.size,
      mempoolminfee: mempool.policy.minFeeRate / 1e5,
    }),
    getmempoolentry: (params) => entryJson(core, entryOf(params)),
    getmempoolancestors: (params) => mempool.ancestors(entryOf(params).txid),
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

function entryJson({ mempool }: NodeCore, entry: MempoolEntry): Record<string, unknown> {
  const { txid, vsize, timeSeconds, height, feeSats } = entry;
  return {
    vsize,
    time: timeSeconds,
    height,
    ancestorcount: mempool.ancestors(txid).length + 1,
    descendantcount: mempool.descendants(txid).length + 1,
    fees: { base: toBtc(feeSats), modified: toBtc(feeSats) },
    depends: [...new Set(entry.spends.map((key) => key.slice(0, 64)))].filter((id) =>
      mempool.entries.has(id),
    ),
    "bip125-replaceable": mempool.isReplaceable(txid),
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
function rawTransaction({ mempool, chain }: NodeCore, params: Params): string {
  const txid = hash(params, 0, "txid");
  if (params[2] === undefined || params[2] === null) {
    const entry = mempool.entries.get(txid);
    if (!entry) throw new RpcError(RPC.notFound, "No such mempool transaction.");
    return entry.raw.toString("hex");
  }
  const block = chain.blocks.get(hash(params, 2, "blockhash"));
  if (!block) throw new RpcError(RPC.notFound, "Block hash not found");
  const tx = block.txs[block.txids.indexOf(txid)];
  if (!tx) throw new RpcError(RPC.notFound, "No such transaction found in the provided block.");
  return tx.toHex();
}
