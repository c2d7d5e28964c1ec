import type { Transaction } from "bitcoinjs-lib";
import { dustLimitSats } from "../../../domain/chain/dust";
import { COINBASE_MATURITY, coinKey, coinsOf, spentKeys, type Chain, type Coin } from "./chain";
import { RPC, RpcError } from "./rpc-error";

export interface MempoolEntry {
  txid: string;
  tx: Transaction;
  raw: Buffer;
  feeSats: bigint;
  vsize: number;
  timeSeconds: number;
  height: number;
  spends: readonly string[];
}

export interface MempoolPolicy {
  /** Sats per vbyte. */
  minFeeRate: number;
  /** Whether a transaction may be replaced that does not signal it (bitcoind's default since 28). */
  fullRbf: boolean;
}

/** Sats per vbyte that a replacement must add for its own relay (BIP 125, rule 4). */
const INCREMENTAL_FEE_RATE = 1n;
/** BIP 431: may be replaced without signalling BIP 125. */
const TRUC_VERSION = 3;

/** Unconfirmed transactions, with bitcoind's rules of acceptance and replacement. */
export class Mempool {
  readonly entries = new Map<string, MempoolEntry>();
  private readonly spenders = new Map<string, string>();

  constructor(
    private readonly chain: Chain,
    readonly policy: MempoolPolicy,
  ) {}

  /** @throws RpcError */
  entryOf(txid: string): MempoolEntry {
    const entry = this.entries.get(txid);
    if (!entry) throw new RpcError(RPC.notFound, "Transaction not in mempool");
    return entry;
  }

  /** The mempool transaction that spends an output. */
  spenderOf(key: string): string | undefined {
    return this.spenders.get(key);
  }

  /** An output that is unspent in the chain or made by the mempool, even if spent in the mempool. */
  coin(key: string): Coin | undefined {
    const inChain = this.chain.coins.get(key);
    if (inChain) return inChain;
    const txid = key.slice(0, 64);
    const entry = this.entries.get(txid);
    return entry && coinsOf(entry.tx, txid, null).find((coin) => coinKey(coin.txid, coin.vout) === key);
  }

  coinsOf(keys: readonly string[]): Coin[] {
    return keys.flatMap((key) => {
      const coin = this.coin(key);
      return coin ? [coin] : [];
    });
  }

  /**
   * Checks and takes a transaction in; what it replaces goes. A transaction that is already here is kept and false is
   * answered. `bypassLimits` is for what a reorganisation brings back.
   * @throws RpcError -25, -26 or -27 as sendrawtransaction has them.
   */
  accept(tx: Transaction, timeSeconds: number, bypassLimits = false): boolean {
    const txid = tx.getId();
    if (this.entries.has(txid)) return false;
    if (tx.isCoinbase()) throw new RpcError(RPC.rejected, "coinbase");
    if (tx.outs.some((_, vout) => this.chain.coins.has(coinKey(txid, vout)))) {
      throw new RpcError(RPC.alreadyInChain, "Transaction outputs already in utxo set");
    }
    const spends = spentKeys(tx);
    const feeSats = this.feeOf(tx, spends);
    const vsize = tx.virtualSize();
    if (!bypassLimits) this.checkStandard(tx, feeSats, vsize);
    this.replaceConflicts(spends, feeSats, vsize);
    for (const key of spends) this.spenders.set(key, txid);
    const height = this.chain.tip.height;
    const raw = Buffer.from(tx.toBuffer());
    this.entries.set(txid, { txid, tx, raw, feeSats, vsize, timeSeconds, height, spends });
    return true;
  }

  /** Forgets a transaction and all that descends from it; answers what went, parents first. */
  remove(txid: string): MempoolEntry[] {
    const gone = [txid, ...this.descendants(txid)].flatMap((id) => this.entries.get(id) ?? []);
    for (const entry of gone) this.forget(entry);
    return gone;
  }

  /** What a new block means: its transactions leave, and so does all that conflicts with them. */
  removeForBlock(txs: readonly Transaction[]): void {
    for (const tx of txs) {
      const mined = this.entries.get(tx.getId());
      if (mined) this.forget(mined);
      for (const key of spentKeys(tx)) {
        const conflict = this.spenders.get(key);
        if (conflict !== undefined) this.remove(conflict);
      }
    }
  }

  /** After blocks were disconnected: what spends coins that are gone, or a coinbase that is too young again. */
  removeImpossible(): void {
    for (const { txid, tx, spends } of [...this.entries.values()]) {
      if (!this.entries.has(txid)) continue;
      try {
        this.feeOf(tx, spends);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        this.remove(txid);
      }
    }
  }

  /** Unconfirmed transactions that this one needs. */
  ancestors(txid: string): string[] {
    return closure(txid, (id) =>
      (this.entries.get(id)?.spends ?? [])
        .map((key) => key.slice(0, 64))
        .filter((id) => this.entries.has(id)),
    );
  }

  /** Unconfirmed transactions that need this one. */
  descendants(txid: string): string[] {
    return closure(txid, (id) =>
      (this.entries.get(id)?.tx.outs ?? []).flatMap((_, vout) => this.spenders.get(coinKey(id, vout)) ?? []),
    );
  }

  /** Every entry after those that it spends from. */
  inOrder(): MempoolEntry[] {
    const depth = new Map([...this.entries.keys()].map((txid) => [txid, this.ancestors(txid).length]));
    return [...this.entries.values()].sort((a, b) => (depth.get(a.txid) ?? 0) - (depth.get(b.txid) ?? 0));
  }

  private feeOf(tx: Transaction, spends: readonly string[]): bigint {
    let inSats = 0n;
    for (const key of spends) {
      const coin = this.coin(key);
      if (coin === undefined) throw new RpcError(RPC.missingInputs, "bad-txns-inputs-missingorspent");
      const age = this.chain.tip.height + 1 - (coin.height ?? 0);
      if (coin.coinbase && age < COINBASE_MATURITY) {
        throw new RpcError(RPC.rejected, "bad-txns-premature-spend-of-coinbase");
      }
      inSats += coin.valueSats;
    }
    const outSats = tx.outs.reduce((sum, { value }) => sum + value, 0n);
    if (outSats > inSats) throw new RpcError(RPC.rejected, "bad-txns-in-belowout");
    return inSats - outSats;
  }

  private checkStandard(tx: Transaction, feeSats: bigint, vsize: number): void {
    if (tx.outs.some(({ script, value }) => value < dustLimitSats(script))) {
      throw new RpcError(RPC.rejected, "dust");
    }
    const needed = Math.ceil(vsize * this.policy.minFeeRate);
    if (feeSats < BigInt(needed)) {
      throw new RpcError(RPC.rejected, `min relay fee not met, ${feeSats} < ${needed}`);
    }
  }

  /** BIP 125's rules 2 to 4 (rule 1 unless fullRbf), and rule 6 of today's nodes: a better fee rate. */
  private replaceConflicts(spends: readonly string[], feeSats: bigint, vsize: number): void {
    const direct = [...new Set(spends.flatMap((key) => this.spenders.get(key) ?? []))];
    if (direct.length === 0) return;
    const all = new Set(direct.flatMap((txid) => [txid, ...this.descendants(txid)]));
    if (spends.some((key) => all.has(key.slice(0, 64)))) {
      throw new RpcError(RPC.rejected, "bad-txns-spends-conflicting-tx");
    }
    const oldParents = new Set(direct.flatMap((id) => this.entries.get(id)?.spends ?? []));
    if (spends.some((key) => this.entries.has(key.slice(0, 64)) && !oldParents.has(key))) {
      throw new RpcError(RPC.rejected, "replacement-adds-unconfirmed");
    }
    let oldFeesSats = 0n;
    for (const txid of all) oldFeesSats += this.entries.get(txid)?.feeSats ?? 0n;
    for (const txid of direct) {
      const old = this.entries.get(txid);
      if (!old) continue;
      if (!this.policy.fullRbf && old.tx.version !== TRUC_VERSION && !this.isReplaceable(txid)) {
        throw new RpcError(RPC.rejected, "txn-mempool-conflict");
      }
      if (feeSats * BigInt(old.vsize) <= old.feeSats * BigInt(vsize)) {
        throw new RpcError(
          RPC.rejected,
          "insufficient fee, rejecting replacement; new feerate is not higher",
        );
      }
    }
    if (feeSats < oldFeesSats + INCREMENTAL_FEE_RATE * BigInt(vsize)) {
      throw new RpcError(RPC.rejected, "insufficient fee, rejecting replacement; not enough additional fees");
    }
    for (const txid of direct) this.remove(txid);
  }

  /** BIP 125: it or an unconfirmed ancestor signals. */
  isReplaceable(txid: string): boolean {
    return [txid, ...this.ancestors(txid)].some((id) =>
      this.entries.get(id)?.tx.ins.some(({ sequence }) => sequence < 0xfffffffe),
    );
  }

  private forget(entry: MempoolEntry): void {
    this.entries.delete(entry.txid);
    for (const key of entry.spends) this.spenders.delete(key);
  }
}

function closure(start: string, next: (txid: string) => readonly string[]): string[] {
  const found = new Set<string>();
  const queue = [...next(start)];
  for (let txid = queue.shift(); txid !== undefined; txid = queue.shift()) {
    if (found.has(txid)) continue;
    found.add(txid);
    queue.push(...next(txid));
  }
  return [...found];
}
