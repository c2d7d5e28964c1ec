import type { Mark } from "../../domain/invoice/status";
import { scriptOfAddress } from "../../domain/wallet/address";
import type { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import type { StoredInvoice } from "../../scripts/devnet/lightning/invoice-book";
import type { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";

/** What a customer saw, and what the world knows of it. */
export interface Sale {
  invoiceId: string;
  orderId: string;
  /** Null where the store takes Lightning alone. */
  address: string | null;
  dueSats: bigint;
  minDueSats: bigint;
  required: number;
  createdMs: number;
  expiresMs: number;
  monitoringMs: number;
  /** What was true of it, change by change, with the instant from which on. */
  readonly past: (Sums & { atMs: number })[];
  /** A transaction that conflicts with a payment was mined. */
  doubleSpent: boolean;
  /** Payments of it were taken back, and may have come again: whether the service saw a conflict in time is open. */
  wavers: boolean;
  /**
   * The service's node was alone or down while it could be paid: what the mempool showed is open, and so is whether what came
   * late was dated late.
   */
  blind: boolean;
  /** The last mark by hand, and what the merchant asks for just now. */
  mark: Mark | null;
  markedMs: number;
  marking: Mark | null;
  /** The customer took a payment back by a transaction that is in no block yet. After the expiry it is believed late. */
  contested: boolean;
}

/** What is known of both networks. */
export interface Networks {
  readonly node: SimulatedNode;
  readonly lnd: SimulatedLnd | null;
  /** When a transaction, or what it replaces, was first sent to the network. */
  readonly sent: ReadonlyMap<string, number>;
  /** Transactions that signal replaceability, or depend on others, when they were sent. */
  readonly risky: ReadonlySet<string>;
  /** Payment hashes of an invoice's BOLT11s that were shown. */
  readonly bolt11s: ReadonlyMap<string, ReadonlySet<string>>;
  /** What was paid to an LND whose database was then replaced by an older one. */
  readonly forgotten: readonly StoredInvoice[];
  /** Those that may still change; the others were judged. */
  readonly openSales: readonly Sale[];
}

/** Money that an invoice has, by the network's own word. */
export interface Coin {
  /** As the service would call it. */
  id: string;
  sats: bigint;
  /** It has as many confirmations as the invoice asks for, and as are asked of such a transaction. */
  confirmed: boolean;
  /** When the network first had it, or what it replaces. */
  atMs: number;
}

/** All that the chain, the mempool and LND have for a sale. */
export function coinsOfSale(world: Networks, sale: Sale): Coin[] {
  return [...chainCoins(world, sale), ...lightningCoins(world, sale)];
}

function chainCoins({ node: { core }, sent, risky }: Networks, { address, required }: Sale): Coin[] {
  const script = address === null ? null : scriptOfAddress(address, "regtest");
  if (script === null) return [];
  const wanted = Buffer.from(script);
  const coins: Coin[] = [];
  const take = (
    txid: string,
    outs: readonly { script: Uint8Array; value: bigint }[],
    height: number | null,
  ) =>
    outs.forEach((out, vout) => {
      if (!wanted.equals(Buffer.from(out.script))) return;
      const confirmations = height === null ? 0 : core.chain.tip.height - height + 1;
      const confirmed = confirmations >= (risky.has(txid) ? Math.max(1, required) : required);
      coins.push({ id: `${txid}:${vout}`, sats: out.value, confirmed, atMs: sent.get(txid) ?? Infinity });
    });
  // No reorganisation reaches further back.
  for (let height = 130; height <= core.chain.tip.height; height += 1) {
    const block = core.chain.at(height);
    block?.txs.forEach((tx, at) => take(block.txids[at] ?? "", tx.outs, height));
  }
  for (const { txid, tx } of core.mempool.entries.values()) take(txid, tx.outs, null);
  return coins;
}

function lightningCoins({ lnd, bolt11s, forgotten }: Networks, { invoiceId }: Sale): Coin[] {
  const hashes = bolt11s.get(invoiceId) ?? new Set();
  return [...forgotten, ...(lnd?.core.book.settledAfter(0) ?? [])]
    .filter(({ paymentHash }) => hashes.has(paymentHash))
    .map(({ paymentHash, amountPaidMsat, settledAt }) => ({
      id: paymentHash,
      sats: BigInt(amountPaidMsat) / 1_000n,
      confirmed: true,
      atMs: settledAt * 1_000,
    }));
}

/** Sums over an invoice's money. */
export interface Sums {
  counted: bigint;
  inTime: bigint;
  confirmed: bigint;
}

export function sumsOf(coins: readonly Coin[], { expiresMs }: Sale): Sums {
  const sum = (some: readonly Coin[]): bigint => some.reduce((total, { sats }) => total + sats, 0n);
  return {
    counted: sum(coins),
    inTime: sum(coins.filter(({ atMs }) => atMs <= expiresMs)),
    confirmed: sum(coins.filter(({ confirmed }) => confirmed)),
  };
}

/** After each change of the world: what the service learns of it, and says, comes later. */
export function remember(world: Networks, nowMs: number): void {
  for (const sale of world.openSales)
    sale.past.push({ atMs: nowMs, ...sumsOf(coinsOfSale(world, sale), sale) });
}

/** All that was true of a sale at any moment since an instant. */
export function trueSince({ past }: Sale, sinceMs: number): { most: Sums; least: Sums } {
  const before = past.findLastIndex(({ atMs }) => atMs < sinceMs);
  const some = past.slice(Math.max(0, before));
  const pick = (better: (a: bigint, b: bigint) => boolean): Sums => {
    const of = (name: keyof Sums): bigint =>
      some.map((sums) => sums[name]).reduce((a, b) => (better(a, b) ? a : b), some[0]?.[name] ?? 0n);
    return { counted: of("counted"), inTime: of("inTime"), confirmed: of("confirmed") };
  };
  return { most: pick((a, b) => a > b), least: pick((a, b) => a < b) };
}
