import type { BitcoinNode, PayOptions, PayTo } from "./bitcoin-node";
import { type Chain, coinsOf, type Coin } from "./chain";
import { callRpc } from "./call-rpc";
import { freePort } from "../free-port";
import { NodeCore, type NodeFaults } from "./node-core";
import { RPC, RpcError } from "./rpc-error";
import { chainMethods, controlMethods } from "./rpc-chain";
import { mempoolMethods, OP_RETURN } from "./rpc-mempool";
import { scriptOf, text, type Method, type Params } from "./rpc-params";
import { outputsOf, walletMethods } from "./rpc-wallet";
import { RpcServer } from "./rpc-server";
import { ZmqPublisher } from "./zmq-publisher";

const FEE_RATE = 5;
const READS_ON_AFTER_MS = 1_000;

export interface SimulatedNodeOptions {
  /** Keeps chain, mempool and wallet here over restarts. Default: in memory only. */
  dataDir?: string;
  /** Whether what does not signal BIP 125 may be replaced too. Default true, as in bitcoind since 28. */
  fullRbf?: boolean;
  /** Begins with only the genesis block, for a node that gets its chain from a peer. */
  empty?: boolean;
  /** Begins with a copy of this chain, which takes less time than to mine the first blocks. */
  chain?: Chain;
}

/** A regtest bitcoind of our own: real transactions and blocks, RPC and ZMQ, and a customer with coins. No scripts are run. */
export class SimulatedNode implements BitcoinNode {
  readonly core: NodeCore;
  private server: RpcServer | null = null;
  private publishers: { rawtx: ZmqPublisher; hashblock: ZmqPublisher } | null = null;
  private url = "";
  /** While it stands still. */
  private held: Promise<void> | null = null;
  private letGo?: () => void;

  private constructor(
    options: SimulatedNodeOptions,
    private readonly ports: { rpc: number; rawtx: number; hashblock: number },
  ) {
    this.core = new NodeCore(options);
  }

  static async start(options: SimulatedNodeOptions = {}): Promise<SimulatedNode> {
    const node = new SimulatedNode(options, {
      rpc: await freePort(),
      rawtx: await freePort(),
      hashblock: await freePort(),
    });
    await node.open();
    node.core.listen({
      rawtx: (raw) => node.publish("rawtx", raw),
      hashblock: (hash) => node.publish("hashblock", hash),
    });
    return node;
  }

  get rpcUrl(): string {
    return this.url;
  }

  get zmqUrls(): { rawtx: string; hashblock: string } {
    return {
      rawtx: `tcp://127.0.0.1:${this.ports.rawtx}`,
      hashblock: `tcp://127.0.0.1:${this.ports.hashblock}`,
    };
  }

  /** What tests may break. */
  get faults(): NodeFaults {
    return this.core.faults;
  }

  /** Sends frames that bitcoind never would. */
  publishNonsense(topic: "rawtx" | "hashblock", frames: (string | Buffer)[]): void {
    this.publishers?.[topic].publishRaw(frames);
  }

  /** Sats per vbyte below which transactions are refused, as when the mempool is full. Default 1. */
  setMinFeeRate(satsPerVbyte: number): void {
    this.core.mempool.policy.minFeeRate = satsPerVbyte;
  }

  rpc<T>(method: string, ...params: unknown[]): Promise<T> {
    return callRpc<T>(this.url, method, params);
  }

  async newAddress(): Promise<string> {
    return this.core.newAddress().address;
  }

  pay(address: string, amountSats: bigint, options: PayOptions = {}): Promise<string> {
    return this.payMany([{ address, amountSats }], options);
  }

  async payMany(outputs: readonly PayTo[], options: PayOptions = {}): Promise<string> {
    const burnt = { scriptPubKey: Buffer.of(OP_RETURN), valueSats: options.burnSats ?? 0n };
    const tx = this.core.wallet.fund({
      outputs: [...outputs.map(toOutput), ...(burnt.valueSats > 0n ? [burnt] : [])],
      feeRate: options.feeRate ?? FEE_RATE,
      replaceable: options.replaceable ?? true,
      version: options.version ?? 2,
      mustSpend: options.spending === undefined ? [] : [this.ownCoinOf(options.spending)],
    });
    return this.core.broadcast(tx);
  }

  async bump(txid: string, options: { to?: readonly PayTo[] } = {}): Promise<string> {
    return this.replace(txid, options.to);
  }

  async doubleSpend(txid: string): Promise<string> {
    const { core } = this;
    const parents = new Set(core.mempool.ancestors(txid));
    const conflict = core.conflictOf(this.entryOf(txid));
    const needed = core.mempool.inOrder().filter((entry) => parents.has(entry.txid));
    core.mineOne(core.wallet.rewardScript, [...needed, conflict]);
    return conflict.tx.getId();
  }

  async mine(count: number): Promise<string[]> {
    return Array.from({ length: count }, () => this.core.mineMempool(this.core.wallet.rewardScript));
  }

  async reorg(
    depth: number,
    options: { exclude?: readonly string[]; doubleSpend?: readonly string[] } = {},
  ): Promise<string[]> {
    const { core } = this;
    const first = core.chain.at(core.chain.tip.height - depth + 1);
    if (depth < 1 || !first || first.height < 1) throw new Error(`a reorganisation cannot be ${depth} deep`);
    core.invalidate(first.hash);
    const conflicts = (options.doubleSpend ?? []).map((txid) => core.conflictOf(this.entryOf(txid)));
    const out = [...(options.exclude ?? []), ...(options.doubleSpend ?? [])];
    const left = new Set(out.flatMap((txid) => [txid, ...core.mempool.descendants(txid)]));
    const confirmed = core.mempool.inOrder().filter(({ txid }) => !left.has(txid));
    const hashes = [core.mineOne(core.wallet.rewardScript, [...confirmed, ...conflicts])];
    while (hashes.length <= depth) hashes.push(core.mineOne(core.wallet.rewardScript, []));
    return hashes;
  }

  async dropFromMempool(txid: string): Promise<void> {
    this.entryOf(txid);
    this.core.drop(txid);
  }

  async connect(peer: BitcoinNode): Promise<void> {
    if (!(peer instanceof SimulatedNode)) throw new Error("a simulated node has simulated peers");
    this.core.peers.connect(peer.core);
  }

  async disconnect(): Promise<void> {
    this.core.peers.disconnect();
  }

  async loseLine(): Promise<void> {
    this.core.peers.loseLine();
  }

  async standStill(): Promise<void> {
    this.core.peers.stopReading();
    this.held = new Promise((resolve) => (this.letGo = resolve));
  }

  async goOn(): Promise<void> {
    this.held = null;
    this.letGo?.();
    setTimeout(() => this.core.peers.readOn(), READS_ON_AFTER_MS); // RPC answers first
  }

  async halt(): Promise<void> {
    this.core.peers.disconnect();
    await this.close();
  }

  async restart({ mempool = true }: { mempool?: boolean } = {}): Promise<void> {
    await this.halt();
    if (!mempool) this.core.emptyMempool();
    this.core.startedAt = this.core.clock();
    await this.open();
  }

  stop(): Promise<void> {
    return this.halt();
  }

  private replace(txid: string, to?: readonly PayTo[]): string {
    const { mempool, wallet } = this.core;
    const entry = this.entryOf(txid);
    const kept = entry.tx.outs
      .filter(({ script }) => !wallet.isOwn(script))
      .map(({ script, value }) => ({ scriptPubKey: script, valueSats: value }));
    const replaced = [entry, ...mempool.descendants(txid).flatMap((id) => mempool.entries.get(id) ?? [])];
    const oldFeesSats = replaced.reduce((sum, { feeSats }) => sum + feeSats, 0n);
    const rate = Number(entry.feeSats) / entry.vsize;
    const tx = wallet.fund({
      outputs: to?.map(toOutput) ?? kept,
      mustSpend: mempool.coinsOf(entry.spends),
      feeRate: rate + FEE_RATE,
      feeAtLeastSats: oldFeesSats + 1_000n,
      replaceable: true,
    });
    return this.core.broadcast(tx);
  }

  private async open(): Promise<void> {
    const rawtx = await ZmqPublisher.bind("rawtx", this.zmqUrls.rawtx);
    const hashblock = await ZmqPublisher.bind("hashblock", this.zmqUrls.hashblock);
    this.publishers = { rawtx, hashblock };
    const known = this.url === "" ? null : new URL(this.url);
    this.server = await RpcServer.listen(this.handler(), {
      port: this.ports.rpc,
      ...(known === null ? {} : { credentials: `${known.username}:${known.password}` }),
      garble: () => this.core.faults.garbledRpc,
      hold: () => this.held,
    });
    this.url = this.server.url;
  }

  private async close(): Promise<void> {
    this.core.keepMempool();
    const { server, publishers } = this;
    this.server = null;
    this.publishers = null;
    await Promise.all([server?.close(), publishers?.rawtx.close(), publishers?.hashblock.close()]);
  }

  /** With the next number. */
  readonly publish = (topic: "rawtx" | "hashblock", body: Buffer): void => {
    if (this.core.faults.dropZmq) this.publishers?.[topic].skip();
    else this.publishers?.[topic].publish(body);
  };

  private handler(): (method: string, params: Params) => unknown {
    const methods = new Map(
      Object.entries({
        ...chainMethods(this.core),
        ...controlMethods(this.core),
        ...mempoolMethods(this.core),
        ...this.ownMethods(),
      }),
    );
    return (method, params) => {
      if (this.core.faults.warmingUp) throw new RpcError(RPC.warmUp, "Loading block index…");
      const run = methods.get(method);
      if (!run) throw new RpcError(RPC.methodNotFound, "Method not found");
      return run(params);
    };
  }

  /** The wallet's methods, and those that are about this process. */
  private ownMethods(): Record<string, Method> {
    const { core } = this;
    const notification = (topic: "rawtx" | "hashblock") => ({
      type: `pub${topic}`,
      address: this.zmqUrls[topic],
      hwm: 1000,
    });
    return {
      getzmqnotifications: () => [notification("hashblock"), notification("rawtx")],
      ...walletMethods(core, FEE_RATE),
      bumpfee: (params) => ({ txid: this.replace(text(params, 0, "txid"), outputsOf(params[1])) }),
    };
  }

  /** An output of a transaction that is the customer's. */
  private ownCoinOf(txid: string): Coin {
    const { wallet, mempool, chain } = this.core;
    const unconfirmed = mempool.entries.get(txid);
    const coins = unconfirmed ? coinsOf(unconfirmed.tx, txid, null) : [...chain.coins.values()];
    const coin = coins.find((each) => each.txid === txid && wallet.isOwn(each.scriptPubKey));
    if (!coin) throw new Error(`${txid} pays the customer nothing`);
    return coin;
  }

  private entryOf(txid: string) {
    const entry = this.core.mempool.entries.get(txid);
    if (!entry) throw new RpcError(RPC.notFound, "Transaction not in mempool");
    return entry;
  }
}

function toOutput({ address, amountSats }: PayTo): { scriptPubKey: Buffer; valueSats: bigint } {
  return { scriptPubKey: scriptOf(address), valueSats: amountSats };
}
