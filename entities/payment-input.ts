import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/**
 * An outpoint that a payment's transaction spends, or an ancestor that was in no block with it: to recognise a
 * conflicting transaction.
 */
@Entity({ name: "payment_inputs" })
export class PaymentInput {
  /** 32 bytes of txid (internal byte order) and 4 bytes of index, little-endian, as on the wire. */
  @PrimaryColumn({ type: "bytea" }) outpoint: Buffer;
  @PrimaryColumn({ type: "text" })
  @Index("payment_inputs_txid")
  txid: string;
  /** The ancestor that spends it; null when the payment's transaction does. */
  @Index("payment_inputs_ancestor", { where: "ancestor_txid IS NOT NULL" })
  @Column({ type: "text", nullable: true })
  ancestorTxid: string | null;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
