import type { Transaction } from "bitcoinjs-lib";
import type { Block } from "bitcoinjs-lib";
import { Chain, type ChainChange, type StoredBlock } from "./chain";
import { CustomerWallet, FEE_RATE } from "./customer-wallet";
import { Ledger } from "./ledger";
import { Mempool } from "./mempool";
import { mineBlock } from "./regtest-block";
import { RpcError } from "./rpc-error";

/** Blocks that a new devnet starts with: fifty of their rewards can be spent. */
const FIRST_BLOCKS = 150;
const FIRST_BLOCKS_APART_SECONDS = 60;

export interface NodeEvents {
  rawtx(raw: Buffer): void;
  hashblock(hash: Buffer): void;
}

/** The state of the simulated node and everything that changes it. */
export class NodeCore {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly wallet: CustomerWallet;
  /** Unix seconds, by the node's own clock. */
  clock: () => number = nowSeconds;
  /** Unix seconds of the last start. */
  startedAt = this.clock();
  private readonly ledger: Ledger | null;
  private readonly seed: Buffer;
  protected events: NodeEvents | null = null;

  /** With `dataDir` it keeps what happens over restarts. */
  constructor(options: { dataDir?: string; chain?: Chain }) {
    this.chain = options.chain ?? new Chain();
    this.mempool = new Mempool(this.chain, { minFeeRate: 1, fullRbf: true });
    this.ledger = options.dataDir === undefined ? null : new Ledger(options.dataDir);
    const kept = this.ledger?.readWallet() ?? { seed: Buffer.alloc(32, 7), addressCount: 1 };
    this.seed = kept.seed;
    this.wallet = new CustomerWallet(kept.seed, this.chain, this.mempool);
    while (this.wallet.addressCount < kept.addressCount) this.wallet.newAddress();
    if (this.ledger) this.load(this.ledger);
  }

  /** From now on changes are published. */
  listen(events: NodeEvents): void {
    this.events = events;
  }

  /** On a chain that has none. */
  mineFirst(): this {
    const start = this.clock() - FIRST_BLOCKS * FIRST_BLOCKS_APART_SECONDS;
    while (this.chain.tip.height < FIRST_BLOCKS)
      this.mineAt(
        this.wallet.rewardScript,
        start + (this.chain.tip.height + 1) * FIRST_BLOCKS_APART_SECONDS,
        [],
      );
    return this;
  }

  newAddress(): { address: string; scriptPubKey: Buffer } {
    const made = this.wallet.newAddress();
    this.ledger?.writeWallet(this.seed, this.wallet.addressCount);
    return made;
  }

  /** The customer pays; answers the txid. */
  pay(scriptPubKey: Buffer, valueSats: bigint): string {
    const outputs = [{ scriptPubKey, valueSats }];
    return this.broadcast(this.wallet.fund({ outputs, feeRate: FEE_RATE, replaceable: true }));
  }

  /** As sendrawtransaction; answers the txid. */
  broadcast(tx: Transaction): string {
    if (this.mempool.accept(tx, this.clock())) this.added(tx);
    return tx.getId();
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

  /** `apply` follows. */
  protected keepBlock(block: Block): StoredBlock {
    const stored = this.chain.add(block);
    this.ledger?.appendBlock(stored.raw);
    return stored;
  }

  private mineAt(
    payTo: Uint8Array,
    timeSeconds: number,
    txs: readonly { tx: Transaction; feeSats: bigint }[],
  ): string {
    const { tip } = this.chain;
    const block = this.keepBlock(
      mineBlock({
        previousHash: Buffer.from(tip.hash, "hex").reverse(),
        height: tip.height + 1,
        timeSeconds,
        payTo,
        feesSats: txs.reduce((sum, { feeSats }) => sum + feeSats, 0n),
        txs: txs.map(({ tx }) => tx),
      }),
    );
    this.apply(this.chain.activate());
    return block.hash;
  }

  /** In bitcoind's order: disconnected blocks, connected blocks, transactions that came back, the new tip. */
  protected apply({ disconnected, connected }: ChainChange): void {
    for (const block of disconnected) for (const tx of block.txs) this.events?.rawtx(rawOf(tx));
    for (const block of connected) {
      this.mempool.removeForBlock(block.txs);
      for (const tx of block.txs) this.events?.rawtx(rawOf(tx));
    }
    const back = [...disconnected].reverse().flatMap((block) => block.txs.slice(1));
    for (const tx of back) this.takeBack(tx);
    if (disconnected.length > 0) this.mempool.removeImpossible();
    if (connected.length > 0) this.tipMoved();
  }

  protected tipMoved(): void {
    this.events?.hashblock(Buffer.from(this.chain.tip.hash, "hex"));
    this.keepMempool();
  }

  private takeBack(tx: Transaction): void {
    try {
      if (this.mempool.accept(tx, this.clock(), true)) this.added(tx);
    } catch (error) {
      // In the new chain too, or spends what the new chain has spent.
      if (!(error instanceof RpcError)) throw error;
    }
  }

  protected added(tx: Transaction): void {
    const raw = rawOf(tx);
    this.ledger?.appendMempool(raw);
    this.events?.rawtx(raw);
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function rawOf(tx: Transaction): Buffer {
  return Buffer.from(tx.toBuffer());
}
