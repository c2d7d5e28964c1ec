import { scriptOfAddress } from "../../domain/wallet/address";
import type { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import type { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";

/** What a customer was told, and what the world knows of it. */
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
  /** The most that was ever confirmed, or paid in time, at one moment. */
  mostConfirmed: bigint;
  mostInTime: bigint;
  /** A transaction that conflicts with a payment was mined. */
  doubleSpent: boolean;
  /** Payments of it were taken back, and may have come again: whether the service saw a conflict in time is open. */
  wavers: boolean;
}

/** What is known of both networks. */
export interface Networks {
  readonly node: SimulatedNode;
  readonly lnd: SimulatedLnd | null;
  /** When a transaction, or what it replaces, was first told to the network. */
  readonly sent: ReadonlyMap<string, number>;
  /** Payment hashes of an invoice's BOLT11s that were shown. */
  readonly bolt11s: ReadonlyMap<string, ReadonlySet<string>>;
  /** Those that may still change; the others were judged. */
  readonly openSales: readonly Sale[];
}

/** Money that an invoice has, by the network's own word. */
export interface Coin {
  /** As the service would call it. */
  id: string;
  sats: bigint;
  /** 0 in the mempool. By Lightning as many as are asked for. */
  confirmations: number;
  /** When the network first had it, or what it replaces. */
  atMs: number;
}

/** All that the chain, the mempool and LND have for a sale. */
export function coinsOfSale(world: Networks, sale: Sale): Coin[] {
  return [...chainCoins(world, sale), ...lightningCoins(world, sale)];
}

function chainCoins({ node: { core }, sent }: Networks, { address }: Sale): Coin[] {
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
      coins.push({ id: `${txid}:${vout}`, sats: out.value, confirmations, atMs: sent.get(txid) ?? Infinity });
    });
  // No reorganisation reaches further back.
  for (let height = 130; height <= core.chain.tip.height; height += 1) {
    const block = core.chain.at(height);
    block?.txs.forEach((tx, at) => take(block.txids[at] ?? "", tx.outs, height));
  }
  for (const { txid, tx } of core.mempool.entries.values()) take(txid, tx.outs, null);
  return coins;
}

function lightningCoins({ lnd, bolt11s }: Networks, { invoiceId, required }: Sale): Coin[] {
  const hashes = bolt11s.get(invoiceId) ?? new Set();
  return (lnd?.core.book.settledAfter(0) ?? [])
    .filter(({ paymentHash }) => hashes.has(paymentHash))
    .map(({ paymentHash, amountPaidMsat, settledAt }) => ({
      id: paymentHash,
      sats: BigInt(amountPaidMsat) / 1_000n,
      confirmations: Math.max(1, required),
      atMs: settledAt * 1_000,
    }));
}

/** Sums over an invoice's money. */
export interface Sums {
  counted: bigint;
  inTime: bigint;
  confirmed: bigint;
}

export function sumsOf(coins: readonly Coin[], { expiresMs, required }: Sale): Sums {
  const sum = (some: readonly Coin[]): bigint => some.reduce((total, { sats }) => total + sats, 0n);
  return {
    counted: sum(coins),
    inTime: sum(coins.filter(({ atMs }) => atMs <= expiresMs)),
    confirmed: sum(coins.filter(({ confirmations }) => confirmations >= required)),
  };
}

/** After each change of the world: what was true once may be told a moment later. */
export function rememberMost(world: Networks): void {
  for (const sale of world.openSales) {
    const { confirmed, inTime } = sumsOf(coinsOfSale(world, sale), sale);
    if (confirmed > sale.mostConfirmed) sale.mostConfirmed = confirmed;
    if (inTime > sale.mostInTime) sale.mostInTime = inTime;
  }
}
