import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** An outpoint that a payment's transaction spends: how a conflicting transaction is recognised. */
@Entity({ name: "payment_inputs" })
export class PaymentInput {
  /** 32 bytes of txid (internal byte order) and 4 bytes of index, little-endian, as on the wire. */
  @PrimaryColumn({ type: "bytea" }) outpoint: Buffer;
  @PrimaryColumn({ type: "text" })
  @Index("payment_inputs_txid")
  txid: string;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
