import { Column, Entity, PrimaryColumn } from "typeorm";

/** A transaction that pays us, once however many outputs it has: to broadcast it again while it is in no block. */
@Entity({ name: "payment_transactions" })
export class PaymentTransaction {
  @PrimaryColumn({ type: "text" }) txid: string;
  /** With its witnesses, as on the wire. */
  @Column({ type: "bytea" }) rawTx: Buffer;
}
