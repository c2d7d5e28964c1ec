import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** A receipt that the customer wants by mail when the invoice is paid. */
@Entity({ name: "receipt_mails" })
@Index("receipt_mails_waiting", ["mailedAt", "invoiceId"], { where: "email IS NOT NULL" })
@Index("receipt_mails_sent", ["sentAt", "storeId"], { where: "sent_at IS NOT NULL" })
export class ReceiptMail {
  @PrimaryColumn({ type: "text" }) invoiceId: string;
  @Column({ type: "text" }) storeId: string;
  /** The customer's; null as soon as it is of no more use: the mail was sent, given up, or erased. */
  @Column({ type: "text", nullable: true }) email: string | null;
  /** Of the page on which the address was left. */
  @Column({ type: "text" }) language: string;
  /** How often an address was left. */
  @Column({ type: "smallint", default: 1 }) asks: number;
  /** With this address. */
  @Column({ type: "smallint", default: 0 }) tries: number;
  /** Set before the mail is sent. */
  @Column({ type: "timestamptz", nullable: true }) mailedAt: Date | null;
  /** When the mail server accepted it. */
  @Column({ type: "timestamptz", nullable: true }) sentAt: Date | null;
}
