import { Transaction } from "bitcoinjs-lib";
import { type Chain, type Coin, coinsOf } from "../../../scripts/devnet/bitcoin/chain";
import { FEE_RATE, type ScriptOutput } from "../../../scripts/devnet/bitcoin/customer-wallet";
import { RPC, RpcError } from "../../../scripts/devnet/bitcoin/rpc-error";
import { hash, scriptOf, text, type Method, type Params } from "../../../scripts/devnet/bitcoin/rpc-params";
import type { Answering } from "../../../scripts/devnet/bitcoin/rpc-server";
import { SimulatedNode as DemoNode } from "../../../scripts/devnet/bitcoin/simulated-node";
import type { ZmqTopic } from "../../../scripts/devnet/bitcoin/zmq-publisher";
import { type BitcoinNode, OP_RETURN, type PayOptions, type PayTo } from "./bitcoin-node";
import { callRpc } from "./call-rpc";
import { type NodeFaults, TestNodeCore } from "./node-core";

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

/** The demo's node with all that a real one can do to us. */
export class SimulatedNode extends DemoNode implements BitcoinNode {
  /** While it stands still. */
  private held: Promise<void> | null = null;
  private letGo?: () => void;

  private constructor(override readonly core: TestNodeCore) {
    super(core);
  }

  static override async start(options: SimulatedNodeOptions = {}): Promise<SimulatedNode> {
    const { dataDir, fullRbf = true, empty = false, chain } = options;
    const core = new TestNodeCore({
      ...(dataDir === undefined ? {} : { dataDir }),
      ...(chain === undefined ? {} : { chain: chain.copy() }),
    });
    core.mempool.policy.fullRbf = fullRbf;
    return new SimulatedNode(empty ? core : core.mineFirst()).begin();
  }

  get faults(): NodeFaults {
    return this.core.faults;
  }

  override publish(topic: ZmqTopic, body: Buffer): void {
    if (this.faults.dropZmq) this.publishers?.[topic].skip();
    else super.publish(topic, body);
  }

  /** Sends frames that bitcoind never would. */
  publishNonsense(topic: ZmqTopic, frames: (string | Buffer)[]): void {
    this.publishers?.[topic].publishRaw(frames);
  }

  rpc<T>(method: string, ...params: unknown[]): Promise<T> {
    return callRpc<T>(this.rpcUrl, method, params);
  }

  async newAddress(): Promise<string> {
    return this.core.newAddress().address;
  }

  override pay(address: string, amountSats: bigint, options: PayOptions = {}): Promise<string> {
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
    return this.replace(txid, options.to?.map(toOutput));
  }

  async doubleSpend(txid: string): Promise<string> {
    const { core } = this;
    const parents = new Set(core.mempool.ancestors(txid));
    const conflict = core.conflictOf(core.mempool.entryOf(txid));
    const needed = core.mempool.inOrder().filter((entry) => parents.has(entry.txid));
    core.mineOne(core.wallet.rewardScript, [...needed, conflict]);
    return conflict.tx.getId();
  }

  async reorg(
    depth: number,
    options: { exclude?: readonly string[]; doubleSpend?: readonly string[] } = {},
  ): Promise<string[]> {
    const { core } = this;
    const first = core.chain.at(core.chain.tip.height - depth + 1);
    if (depth < 1 || !first || first.height < 1) throw new Error(`a reorganisation cannot be ${depth} deep`);
    core.invalidate(first.hash);
    const conflicts = (options.doubleSpend ?? []).map((txid) => core.conflictOf(core.mempool.entryOf(txid)));
    const out = [...(options.exclude ?? []), ...(options.doubleSpend ?? [])];
    const left = new Set(out.flatMap((txid) => [txid, ...core.mempool.descendants(txid)]));
    const confirmed = core.mempool.inOrder().filter(({ txid }) => !left.has(txid));
    const hashes = [core.mineOne(core.wallet.rewardScript, [...confirmed, ...conflicts])];
    while (hashes.length <= depth) hashes.push(core.mineOne(core.wallet.rewardScript, []));
    return hashes;
  }

  async dropFromMempool(txid: string): Promise<void> {
    this.core.mempool.entryOf(txid);
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

  override stop(): Promise<void> {
    return this.halt();
  }

  protected override readonly answering: Answering = async (answer) => {
    await this.held;
    const text = answer();
    return this.faults.garbledRpc ?? text;
  };

  protected override methods(): Record<string, Method> {
    const healthy = super.methods();
    const changed = { ...healthy, ...this.changedMethods(healthy) };
    const warming: Method = () => {
      throw new RpcError(RPC.warmUp, "Loading block index…");
    };
    return Object.fromEntries(
      Object.entries(changed).map(([name, run]) => [
        name,
        (params: Params) => (this.faults.warmingUp ? warming : run)(params),
      ]),
    );
  }

  /** With the faults, the peers, and what changes the chain. */
  private changedMethods(healthy: Record<string, Method>): Record<string, Method> {
    const { core, faults } = this;
    const without = (name: string, faulty: () => object): [string, Method] => [
      name,
      (params) => ({ ...(healthy[name]?.(params) as object), ...faulty() }),
    ];
    const unpruned = (name: string, at: number, words: string): [string, Method] => [
      name,
      (params) => {
        const block = typeof params[at] === "string" ? core.chain.blocks.get(params[at]) : undefined;
        if (block && block.height < faults.prunedBelow) throw new RpcError(RPC.misc, words);
        return healthy[name]?.(params);
      },
    ];
    return {
      ...Object.fromEntries([
        without("getblockchaininfo", () => ({
          chain: faults.chain,
          initialblockdownload: faults.initialBlockDownload,
          ...(faults.prunedBelow > 0 ? { pruned: true, pruneheight: faults.prunedBelow } : {}),
        })),
        without("getnetworkinfo", () => ({
          localrelay: !faults.blocksOnly,
          connections: core.peers.list().length,
        })),
        without("getmempoolinfo", () => ({ loaded: !faults.mempoolLoading })),
        unpruned("getblock", 0, "Block not available (pruned data)"),
        unpruned("getrawtransaction", 2, "Block not available"),
      ]),
      getpeerinfo: () => core.peers.list(),
      ping: () => {
        core.peers.ping();
        return null;
      },
      invalidateblock: (params) => {
        core.invalidate(hash(params, 0, "blockhash"));
        return null;
      },
      reconsiderblock: (params) => {
        core.reconsider(hash(params, 0, "blockhash"));
        return null;
      },
      sendrawtransaction: (params) => {
        this.refuse(text(params, 0, "hexstring"));
        return healthy["sendrawtransaction"]?.(params);
      },
    };
  }

  private refuse(hex: string): void {
    const { refusal } = this.faults;
    if (refusal === null || this.core.mempool.entries.has(Transaction.fromHex(hex).getId())) return;
    throw new RpcError(refusal.startsWith("bad-txns-inputs") ? RPC.missingInputs : RPC.rejected, refusal);
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
}

function toOutput({ address, amountSats }: PayTo): ScriptOutput {
  return { scriptPubKey: scriptOf(address), valueSats: amountSats };
}
