import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { PaymentMethodType, PaymentState } from "../domain/invoice/status";
import { sats } from "./transformers";

/** Money that reached an invoice. The primary key is its outside name, so that seeing it twice is harmless. */
@Entity({ name: "payments" })
@Index("payments_open", ["state", "blockHeight"], { where: "state = 'pending'" })
@Index("payments_conflict", ["conflictHeight"], { where: "conflict_height IS NOT NULL" })
@Index("payments_received", ["storeId", "confirmedAt", "type", "amountSats", "belowDust"], {
  where: "state = 'confirmed'",
})
@Index("payments_unmined", ["txid"], {
  where: "type = 'BTC-CHAIN' AND block_height IS NULL AND state IN ('pending', 'confirmed')",
})
export class Payment {
  /** `txid:vout`, or the payment hash. */
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("payments_invoice")
  @Column({ type: "text" })
  invoiceId: string;
  /** The invoice's, for what a store received; null until the invoice was decided with it. */
  @Column({ type: "text", nullable: true }) storeId: string | null;
  @Column({ type: "text" }) type: PaymentMethodType;
  @Column({ type: "bigint", transformer: sats }) amountSats: bigint;
  @Column({ type: "text" }) state: PaymentState;
  @Column({ type: "boolean", default: false }) belowDust: boolean;
  @Column({ type: "timestamptz" }) firstSeenAt: Date;
  /** When it was last confirmed; kept when a reorganisation takes it back, so that its past is known. */
  @Column({ type: "timestamptz", nullable: true }) confirmedAt: Date | null;
  /** What this payment needs: the invoice's, 100 for a coinbase, at least 1 where zero was refused. */
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
  /** For re-broadcast while it is in no block. */
  @Column({ type: "bytea", nullable: true }) rawTx: Buffer | null;
  /** A transaction that spends one of its inputs, where one was seen. */
  @Column({ type: "text", nullable: true }) conflictTxid: string | null;
  @Column({ type: "timestamptz", nullable: true }) conflictSince: Date | null;
  /** Height of the block that holds the conflicting transaction. */
  @Column({ type: "integer", nullable: true }) conflictHeight: number | null;
  /** Since when the node has had it neither in its mempool nor in its chain and refused our re-broadcast. */
  @Column({ type: "timestamptz", nullable: true }) missingSince: Date | null;

  @Column({ type: "text", nullable: true }) preimage: string | null;
}
