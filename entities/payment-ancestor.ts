import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * A transaction that a payment depends on, and that was in no block with it: without it, a node that has lost its mempool
 * refuses the payment.
 */
@Entity({ name: "payment_ancestors" })
export class PaymentAncestor {
  /** The payment's. */
  @PrimaryColumn({ type: "text" }) txid: string;
  @PrimaryColumn({ type: "text" }) ancestorTxid: string;
  /** With its witnesses, as on the wire. */
  @Column({ type: "bytea" }) rawTx: Buffer;
}
