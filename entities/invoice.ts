import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { AdditionalStatus, InvoiceStatus, Mark, PaymentMethodType } from "../domain/invoice/status";
import { sats } from "./transformers";

export interface InvoiceRate {
  /** Units of the invoice's currency for one bitcoin, decimal string: the divisor of the price. */
  value: string;
  sources: string[];
  at: string;
  /** Percent, decimal string: the store's spread, already taken off `value`. */
  spread: string;
}

/**
 * A merchant's request for payment. `status` and `additionalStatus` are written only by
 * commands/invoices/change-invoice.
 */
@Entity({ name: "invoices" })
@Index("invoices_store_list", ["storeId", "createdAt", "id"])
@Index("invoices_store_status", ["storeId", "status", "createdAt", "id", "currency", "amount", "dueSats"])
@Index("invoices_store_qualified", ["storeId", "additionalStatus", "createdAt", "id"], {
  where: "additional_status <> 'None'",
})
@Index("invoices_store_archived", ["storeId", "createdAt", "id"], { where: "archived_at IS NOT NULL" })
@Index("invoices_store_order", ["storeId", "orderId"])
@Index("invoices_decide_at", ["decideAt", "id"], { where: "decide_at IS NOT NULL" })
@Index("invoices_expiry_held", ["id"], { where: "expiry_held" })
@Index("invoices_link_uses", ["paymentLinkId"], {
  where: "payment_link_id IS NOT NULL AND status NOT IN ('Expired', 'Invalid')",
})
export class Invoice {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "text", default: "New" }) status: InvoiceStatus;
  @Column({ type: "text", default: "None" }) additionalStatus: AdditionalStatus;
  @Column({ type: "text", nullable: true }) markedByHand: Mark | null;
  /** As the merchant wrote it: a decimal string in `currency`. */
  @Column({ type: "text" }) amount: string;
  @Column({ type: "text" }) currency: string;
  @Column({ type: "bigint", transformer: sats }) dueSats: bigint;
  @Column({ type: "bigint", transformer: sats }) minDueSats: bigint;
  @Column({ type: "bigint", default: 0, transformer: sats }) paidSats: bigint;
  @Column({ type: "bigint", default: 0, transformer: sats }) confirmedSats: bigint;
  @Column({ type: "jsonb", nullable: true }) rate: InvoiceRate | null;
  /** JSON text exactly as sent (without insignificant white space), so that keys, order and numbers survive. */
  @Column({ type: "text" }) metadata: string;
  @Column({ type: "text" }) orderId: string;
  /** The payment link that created it, which may have been deleted since. */
  @Column({ type: "text", nullable: true }) paymentLinkId: string | null;
  @Column({ type: "text", nullable: true }) redirectUrl: string | null;
  @Column({ type: "boolean", default: false }) redirectAutomatically: boolean;
  @Column({ type: "text", nullable: true }) description: string | null;
  @Column({ type: "text", nullable: true }) language: string | null;
  @Column({ type: "numeric", precision: 7, scale: 4, default: 0 }) paymentTolerance: string;
  /** What was asked for, whatever the invoice then got; null for all of the store's. */
  @Column({ type: "text", array: true, nullable: true }) requestedMethods: PaymentMethodType[] | null;
  @Column({ type: "integer" }) requiredConfirmations: number;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz" }) expiresAt: Date;
  @Column({ type: "timestamptz" }) monitoringUntil: Date;
  @Column({ type: "timestamptz", nullable: true }) archivedAt: Date | null;
  /** An address for a refund, by anyone with the link of the page; the two are set together. */
  @Column({ type: "text", nullable: true }) refundAddress: string | null;
  @Column({ type: "timestamptz", nullable: true }) refundAddressAt: Date | null;
  /** When the state function has to run again: at once after a payment changed, else at the next timer. */
  @Column({ type: "timestamptz", nullable: true }) decideAt: Date | null;
  /** By the last decision: an expiry, or a loss (rows 7 and 12), waits for a network to be checked. */
  @Column({ type: "boolean", default: false }) expiryHeld: boolean;
}
