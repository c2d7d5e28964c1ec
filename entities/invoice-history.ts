import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";

export const HISTORY_KINDS = [
  "status",
  "payment",
  "activated",
  "edited",
  "refund-address",
  "receipt-asked",
  "receipt-sent",
  "receipt-refused",
  "archived",
  "unarchived",
] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

export type PaymentHistoryDetails = {
  change: string;
  paymentId: string;
  type: string;
  /** Integer text. */
  amountSats: string;
  state: string;
  belowDust: boolean;
  beforeInvoice?: boolean;
  blockHeight?: number;
  conflictTxid?: string;
};

/** An entry of an invoice's history: what changed and why, in words for people. */
@Entity({ name: "invoice_history" })
export class InvoiceHistory {
  @PrimaryGeneratedColumn({ type: "bigint" }) id: string;
  @Index("invoice_history_invoice")
  @Column({ type: "text" })
  invoiceId: string;
  @Column({ type: "timestamptz" }) at: Date;
  @Column({ type: "text" }) kind: HistoryKind;
  @Column({ type: "jsonb" }) details: Record<string, unknown>;
}
