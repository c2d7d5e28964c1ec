import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";

/** A line of an invoice's time line: what changed and why, in words for people. */
@Entity({ name: "invoice_history" })
export class InvoiceHistory {
  @PrimaryGeneratedColumn({ type: "bigint" }) id: string;
  @Index("invoice_history_invoice")
  @Column({ type: "text" })
  invoiceId: string;
  @Column({ type: "timestamptz" }) at: Date;
  /** created, status, payment */
  @Column({ type: "text" }) kind: string;
  @Column({ type: "jsonb" }) details: Record<string, unknown>;
}
