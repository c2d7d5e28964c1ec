import { z } from "zod";
import type { BroadcastAnswer, ChainPort } from "../../commands/ports";
import { NodeUnavailableError } from "../../domain/errors";
import { makeJsonRpc, type RpcAnswer, type RpcSettings } from "./json-rpc";

/** One publisher of bitcoind's `getzmqnotifications`. */
export interface ZmqNotification {
  /** `pubrawtx`, `pubhashblock`, … */
  type: string;
  address: string;
}

export interface BitcoindRpc extends ChainPort {
  zmqNotifications(): Promise<ZmqNotification[]>;
  close(): void;
}

/** Bitcoin Core's src/rpc/protocol.h. */
const MISC_ERROR = -1;
const NOT_FOUND = -5;
const INVALID_PARAMETER = -8;
const VERIFY_ERROR = -25;
const VERIFY_REJECTED = -26;
const ALREADY_IN_CHAIN = -27;
const DESERIALIZATION_ERROR = -22;

/** Calls in one batch: a few hundred kilobytes of transactions, well below bitcoind's limits. */
const BATCH_SIZE = 500;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const hex = z
  .string()
  .regex(/^([0-9a-f]{2})*$/)
  .transform((text) => Buffer.from(text, "hex"));
const chainInfo = z.object({
  chain: z.string(),
  blocks: z.int(),
  headers: z.int(),
  bestblockhash: hash,
  initialblockdownload: z.boolean(),
  pruneheight: z.int().optional(),
});
const header = z.object({
  hash,
  height: z.int(),
  previousblockhash: hash.optional(),
  time: z.int(),
  confirmations: z.int(),
});
const spenders = z.array(z.object({ txid: hash, vout: z.int(), spendingtxid: hash.optional() }));
const notifications = z.array(z.object({ type: z.string(), address: z.string() }));

/** bitcoind's RPC. Works on a pruned node and without txindex. No amount is read, so none goes through a float. */
export function makeBitcoindRpc(settings: RpcSettings): BitcoindRpc {
  const rpc = makeJsonRpc(settings);

  async function ask<T>(schema: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> {
    return resultOf(schema, method, await rpc.call(method, ...params));
  }

  /** Null for the errors that mean "there is none". */
  async function askForOne<T>(
    schema: z.ZodType<T>,
    none: readonly number[],
    method: string,
    ...params: unknown[]
  ): Promise<T | null> {
    const answer = await rpc.call(method, ...params);
    if ("error" in answer && none.includes(answer.error.code)) return null;
    return resultOf(schema, method, answer);
  }

  return {
    async info() {
      const info = await ask(chainInfo, "getblockchaininfo");
      return {
        chain: info.chain,
        blocks: info.blocks,
        headers: info.headers,
        bestBlockHash: info.bestblockhash,
        initialBlockDownload: info.initialblockdownload,
        pruneHeight: info.pruneheight ?? 0,
      };
    },
    async mempoolLoaded() {
      return (await ask(z.object({ loaded: z.boolean() }), "getmempoolinfo")).loaded;
    },
    blockHash: (height) => askForOne(hash, [INVALID_PARAMETER], "getblockhash", height),
    async blockHeader(blockHash) {
      const found = await askForOne(header, [NOT_FOUND], "getblockheader", blockHash, true);
      return (
        found && {
          hash: found.hash,
          height: found.height,
          previousHash: found.previousblockhash ?? null,
          timeSeconds: found.time,
          inActiveChain: found.confirmations >= 0,
        }
      );
    },
    // "Block not available (pruned data)" is a misc error, and so is a block of which only the header has come.
    rawBlock: (blockHash) => askForOne(hex, [NOT_FOUND, MISC_ERROR], "getblock", blockHash, 0),
    async mempoolTxids() {
      // Up to some hundred thousand: what they are is checked where one is used.
      return ask(z.custom<string[]>(Array.isArray), "getrawmempool", false);
    },
    async mempoolEntry(txid) {
      const entry = await askForOne(z.object({ time: z.int() }), [NOT_FOUND], "getmempoolentry", txid);
      return entry && { timeSeconds: entry.time };
    },
    mempoolAncestors: (txid) => askForOne(z.array(hash), [NOT_FOUND], "getmempoolancestors", txid, false),
    async mempoolTransactions(txids) {
      const found = new Map<string, Buffer>();
      for (let from = 0; from < txids.length; from += BATCH_SIZE) {
        const some = txids.slice(from, from + BATCH_SIZE);
        const calls = some.map((txid) => ({ method: "getrawtransaction", params: [txid, false] }));
        const answers = await rpc.batch(calls);
        some.forEach((txid, index) => {
          const answer = answers[index] as RpcAnswer;
          if ("error" in answer && answer.error.code === NOT_FOUND) return;
          found.set(txid, resultOf(hex, "getrawtransaction", answer));
        });
      }
      return found;
    },
    async mempoolSpenders(outpoints) {
      if (outpoints.length === 0) return new Map();
      const found = await ask(spenders, "gettxspendingprevout", outpoints);
      return new Map(
        found.flatMap(({ txid, vout, spendingtxid }) =>
          spendingtxid === undefined ? [] : [[`${txid}:${vout}`, spendingtxid] as const],
        ),
      );
    },
    async broadcast(rawTx) {
      // 0: our node must not judge a fee that its owner chose.
      return broadcastAnswer(await rpc.call("sendrawtransaction", rawTx.toString("hex"), 0));
    },
    zmqNotifications: () => ask(notifications, "getzmqnotifications"),
    close: () => rpc.close(),
  };
}

function resultOf<T>(schema: z.ZodType<T>, method: string, answer: RpcAnswer): T {
  if ("error" in answer)
    throw new NodeUnavailableError(
      `the node answered ${method} with error ${answer.error.code}: ${answer.error.message}`,
    );
  const parsed = schema.safeParse(answer.result);
  if (!parsed.success)
    throw new NodeUnavailableError(`the node's answer to ${method} is malformed`, "malformed");
  return parsed.data;
}

function broadcastAnswer(answer: RpcAnswer): BroadcastAnswer {
  if (!("error" in answer)) return { accepted: true };
  const { code, message } = answer.error;
  switch (code) {
    case ALREADY_IN_CHAIN:
      return { accepted: false, inChain: true, reason: message };
    case VERIFY_ERROR:
    case VERIFY_REJECTED:
    case DESERIALIZATION_ERROR:
      return { accepted: false, inChain: false, reason: message };
    default:
      throw new NodeUnavailableError(`the node answered sendrawtransaction with error ${code}: ${message}`);
  }
}
