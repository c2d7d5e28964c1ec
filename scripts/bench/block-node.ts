import { RpcServer } from "../devnet/bitcoin/rpc-server";
import { RPC, RpcError } from "../devnet/bitcoin/rpc-error";
import { hash, integer, type Method } from "../devnet/bitcoin/rpc-params";
import { ZmqPublisher } from "../devnet/bitcoin/zmq-publisher";
import { type Paid, rawBlock, type RawBlock, strangersTxs } from "./benches/raw-block";

/**
 * A node as a process with nothing but full blocks: the simulated node of the devnet keeps every coin, and a thousand
 * full blocks of them would not fit. Driven by its parent's messages.
 */

/** Different bodies; the blocks use them by rotation, each with a coinbase and payments of its own. */
const BODIES = 20;
const FIRST_HEIGHT = 0;

export interface MineOrder {
  blocks: number;
  txsEach: number;
  /** Of each block, as hex; fewer lists than blocks: the rest pay no watched script. */
  paid: readonly (readonly { script: string; valueSats: number }[])[];
  /** Bodies that no block before had. */
  fresh: boolean;
  /** Publish by ZMQ, as for a block that has just come: every transaction, then the block. */
  tell: boolean;
}

export interface Mined {
  height: number;
  /** When its first transaction was published; milliseconds since 1970. */
  at: number;
}

export interface NodeReady {
  rpcUrl: string;
  zmq: { rawtx: string; hashblock: string };
}

const GENESIS: RawBlock = rawBlock({
  height: FIRST_HEIGHT,
  previousHash: "00".repeat(32),
  timeSeconds: nowSeconds() - 3_600,
  body: [],
  paid: [],
});
const chain: RawBlock[] = [GENESIS];
const byHash = new Map<string, RawBlock>([[GENESIS.hash, GENESIS]]);
let bodies: ReturnType<typeof strangersTxs>[] = [];

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function tip(): RawBlock {
  return chain.at(-1) ?? GENESIS;
}

function bodyOf(order: MineOrder, number: number): ReturnType<typeof strangersTxs> {
  if (order.fresh) return strangersTxs(order.txsEach - 1);
  const wanted = Math.min(BODIES, order.blocks);
  if (bodies.length < wanted || bodies[0]?.length !== order.txsEach - 1)
    bodies = Array.from({ length: wanted }, () => strangersTxs(order.txsEach - 1));
  return bodies[number % bodies.length] ?? [];
}

function mine(order: MineOrder): RawBlock[] {
  return Array.from({ length: order.blocks }, (_, number) => {
    const paid: Paid[] = (order.paid[number] ?? []).map(({ script, valueSats }) => ({
      scriptPubKey: Buffer.from(script, "hex"),
      valueSats: BigInt(valueSats),
    }));
    const before = tip();
    const block = rawBlock({
      height: before.height + 1,
      previousHash: before.hash,
      timeSeconds: nowSeconds(),
      body: bodyOf(order, number),
      paid,
    });
    chain.push(block);
    byHash.set(block.hash, block);
    return block;
  });
}

const blockOf = (params: readonly unknown[]): RawBlock => {
  const block = byHash.get(hash(params, 0, "blockhash"));
  if (!block) throw new RpcError(RPC.notFound, "Block not found");
  return block;
};

const METHODS: Record<string, Method> = {
  getblockchaininfo: () => ({
    chain: "regtest",
    blocks: tip().height,
    headers: tip().height,
    bestblockhash: tip().hash,
    time: tip().timeSeconds,
    mediantime: tip().timeSeconds,
    initialblockdownload: false,
    pruned: false,
  }),
  getmempoolinfo: () => ({ loaded: true, size: 0 }),
  getrawmempool: () => [],
  // What it publishes is in its blocks already.
  getmempoolentry: () => {
    throw new RpcError(RPC.notFound, "Transaction not in mempool");
  },
  getnetworkinfo: () => ({ version: 290000, subversion: "/bench/", localrelay: true, connections: 0 }),
  getpeerinfo: () => [],
  uptime: () => Math.floor(process.uptime()),
  getblockhash: (params) => {
    const block = chain[integer(params, 0, "height") - FIRST_HEIGHT];
    if (!block) throw new RpcError(RPC.invalidParameter, "Block height out of range");
    return block.hash;
  },
  getblockheader: (params) => {
    const { hash: own, height, previousHash, timeSeconds } = blockOf(params);
    const confirmations = tip().height - height + 1;
    return { hash: own, height, previousblockhash: previousHash, time: timeSeconds, confirmations };
  },
  getblock: (params) => blockOf(params).bytes().toString("hex"),
};

async function main(): Promise<void> {
  const [rawtx, hashblock] = await Promise.all([
    ZmqPublisher.bind("rawtx", "tcp://127.0.0.1:*"),
    ZmqPublisher.bind("hashblock", "tcp://127.0.0.1:*"),
  ]);
  const methods: Record<string, Method> = {
    ...METHODS,
    getzmqnotifications: () =>
      [rawtx, hashblock].map(({ topic, url }) => ({ type: `pub${topic}`, address: url })),
  };
  const server = await RpcServer.listen((method, params) => {
    const known = methods[method];
    if (!known) throw new RpcError(RPC.methodNotFound, "Method not found");
    return known(params);
  });
  process.on("message", (order: MineOrder) => {
    const mined = mine(order);
    const at = Date.now();
    if (order.tell)
      for (const block of mined) {
        for (const tx of block.rawTxs()) rawtx.publish(tx);
        hashblock.publish(Buffer.from(block.hash, "hex"));
      }
    const answer: Mined = { height: tip().height, at };
    process.send?.(answer);
  });
  const ready: NodeReady = {
    rpcUrl: server.url,
    zmq: { rawtx: rawtx.url, hashblock: hashblock.url },
  };
  process.send?.(ready);
}

process.once("disconnect", () => process.exit(0));
void main();
