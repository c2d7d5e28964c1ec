import type { Block, Transaction } from "bitcoinjs-lib";
import { genesisBlock } from "./regtest-block";

export const COINBASE_MATURITY = 100;

/** An unspent output. */
export interface Coin {
  txid: string;
  vout: number;
  scriptPubKey: Buffer;
  valueSats: bigint;
  /** Null while it is in the mempool. */
  height: number | null;
  coinbase: boolean;
}

export interface StoredBlock {
  hash: string;
  previousHash: string;
  height: number;
  raw: Buffer;
  block: Block;
  txs: readonly Transaction[];
  txids: readonly string[];
  /** Spent coins, to restore them when the block is disconnected. */
  undo: Coin[];
  invalid: boolean;
}

export interface ChainChange {
  disconnected: StoredBlock[];
  connected: StoredBlock[];
}

export function coinKey(txid: string, vout: number): string {
  return `${txid}:${vout}`;
}

export function spentKeys(tx: Transaction): string[] {
  return tx.ins.map(({ hash, index }) => coinKey(hex(Buffer.from(hash).reverse()), index));
}

/** Blocks, which of them are the chain, and the coins of that chain. Scripts are not executed. */
export class Chain {
  readonly blocks = new Map<string, StoredBlock>();
  readonly coins = new Map<string, Coin>();
  private readonly active: StoredBlock[] = [];

  constructor() {
    const genesis = this.store(genesisBlock(), 0);
    this.active.push(genesis);
  }

  /** The active chain and its coins, without other branches; from here on each goes its own way. */
  copy(): Chain {
    const copy = new Chain();
    for (const block of this.active.slice(1)) {
      const own = { ...block };
      copy.blocks.set(own.hash, own);
      copy.active.push(own);
    }
    for (const [key, coin] of this.coins) copy.coins.set(key, coin);
    return copy;
  }

  get tip(): StoredBlock {
    const tip = this.active.at(-1);
    if (tip === undefined) throw new Error("the chain is empty");
    return tip;
  }

  at(height: number): StoredBlock | undefined {
    return this.active[height];
  }

  isActive(block: StoredBlock): boolean {
    return this.active[block.height] === block;
  }

  /** BIP 113: the median time of a block and its ten predecessors, in seconds. */
  medianTime(block: StoredBlock): number {
    const times: number[] = [];
    for (
      let at: StoredBlock | undefined = block;
      at && times.length < 11;
      at = this.blocks.get(at.previousHash)
    )
      times.push(at.block.timestamp);
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  }

  /** Takes a block in; `activate` makes it part of the chain. */
  add(block: Block): StoredBlock {
    const previous = this.blocks.get(hex(Buffer.from(block.prevHash ?? []).reverse()));
    if (previous === undefined) throw new Error("the block before is unknown");
    if (!block.checkProofOfWork() || !block.checkTxRoots()) throw new Error("the block is not valid");
    const known = this.blocks.get(block.getId());
    return known ?? this.store(block, previous.height + 1, previous.invalid);
  }

  /** Moves to the longest valid chain; the one seen first wins a tie. All blocks have the same work. */
  activate(): ChainChange {
    let best = this.tip.invalid ? undefined : this.tip;
    for (const block of this.blocks.values())
      if (!block.invalid && (best === undefined || block.height > best.height)) best = block;
    const path: StoredBlock[] = [];
    for (let at = best; at && !this.isActive(at); at = this.blocks.get(at.previousHash)) path.unshift(at);
    const forkHeight = path[0] ? path[0].height - 1 : (best?.height ?? 0);
    const disconnected: StoredBlock[] = [];
    while (this.tip.height > forkHeight) disconnected.push(this.disconnectTip());
    for (const block of path) this.connect(block);
    return { disconnected, connected: path };
  }

  private store(block: Block, height: number, invalid = false): StoredBlock {
    const txs = block.transactions ?? [];
    const stored: StoredBlock = {
      hash: block.getId(),
      previousHash: hex(Buffer.from(block.prevHash ?? []).reverse()),
      height,
      raw: Buffer.from(block.toBuffer()),
      block,
      txs,
      txids: txs.map((tx) => tx.getId()),
      undo: [],
      invalid,
    };
    this.blocks.set(stored.hash, stored);
    return stored;
  }

  private connect(block: StoredBlock): void {
    block.undo = [];
    block.txs.forEach((tx, i) => {
      if (i > 0) {
        for (const key of spentKeys(tx)) {
          const coin = this.coins.get(key);
          if (coin === undefined) continue; // the mempool refuses it; a benchmark mines nothing else
          this.coins.delete(key);
          block.undo.push(coin);
        }
      }
      for (const coin of coinsOf(tx, block.txids[i] ?? "", block.height)) {
        this.coins.set(coinKey(coin.txid, coin.vout), coin);
      }
    });
    this.active.push(block);
  }

  private disconnectTip(): StoredBlock {
    const block = this.tip;
    this.active.pop();
    block.txs.forEach((tx, i) => {
      for (const vout of tx.outs.keys()) this.coins.delete(coinKey(block.txids[i] ?? "", vout));
    });
    // A coin that was made and spent within this block is not restored.
    const made = new Set(block.txids);
    for (const coin of block.undo)
      if (!made.has(coin.txid)) this.coins.set(coinKey(coin.txid, coin.vout), coin);
    return block;
  }
}

/** The spendable outputs of a transaction. */
export function coinsOf(tx: Transaction, txid: string, height: number | null): Coin[] {
  const coinbase = tx.isCoinbase();
  return tx.outs.flatMap(({ script, value }, vout) =>
    script[0] === 0x6a
      ? []
      : [{ txid, vout, scriptPubKey: Buffer.from(script), valueSats: value, height, coinbase }],
  );
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex");
}
