import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * A transaction that pays us, or an ancestor of one that was in no block with it, once however many payments need it: to
 * broadcast it again while it is in no block.
 */
@Entity({ name: "payment_transactions" })
export class PaymentTransaction {
  @PrimaryColumn({ type: "text" }) txid: string;
  /** With its witnesses, as on the wire. */
  @Column({ type: "bytea" }) rawTx: Buffer;
}
