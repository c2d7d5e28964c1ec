import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { PaymentMethodType } from "../domain/invoice/status";
import type { RefundState, Resolution, ReviewReason } from "../domain/invoice/review";
import { sats, satsList } from "./transformers";

/** An invoice that waits for a person's decision, and the decision. Open once for an invoice; kept for the books. */
@Entity({ name: "reviews" })
@Index("reviews_open_invoice", ["invoiceId"], { unique: true, where: "resolved_at IS NULL" })
@Index("reviews_invoice", ["invoiceId"])
@Index("reviews_open", ["storeId", "createdAt", "id"], { where: "resolved_at IS NULL" })
@Index("reviews_resolved", ["storeId", "createdAt", "id"], { where: "resolved_at IS NOT NULL" })
@Index("reviews_refund_reference", ["storeId", "refundReference"], { where: "refund_reference IS NOT NULL" })
@Index("reviews_refunds", ["storeId", "resolvedAt", "id"], { where: "refund_sats IS NOT NULL" })
export class Review {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "text" }) invoiceId: string;
  @Column({ type: "text" }) reason: ReviewReason;
  /** The invoice's `paidSats` that it is about. */
  @Column({ type: "bigint", transformer: sats }) receivedSats: bigint;
  /** When the newest of these payments was first seen: a later one opens a new review. */
  @Column({ type: "timestamptz" }) lastPaidAt: Date;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) resolvedAt: Date | null;
  @Column({ type: "text", nullable: true }) resolution: Resolution | null;
  @Column({ type: "text", nullable: true }) note: string | null;
  /** By the merchant's own wallet; this service sends no money. Set together, for `refunded`. */
  @Column({ type: "text", nullable: true }) refundType: PaymentMethodType | null;
  /** Txid or payment hash. */
  @Column({ type: "text", nullable: true }) refundReference: string | null;
  @Column({ type: "bigint", nullable: true, transformer: sats }) refundSats: bigint | null;
  @Column({ type: "text", nullable: true }) refundState: RefundState | null;
  /** Whether it pays the address that the customer left; null: not known, or none was left. */
  @Column({ type: "boolean", nullable: true }) refundToAddress: boolean | null;
  /** What its transaction pays (`refundPaid`); null: not known. */
  @Column({ type: "bigint", array: true, nullable: true, transformer: satsList }) refundPaidSats:
    bigint[] | null;
  @Column({ type: "timestamptz", nullable: true }) refundCheckedAt: Date | null;
}
