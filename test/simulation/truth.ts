import type { Mark } from "../../domain/invoice/status";
import { scriptOfAddress } from "../../domain/wallet/address";
import type { SimulatedNode } from "../support/devnet/simulated-node";
import type { StoredInvoice } from "../../scripts/devnet/lightning/invoice-book";
import type { SimulatedLnd } from "../support/devnet/simulated-lnd";
import type { MerchantWallet } from "./merchant-wallet";

/** A merchant's store, and where its money goes. */
export interface Shop {
  readonly id: string;
  readonly wallet: MerchantWallet;
  /** LNDs that it was paid to, the present one last. */
  readonly nodes: SimulatedLnd[];
}

/** What a customer saw, and what the world knows of it. */
export interface Sale {
  shop: Shop;
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
  /** Of a payment of it nobody can know whether it came late, or after the monitoring: what is recorded depends on when it is found. */
  undated: boolean;
  /** When a block was undone in which the service had found a payment: monitoring goes on for a day from then on. */
  leftBlockMs: number;
  /** A payment of it was in a block that was undone, whether the service had found it there or not. */
  leftBlock: boolean;
  /** What was true of it, change by change, with the instant from which on. */
  readonly past: (Sums & { atMs: number; coins: readonly Coin[]; byBlock: boolean })[];
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
  /** The server's, and those of stores. */
  readonly lnds: readonly SimulatedLnd[];
  /** When a transaction, or what it replaces, was first sent to the network. */
  readonly sent: ReadonlyMap<string, number>;
  /** Of a transaction that replaced another: the first of them. */
  readonly firstOf: ReadonlyMap<string, string>;
  /** Transactions that signal replaceability, or depend on others, when they were sent. */
  readonly risky: ReadonlySet<string>;
  /** Payment hashes of an invoice's BOLT11s that were shown. */
  readonly bolt11s: ReadonlyMap<string, ReadonlySet<string>>;
  /** What was paid to an LND whose database was then replaced by an older one. */
  readonly forgotten: readonly StoredInvoice[];
  /** Payment hashes of BOLT11s that were canceled before an older database of LND had them open again. */
  readonly reopened: ReadonlySet<string>;
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
  /** It is in a block, or was paid by Lightning. */
  secured: boolean;
  /** When the network first had it, or what it replaces. */
  atMs: number;
  /** The same of all that replace one another: no two of them can be true. */
  lineage: string;
}

export const isLightning = ({ id }: Coin): boolean => !id.includes(":");

/** All that the chain, the mempool and LND have for a sale. */
export function coinsOfSale(world: Networks, sale: Sale): Coin[] {
  return [...chainCoins(world, sale), ...lightningCoins(world, sale)];
}

function chainCoins({ node: { core }, sent, firstOf, risky }: Networks, { address, required }: Sale): Coin[] {
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
      const atMs = sent.get(txid) ?? Infinity;
      const lineage = `${firstOf.get(txid) ?? txid}:${vout}`;
      const secured = height !== null || confirmed;
      coins.push({ id: `${txid}:${vout}`, sats: out.value, confirmed, secured, atMs, lineage });
    });
  // No reorganisation reaches further back.
  for (let height = 130; height <= core.chain.tip.height; height += 1) {
    const block = core.chain.at(height);
    block?.txs.forEach((tx, at) => take(block.txids[at] ?? "", tx.outs, height));
  }
  for (const { txid, tx } of core.mempool.entries.values()) take(txid, tx.outs, null);
  return coins;
}

/** By its own store's nodes: what another one says of it is nothing. */
function lightningCoins(
  { bolt11s, forgotten }: Networks,
  { invoiceId, expiresMs, shop: { nodes } }: Sale,
): Coin[] {
  const hashes = bolt11s.get(invoiceId) ?? new Set();
  const settled = nodes.flatMap(({ core }) => core.book.settledAfter(0));
  // Whose BOLT11 is paid again to an LND that has forgotten the first time has paid once, as far as anybody can know.
  const again = new Set(settled.map(({ paymentHash }) => paymentHash));
  return [...forgotten.filter(({ paymentHash }) => !again.has(paymentHash)), ...settled]
    .filter(({ paymentHash }) => hashes.has(paymentHash))
    .map(({ paymentHash, amountPaidMsat, settledAt }) => ({
      id: paymentHash,
      lineage: paymentHash,
      sats: BigInt(amountPaidMsat) / 1_000n,
      confirmed: true,
      secured: true,
      // Its BOLT11 ends with the invoice: what arrived then is in time, whenever LND settles it.
      atMs: Math.min(settledAt * 1_000, expiresMs),
    }));
}

/** Sums over an invoice's money. */
export interface Sums {
  counted: bigint;
  inTime: bigint;
  /** Before the monitoring ended: what comes later makes neither a part nor an excess. */
  inWindow: bigint;
  confirmed: bigint;
  confirmedInWindow: bigint;
  secured: bigint;
}
const SUMS = ["counted", "inTime", "inWindow", "confirmed", "confirmedInWindow", "secured"] as const;

/** Each of the sums by its name. */
function eachSum(of: (name: keyof Sums) => bigint): Sums {
  return Object.fromEntries(SUMS.map((name) => [name, of(name)])) as unknown as Sums;
}

export function sumsOf(coins: readonly Coin[], { expiresMs, monitoringMs }: Sale): Sums {
  const sum = (some: readonly Coin[]): bigint => some.reduce((total, { sats }) => total + sats, 0n);
  return {
    counted: sum(coins),
    inTime: sum(coins.filter(({ atMs }) => atMs <= expiresMs)),
    inWindow: sum(coins.filter(({ atMs }) => atMs <= monitoringMs)),
    confirmed: sum(coins.filter(({ confirmed }) => confirmed)),
    confirmedInWindow: sum(coins.filter(({ atMs, confirmed }) => confirmed && atMs <= monitoringMs)),
    secured: sum(coins.filter(({ secured }) => secured)),
  };
}

/**
 * After each change of the world: what the service learns of it, and says, comes later. `byBlock`: a block took coins
 * back.
 */
export function remember(world: Networks, nowMs: number, byBlock = false): void {
  for (const sale of world.openSales) {
    const coins = coinsOfSale(world, sale);
    sale.past.push({ atMs: nowMs, ...sumsOf(coins, sale), coins, byBlock });
  }
}

function momentsSince({ past }: Sale, sinceMs: number): Sale["past"] {
  const before = past.findLastIndex(({ atMs }) => atMs < sinceMs);
  return past.slice(Math.max(0, before));
}

/**
 * The most that one can believe who since an instant has heard of all that came, and of nothing that a block took back: he
 * hears of blocks when he checks. Of what replaces a payment in the mempool he hears before what is paid then, but does not
 * believe it at once after the expiry. Of payments that replace one another the best counts.
 */
export function believableSince(sale: Sale, sinceMs: number, atMs: number): Sums {
  const lost: Coin[] = [];
  let before: readonly Coin[] = [];
  const sums = momentsSince(sale, sinceMs).map(({ coins, byBlock }) => {
    const here = new Set(coins.map(({ id }) => id));
    if (byBlock || atMs >= sale.expiresMs) lost.push(...before.filter(({ id }) => !here.has(id)));
    before = coins;
    return bestOf([...lost, ...coins], sale);
  });
  return eachSum((name) => sums.reduce((best, each) => most(best, each[name]), 0n));
}

function bestOf(coins: readonly Coin[], sale: Sale): Sums {
  const best = new Map<string, Sums>();
  for (const coin of coins) {
    const sums = sumsOf([coin], sale);
    const known = best.get(coin.lineage) ?? sums;
    best.set(
      coin.lineage,
      eachSum((name) => most(known[name], sums[name])),
    );
  }
  return eachSum((name) => [...best.values()].reduce((total, sums) => total + sums[name], 0n));
}

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** All that was true of a sale at any moment since an instant. */
export function trueSince(sale: Sale, sinceMs: number): { most: Sums; least: Sums } {
  const some = momentsSince(sale, sinceMs);
  const pick = (better: (a: bigint, b: bigint) => boolean): Sums =>
    eachSum((name) =>
      some.map((sums) => sums[name]).reduce((a, b) => (better(a, b) ? a : b), some[0]?.[name] ?? 0n),
    );
  return { most: pick((a, b) => a > b), least: pick((a, b) => a < b) };
}
