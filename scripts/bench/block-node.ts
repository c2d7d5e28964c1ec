import { randomBytes } from "node:crypto";
import { type Block, Transaction } from "bitcoinjs-lib";
import { mineBlock } from "../devnet/bitcoin/regtest-block";
import { RPC, RpcError } from "../devnet/bitcoin/rpc-error";
import { hash, integer, type Method } from "../devnet/bitcoin/rpc-params";
import { RpcServer } from "../devnet/bitcoin/rpc-server";
import { ZmqPublisher } from "../devnet/bitcoin/zmq-publisher";
import type { Lab } from "./bench";

const INPUTS = 2;
const OUTPUTS = 2;
const SIGNATURE_BYTES = 71;
const PUBLIC_KEY_BYTES = 33;
const PAID_SATS = 50_000n;

interface Mined {
  hash: string;
  previousHash: string;
  height: number;
  block: Block;
  /** Made beforehand, as a real node has it on disk. */
  hex: string;
}

const strangersScript = (): Buffer => Buffer.concat([Buffer.from([0, 20]), randomBytes(20)]);

/** Of real size: two inputs with witnesses as long as a real wallet's, and two outputs. */
function transactionTo(scripts: readonly Buffer[]): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (let input = 0; input < INPUTS; input += 1) {
    transaction.addInput(randomBytes(32), 0, 0xffff_fffd);
    transaction.setWitness(input, [randomBytes(SIGNATURE_BYTES), randomBytes(PUBLIC_KEY_BYTES)]);
  }
  for (let output = 0; output < OUTPUTS; output += 1)
    transaction.addOutput(scripts[output] ?? strangersScript(), PAID_SATS);
  return transaction;
}

/**
 * A node with nothing but full blocks: the simulated node of the devnet keeps every coin, and so many full blocks of
 * them would not fit.
 */
export class BlockNode {
  private readonly chain: Mined[] = [];

  private constructor(
    private readonly rawtx: ZmqPublisher,
    private readonly hashblock: ZmqPublisher,
  ) {
    this.add([]);
  }

  /** Ends with the bench. Returns it with the URL of its RPC. */
  static async start(lab: Lab): Promise<{ node: BlockNode; rpcUrl: string }> {
    const [rawtx, hashblock] = await Promise.all([
      ZmqPublisher.bind("rawtx", "tcp://127.0.0.1:*"),
      ZmqPublisher.bind("hashblock", "tcp://127.0.0.1:*"),
    ]);
    const node = new BlockNode(rawtx, hashblock);
    const methods = node.methods();
    const server = await RpcServer.listen((method, params) => {
      const known = methods[method];
      if (!known) throw new RpcError(RPC.methodNotFound, "Method not found");
      return known(params);
    });
    lab.onEnd(async () => void (await Promise.all([server.close(), rawtx.close(), hashblock.close()])));
    return { node, rpcUrl: server.url };
  }

  /** A block whose first transactions pay one of the scripts each. Returns it, and publishes it when it is asked to. */
  mine(transactions: number, paid: readonly Buffer[]): { bytes: Buffer; publish(): void } {
    const others = Math.max(0, transactions - 1 - paid.length);
    const {
      block,
      hash: id,
      hex,
    } = this.add([
      ...paid.map((script) => transactionTo([script])),
      ...Array.from({ length: others }, () => transactionTo([])),
    ]);
    const raw = (block.transactions ?? []).map((one) => one.toBuffer());
    return {
      bytes: Buffer.from(hex, "hex"),
      publish: () => {
        for (const each of raw) this.rawtx.publish(each as Buffer);
        this.hashblock.publish(Buffer.from(id, "hex"));
      },
    };
  }

  private add(txs: readonly Transaction[]): Mined {
    const before = this.chain.at(-1);
    const height = this.chain.length;
    const block = mineBlock({
      previousHash: before?.block.getHash() ?? Buffer.alloc(32),
      height,
      timeSeconds: Math.floor(Date.now() / 1_000),
      payTo: strangersScript(),
      feesSats: 0n,
      txs,
    });
    const previousHash = before?.hash ?? "00".repeat(32);
    const mined = { hash: block.getId(), previousHash, height, block, hex: block.toHex() };
    this.chain.push(mined);
    return mined;
  }

  private tip(): Mined {
    return this.chain.at(-1) as Mined;
  }

  private blockOf(params: readonly unknown[]): Mined {
    const wanted = hash(params, 0, "blockhash");
    const mined = this.chain.find((one) => one.hash === wanted);
    if (!mined) throw new RpcError(RPC.notFound, "Block not found");
    return mined;
  }

  private methods(): Record<string, Method> {
    return {
      getblockchaininfo: () => ({
        chain: "regtest",
        blocks: this.tip().height,
        headers: this.tip().height,
        bestblockhash: this.tip().hash,
        time: this.tip().block.timestamp,
        mediantime: this.tip().block.timestamp,
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
      getzmqnotifications: () =>
        [this.rawtx, this.hashblock].map(({ topic, url }) => ({ type: `pub${topic}`, address: url })),
      getblockhash: (params) => {
        const mined = this.chain[integer(params, 0, "height")];
        if (!mined) throw new RpcError(RPC.invalidParameter, "Block height out of range");
        return mined.hash;
      },
      getblockheader: (params) => {
        const { hash: own, height, previousHash, block } = this.blockOf(params);
        const confirmations = this.tip().height - height + 1;
        return { hash: own, height, previousblockhash: previousHash, time: block.timestamp, confirmations };
      },
      getblock: (params) => this.blockOf(params).hex,
    };
  }
}
