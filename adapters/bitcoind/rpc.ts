import { z } from "zod";
import type { BroadcastAnswer, ChainPort } from "../../commands/ports";
import { meaningOf } from "../../domain/chain/node-refusal";
import { NodeUnavailableError } from "../../domain/errors";
import { AnswerTooLongError, makeJsonRpc, type JsonRpc, type RpcAnswer, type RpcSettings } from "./json-rpc";

/** A publisher of bitcoind's `getzmqnotifications`. */
export interface ZmqNotification {
  /** `pubrawtx`, `pubhashblock`, … */
  type: string;
  address: string;
}

export interface BitcoindRpc extends ChainPort {
  zmqNotifications(): Promise<ZmqNotification[]>;
}

/** Bitcoin Core's src/rpc/protocol.h. */
const MISC_ERROR = -1;
const NOT_FOUND = -5;
const INVALID_PARAMETER = -8;
const VERIFY_ERROR = -25;
const VERIFY_REJECTED = -26;
const ALREADY_IN_CHAIN = -27;
const DESERIALIZATION_ERROR = -22;
/** Bitcoin Core's src/validation.cpp: one of its outputs is among the coins of the chain. */
const KNOWN_IN_CHAIN = "txn-already-known";

// sendrawtransaction's limits protect its user's own money: this is other people's, whose fee and burnt sats are theirs.
/** None. */
const FEE_RATE_MAX = 0;
const BURNT_MAX_BTC = 21_000_000;

/** Calls in one batch: usually 0.1 MB of digits, and 80 MB if each transaction is as large as nodes relay. */
const BATCH_SIZE = 100;
/** Most wallets put the change anywhere among them, and it may be spent soon. */
const OUTPUTS_ASKED = 16;
/** In one call: half a megabyte. */
const OUTPOINTS_AT_ONCE = 5_000;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const hex = z.string().transform((text, { addIssue }) => {
  const bytes = Buffer.from(text, "hex"); // stops at anything but a pair of hexadecimal digits
  if (bytes.length * 2 === text.length) return bytes;
  addIssue("must be hexadecimal");
  return z.NEVER;
});
const chainInfo = z.object({
  chain: z.string(),
  blocks: z.int(),
  headers: z.int(),
  bestblockhash: hash,
  /** Missing in nodes before version 23. */
  time: z.int().optional(),
  mediantime: z.int(),
  initialblockdownload: z.boolean(),
  pruneheight: z.int().optional(),
});
const uptime = z.int();
const networkInfo = z.object({ localrelay: z.boolean() });
/** A new connection lacks the fields of established ones. */
const peers = z.array(
  z.object({
    id: z.int(),
    conntime: z.int(),
    relaytxes: z.boolean().default(false),
    synced_headers: z.int().default(-1),
    /** Seconds that a ping has been waiting for its pong. */
    pingwait: z.number().optional(),
    /** Seconds; missing before the first pong. */
    pingtime: z.number().default(0),
    bytessent_per_msg: z.object({ ping: z.int().default(0) }).default({ ping: 0 }),
  }),
);
const header = z.object({
  hash,
  height: z.int(),
  previousblockhash: hash.optional(),
  time: z.int(),
  confirmations: z.int(),
});
const spenders = z.array(z.object({ txid: hash, vout: z.int(), spendingtxid: hash.optional() }));
/** Null: spent, or never there. */
const unspent = z.object({ bestblock: hash, confirmations: z.int() }).nullable();
const notifications = z.array(z.object({ type: z.string(), address: z.string() }));

/** bitcoind's RPC. Works with a pruned node and without txindex. No amount is read, so none is converted to a float. */
export function makeBitcoindRpc(settings: RpcSettings): BitcoindRpc {
  const rpc = makeJsonRpc(settings);
  return {
    ...nodeCalls(rpc),
    ...blockCalls(rpc),
    ...mempoolCalls(rpc),
  };
}

type NodeCall =
  "info" | "connectivity" | "pingPeers" | "uptimeSeconds" | "mempoolLoaded" | "zmqNotifications";

function nodeCalls(rpc: JsonRpc): Pick<BitcoindRpc, NodeCall> {
  return {
    async info() {
      const info = await ask(rpc, chainInfo, "getblockchaininfo");
      return {
        chain: info.chain,
        blocks: info.blocks,
        headers: info.headers,
        bestBlockHash: info.bestblockhash,
        initialBlockDownload: info.initialblockdownload,
        pruneHeight: info.pruneheight ?? 0,
        tipTimeSeconds: info.time ?? info.mediantime,
      };
    },
    async connectivity() {
      const known = await ask(rpc, peers, "getpeerinfo");
      return {
        uptimeSeconds: await ask(rpc, uptime, "uptime"),
        relaysTransactions: (await ask(rpc, networkInfo, "getnetworkinfo")).localrelay,
        peers: known.map((peer) => ({
          id: peer.id,
          connectedAtSeconds: peer.conntime,
          relaysTransactions: peer.relaytxes,
          syncedHeaders: peer.synced_headers,
          pingBytesSent: peer.bytessent_per_msg.ping,
          pongAwaited: peer.pingwait !== undefined,
          roundTripMs: peer.pingtime * 1_000,
        })),
      };
    },
    async pingPeers() {
      await ask(rpc, z.null(), "ping");
    },
    uptimeSeconds: () => ask(rpc, uptime, "uptime"),
    async mempoolLoaded() {
      return (await ask(rpc, z.object({ loaded: z.boolean() }), "getmempoolinfo")).loaded;
    },
    zmqNotifications: () => ask(rpc, notifications, "getzmqnotifications"),
  };
}

function blockCalls(rpc: JsonRpc): Pick<BitcoindRpc, "blockHash" | "blockHeader" | "rawBlock"> {
  return {
    blockHash: (height) => askForOne(rpc, hash, [INVALID_PARAMETER], "getblockhash", height),
    async blockHeader(blockHash) {
      const found = await askForOne(rpc, header, [NOT_FOUND], "getblockheader", blockHash, true);
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
    // "Block not available (pruned data)" is a misc error, and so is a block of which only the header has
    // arrived.
    rawBlock: (blockHash) => askForOne(rpc, hex, [NOT_FOUND, MISC_ERROR], "getblock", blockHash, 0),
  };
}

type MempoolCall = "mempoolTxids" | "mempoolEntry" | "mempoolAncestors" | "mempoolTransactions";

function mempoolCalls(
  rpc: JsonRpc,
): Pick<BitcoindRpc, MempoolCall | "mempoolSpenders" | "minedTransaction" | "broadcast"> {
  return {
    // Up to some hundred thousand, so they are checked only when they are used.
    mempoolTxids: () => ask(rpc, z.custom<string[]>(Array.isArray), "getrawmempool", false),
    async mempoolEntry(txid) {
      const schema = z.object({ time: z.int(), depends: z.array(hash) });
      const entry = await askForOne(rpc, schema, [NOT_FOUND], "getmempoolentry", txid);
      return entry && { timeSeconds: entry.time, hasUnconfirmedParents: entry.depends.length > 0 };
    },
    mempoolAncestors: (txid) =>
      askForOne(rpc, z.array(hash), [NOT_FOUND], "getmempoolancestors", txid, false),
    async mempoolTransactions(txids) {
      const found = new Map<string, Buffer>();
      for (let from = 0; from < txids.length; from += BATCH_SIZE)
        for (const [txid, raw] of await rawTransactions(rpc, txids.slice(from, from + BATCH_SIZE)))
          found.set(txid, raw);
      return found;
    },
    async mempoolSpenders(outpoints) {
      const found = new Map<string, string>();
      for (let from = 0; from < outpoints.length; from += OUTPOINTS_AT_ONCE) {
        const some = outpoints.slice(from, from + OUTPOINTS_AT_ONCE);
        for (const { txid, vout, spendingtxid } of await ask(rpc, spenders, "gettxspendingprevout", some))
          if (spendingtxid !== undefined) found.set(`${txid}:${vout}`, spendingtxid);
      }
      return found;
    },
    minedTransaction: (txid) => minedTransaction(rpc, txid),
    async broadcast(rawTx) {
      const call = (...limits: unknown[]): Promise<RpcAnswer> =>
        rpc.call("sendrawtransaction", rawTx.toString("hex"), ...limits);
      const answer = await call(FEE_RATE_MAX, BURNT_MAX_BTC);
      // Bitcoin Core 24 has one limit only, and answers with its help.
      const old = "error" in answer && answer.error.code === MISC_ERROR;
      return broadcastAnswer(old ? await call(FEE_RATE_MAX) : answer);
    },
  };
}

/** Without an index of the node: an unspent output has its depth, and by that its block. */
async function minedTransaction(rpc: JsonRpc, txid: string): Promise<{ raw: Buffer | null } | null> {
  const calls = Array.from({ length: OUTPUTS_ASKED }, (_, vout) => ({
    method: "gettxout",
    params: [txid, vout, false],
  }));
  const answers = await rpc.batch(calls);
  const [output] = answers.flatMap((answer) => resultOf(unspent, "gettxout", answer) ?? []);
  if (output === undefined) return null;
  const { bestblock, confirmations } = output;
  const tip = await ask(rpc, header, "getblockheader", bestblock, true);
  const block = await ask(rpc, hash, "getblockhash", tip.height - confirmations + 1);
  const method = "getrawtransaction";
  return { raw: await askForOne(rpc, hex, [MISC_ERROR], method, txid, false, block) };
}

async function rawTransactions(rpc: JsonRpc, txids: readonly string[]): Promise<[string, Buffer][]> {
  const method = "getrawtransaction";
  const calls = txids.map((txid) => ({ method, params: [txid, false] }));
  const answers = await rpc.batch(calls).catch((error: unknown) => {
    if (txids.length > 1 && error instanceof AnswerTooLongError) return null;
    throw error;
  });
  if (answers === null) {
    const half = txids.length >> 1;
    return [
      ...(await rawTransactions(rpc, txids.slice(0, half))),
      ...(await rawTransactions(rpc, txids.slice(half))),
    ];
  }
  return answers.flatMap((answer, index): [string, Buffer][] => {
    const gone = "error" in answer && answer.error.code === NOT_FOUND;
    return gone ? [] : [[txids[index] ?? "", resultOf(hex, method, answer)]];
  });
}

async function ask<T>(rpc: JsonRpc, schema: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> {
  return resultOf(schema, method, await rpc.call(method, ...params));
}

/** Null for the errors that mean "there is none". */
async function askForOne<T>(
  rpc: JsonRpc,
  schema: z.ZodType<T>,
  none: readonly number[],
  method: string,
  ...params: unknown[]
): Promise<T | null> {
  const answer = await rpc.call(method, ...params);
  if ("error" in answer && none.includes(answer.error.code)) return null;
  return resultOf(schema, method, answer);
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
  if (!("error" in answer)) return { outcome: "accepted" };
  const { code, message } = answer.error;
  switch (code) {
    case ALREADY_IN_CHAIN:
      return { outcome: "in-chain" };
    case VERIFY_ERROR:
    case VERIFY_REJECTED:
    case DESERIALIZATION_ERROR:
      return message.startsWith(KNOWN_IN_CHAIN)
        ? { outcome: "in-chain" }
        : { outcome: "refused", meaning: meaningOf(message), reason: message };
    default:
      throw new NodeUnavailableError(`the node answered sendrawtransaction with error ${code}: ${message}`);
  }
}
