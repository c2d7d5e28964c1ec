import { type Block, Transaction } from "bitcoinjs-lib";
import { Chain, type ChainChange } from "./chain";
import { CustomerWallet } from "./customer-wallet";
import { Ledger } from "./ledger";
import { Mempool, type MempoolEntry } from "./mempool";
import { mineBlock } from "./regtest-block";
import { Peers } from "./peers";
import { RPC, RpcError } from "./rpc-error";

/** Blocks that a new devnet starts with: fifty of their rewards can be spent. */
const FIRST_BLOCKS = 150;
const FIRST_BLOCKS_APART_SECONDS = 60;

/** What tests may break. All false, null or zero in a healthy node. */
export interface NodeFaults {
  /** ZMQ messages are counted but not sent. */
  dropZmq: boolean;
  /** RPC answers -28. */
  warmingUp: boolean;
  /** The mempool is still being read from disk. */
  mempoolLoading: boolean;
  initialBlockDownload: boolean;
  /** Blocks below this height were pruned. */
  prunedBelow: number;
  /** Sent in place of every RPC answer. */
  garbledRpc: string | null;
  /** The chain that the node says it is on. */
  chain: string;
  /** It relays no transactions. */
  blocksOnly: boolean;
  /** Why sendrawtransaction refuses what is not in the mempool. */
  refusal: string | null;
}

export interface NodeEvents {
  rawtx(raw: Buffer): void;
  hashblock(hash: Buffer): void;
}

/** The state of the simulated node and everything that changes it. */
export class NodeCore {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly wallet: CustomerWallet;
  readonly peers: Peers = new Peers(this);
  /** Unix seconds, by the node's own clock. */
  clock: () => number = nowSeconds;
  /** Unix seconds of the last start. */
  startedAt = this.clock();
  readonly faults: NodeFaults = {
    dropZmq: false,
    warmingUp: false,
    mempoolLoading: false,
    initialBlockDownload: false,
    prunedBelow: 0,
    garbledRpc: null,
    chain: "regtest",
    blocksOnly: false,
    refusal: null,
  };
  private readonly ledger: Ledger | null;
  private readonly seed: Buffer;
  private events: NodeEvents | null = null;

  constructor(options: { dataDir?: string; fullRbf?: boolean; empty?: boolean; chain?: Chain }) {
    this.chain = options.chain?.copy() ?? new Chain();
    this.mempool = new Mempool(this.chain, { minFeeRate: 1, fullRbf: options.fullRbf ?? true });
    this.ledger = options.dataDir === undefined ? null : new Ledger(options.dataDir);
    const kept = this.ledger?.readWallet() ?? { seed: Buffer.alloc(32, 7), addressCount: 1 };
    this.seed = kept.seed;
    this.wallet = new CustomerWallet(kept.seed, this.chain, this.mempool);
    while (this.wallet.addressCount < kept.addressCount) this.wallet.newAddress();
    if (this.ledger) this.load(this.ledger);
    if (this.chain.tip.height === 0 && options.empty !== true) this.mineFirst();
  }

  /** From now on changes are published. */
  listen(events: NodeEvents): void {
    this.events = events;
  }

  newAddress(): { address: string; scriptPubKey: Buffer } {
    const made = this.wallet.newAddress();
    this.ledger?.writeWallet(this.seed, this.wallet.addressCount);
    return made;
  }

  /** As sendrawtransaction; answers the txid. */
  broadcast(tx: Transaction): string {
    if (this.mempool.accept(tx, this.clock())) this.added(tx);
    return tx.getId();
  }

  /** As from a peer: invalid ones are skipped. */
  receive(raw: Buffer): void {
    try {
      this.broadcast(Transaction.fromBuffer(raw));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }

  /** As from a peer: takes its blocks, and follows them where its chain is longer. */
  takeChainOf(other: Chain): void {
    const missing: Block[] = [];
    for (let at = other.tip; !this.chain.blocks.has(at.hash);) {
      missing.unshift(at.block);
      const previous = other.blocks.get(at.previousHash);
      if (previous === undefined) throw new Error("the peer's chain has a hole");
      at = previous;
    }
    for (const block of missing) {
      const { raw } = this.chain.add(block);
      this.ledger?.appendBlock(raw);
    }
    if (missing.length > 0) this.apply(this.chain.activate());
  }

  /** Forgets all that is unconfirmed. */
  emptyMempool(): void {
    for (const txid of [...this.mempool.entries.keys()]) this.mempool.remove(txid);
    this.keepMempool();
  }

  /** Mines one block on the tip; `txs` in an order in which each comes after what it spends. */
  mineOne(payTo: Uint8Array, txs: readonly { tx: Transaction; feeSats: bigint }[]): string {
    const { tip } = this.chain;
    const timeSeconds = Math.max(this.chain.medianTime(tip) + 1, this.clock());
    return this.mineAt(payTo, timeSeconds, txs);
  }

  mineMempool(payTo: Uint8Array): string {
    return this.mineOne(payTo, this.mempool.inOrder());
  }

  invalidate(hash: string): void {
    this.known(hash);
    this.chain.invalidate(hash);
    this.apply(this.chain.activate());
  }

  reconsider(hash: string): void {
    this.known(hash);
    this.chain.reconsider(hash);
    this.apply(this.chain.activate());
  }

  /** A signed transaction that spends the inputs of `entry` back to the customer, for a higher fee. */
  conflictOf(entry: { tx: Transaction; spends: readonly string[]; feeSats: bigint }): {
    tx: Transaction;
    feeSats: bigint;
  } {
    const coins = this.mempool.coinsOf(entry.spends);
    const feeAtLeastSats = entry.feeSats + 1_000n;
    const tx = this.wallet.fund({
      outputs: [],
      mustSpend: coins,
      feeRate: 5,
      replaceable: true,
      feeAtLeastSats,
    });
    const inSats = coins.reduce((sum, { valueSats }) => sum + valueSats, 0n);
    return { tx, feeSats: inSats - tx.outs.reduce((sum, { value }) => sum + value, 0n) };
  }

  /** Forgets an unconfirmed transaction and its descendants. */
  drop(txid: string): MempoolEntry[] {
    const gone = this.mempool.remove(txid);
    this.keepMempool();
    return gone;
  }

  /** Writes what a restart needs and appending did not. */
  keepMempool(): void {
    this.ledger?.rewriteMempool(this.mempool.inOrder().map((entry) => entry.raw));
  }

  private load(ledger: Ledger): void {
    ledger.writeWallet(this.seed, this.wallet.addressCount);
    for (const block of ledger.readBlocks()) this.chain.add(block);
    this.chain.activate();
    for (const tx of ledger.readMempool()) {
      try {
        this.mempool.accept(tx, this.clock());
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
    }
    this.keepMempool();
  }

  private mineFirst(): void {
    const start = this.clock() - FIRST_BLOCKS * FIRST_BLOCKS_APART_SECONDS;
    for (let i = 1; i <= FIRST_BLOCKS; i++) {
      this.mineAt(this.wallet.rewardScript, start + i * FIRST_BLOCKS_APART_SECONDS, []);
    }
  }

  private mineAt(
    payTo: Uint8Array,
    timeSeconds: number,
    txs: readonly { tx: Transaction; feeSats: bigint }[],
  ): string {
    const { tip } = this.chain;
    const block = this.chain.add(
      mineBlock({
        previousHash: Buffer.from(tip.hash, "hex").reverse(),
        height: tip.height + 1,
        timeSeconds,
        payTo,
        feesSats: txs.reduce((sum, { feeSats }) => sum + feeSats, 0n),
        txs: txs.map(({ tx }) => tx),
      }),
    );
    this.ledger?.appendBlock(block.raw);
    this.apply(this.chain.activate());
    return block.hash;
  }

  /** In bitcoind's order: disconnected blocks, connected blocks, transactions that came back, the new tip. */
  private apply({ disconnected, connected }: ChainChange): void {
    for (const block of disconnected) for (const tx of block.txs) this.events?.rawtx(rawOf(tx));
    for (const block of connected) {
      this.mempool.removeForBlock(block.txs);
      for (const tx of block.txs) this.events?.rawtx(rawOf(tx));
    }
    const back = [...disconnected].reverse().flatMap((block) => block.txs.slice(1));
    for (const tx of back) this.takeBack(tx);
    if (disconnected.length > 0) this.mempool.removeImpossible();
    if (connected.length > 0) {
      if (!this.faults.initialBlockDownload) this.events?.hashblock(Buffer.from(this.chain.tip.hash, "hex"));
      this.keepMempool();
      this.peers.announce();
    }
  }

  private takeBack(tx: Transaction): void {
    try {
      if (this.mempool.accept(tx, this.clock(), true)) this.added(tx);
    } catch (error) {
      // In the new chain too, or spends what the new chain has spent.
      if (!(error instanceof RpcError)) throw error;
    }
  }

  private added(tx: Transaction): void {
    const raw = rawOf(tx);
    this.ledger?.appendMempool(raw);
    this.events?.rawtx(raw);
    this.peers.relay(raw);
  }

  private known(hash: string): void {
    if (!this.chain.blocks.has(hash)) throw new RpcError(RPC.notFound, "Block not found");
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function rawOf(tx: Transaction): Buffer {
  return Buffer.from(tx.toBuffer());
}
