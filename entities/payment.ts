import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { isLive } from "../domain/chain/onchain-payment";
import { PAYMENT_STATES, type PaymentMethodType, type PaymentState } from "../domain/invoice/status";
import { sats } from "./transformers";

// Conditions of SQL for selections and partial indexes. Their lists of states are made by the rules in domain/; a test
// compares each condition with its rule. `alias`: the table's, where there are several.

const of = (alias: string): string => (alias === "" ? "" : `${alias}.`);
const statesIn = (live: boolean): string =>
  PAYMENT_STATES.filter((state) => isLive({ state }) === live)
    .map((state) => `'${state}'`)
    .join(", ");

/** `isLive` */
export const whereLive = (alias = ""): string => `${of(alias)}state IN (${statesIn(true)})`;

/** `countsByRow` */
export const whereCounted = (alias = ""): string => `${whereLive(alias)} AND NOT ${of(alias)}below_dust`;

const whereUnminedOnchain = (alias: string): string =>
  `${of(alias)}type = 'BTC-CHAIN' AND ${of(alias)}block_height IS NULL`;

/** `isLive`, of on-chain payments in no block. */
export const whereUnmined = (alias = ""): string => `${whereUnminedOnchain(alias)} AND ${whereLive(alias)}`;

/** `isLost`, of on-chain payments in no block. */
export const whereLost = (alias = ""): string =>
  `${whereUnminedOnchain(alias)} AND ${of(alias)}state IN (${statesIn(false)}) AND ${of(alias)}confirmed_at IS NOT NULL AND ${of(alias)}conflict_heights = '{}'`;

/** A payment to an invoice. The primary key is its external name, so that seeing it twice is harmless. */
@Entity({ name: "payments" })
@Index("payments_open", ["state", "blockHeight"], { where: "state = 'pending'" })
@Index("payments_conflict", ["conflictHeights"], { where: "conflict_heights <> '{}'" })
@Index("payments_received", ["storeId", "confirmedAt", "type", "amountSats", "neverCounts"], {
  where: "state = 'confirmed'",
})
@Index("payments_unmined", ["txid"], { where: whereUnmined() })
@Index("payments_lost", ["txid"], { where: whereLost() })
export class Payment {
  /** `txid:vout`, or the payment hash. */
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("payments_invoice")
  @Column({ type: "text" })
  invoiceId: string;
  /** The invoice's, for sums by store. */
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "text" }) type: PaymentMethodType;
  @Column({ type: "bigint", transformer: sats }) amountSats: bigint;
  @Column({ type: "text" }) state: PaymentState;
  /** Below the dust limit, or older than the invoice: recorded, never counted. */
  @Column({ name: "below_dust", type: "boolean", default: false }) neverCounts: boolean;
  /** Before the invoice's creation for a payment that is older than the invoice, and for no other. */
  @Column({ type: "timestamptz" }) firstSeenAt: Date;
  /** When it was last confirmed; kept when a reorganisation undoes it, so that its past is known. */
  @Column({ type: "timestamptz", nullable: true }) confirmedAt: Date | null;
  /**
   * The confirmations required for this payment: the invoice's, 100 for a coinbase, at least 1 when zero was refused.
   */
  @Column({ type: "integer", default: 1 }) requiredConfirmations: number;

  @Index("payments_txid", { where: "txid IS NOT NULL" })
  @Column({ type: "text", nullable: true })
  txid: string | null;
  @Column({ type: "integer", nullable: true }) vout: number | null;
  @Index("payments_height", { where: "block_height IS NOT NULL" })
  @Column({ type: "integer", nullable: true })
  blockHeight: number | null;
  @Index("payments_block", { where: "block_hash IS NOT NULL" })
  @Column({ type: "text", nullable: true })
  blockHash: string | null;
  /** A transaction that spends one of its inputs, or of a stored ancestor's, if one was seen. */
  @Column({ type: "text", nullable: true }) conflictTxid: string | null;
  @Column({ type: "timestamptz", nullable: true }) conflictSince: Date | null;
  /** Heights of the blocks of the active chain that hold a conflicting transaction. */
  @Column({ type: "integer", array: true, default: [] }) conflictHeights: number[];
  /** Since when the node has had it neither in its mempool nor in its chain and refused our re-broadcast. */
  @Column({ type: "timestamptz", nullable: true }) missingSince: Date | null;
  /** The last processed block when the node first refused it for missing inputs; null once it answers otherwise. */
  @Column({ type: "integer", nullable: true }) inputsMissingHeight: number | null;
  /** Its inputs were missing for so many blocks that it counts as double-spent. */
  @Column({ type: "boolean", default: false }) givenUp: boolean;
  /** When a reorganisation last took it out of a block. */
  @Column({ type: "timestamptz", nullable: true }) leftBlockAt: Date | null;

  @Column({ type: "text", nullable: true }) preimage: string | null;
}
