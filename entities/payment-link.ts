import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** A public page that creates an invoice for each customer who pays there. Deleting it keeps its invoices. */
@Entity({ name: "payment_links" })
@Index("payment_links_store", ["storeId", "createdAt", "id"])
export class PaymentLink {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "text" }) description: string;
  @Column({ type: "text" }) currency: string;
  /** Decimal strings, of which the customer chooses; null if the customer enters one within the bounds. */
  @Column({ type: "text", array: true, nullable: true }) amounts: string[] | null;
  @Column({ type: "text", nullable: true }) minAmount: string | null;
  @Column({ type: "text", nullable: true }) maxAmount: string | null;
  /** An invoice's order id is this and its number. */
  @Column({ type: "text" }) orderPrefix: string;
  @Column({ type: "text", nullable: true }) redirectUrl: string | null;
  /** So many invoices may be open or paid; null: no limit. */
  @Column({ type: "integer", nullable: true }) maxUses: number | null;
  /** Invoices created in a day of the store's time zone, paid or not. */
  @Column({ type: "integer" }) maxPerDay: number;
  @Column({ type: "timestamptz", nullable: true }) endsAt: Date | null;
  /** The last invoice's number. */
  @Column({ type: "integer", default: 0 }) invoicesCreated: number;
  /** The day of the last one, and how many were created that day. */
  @Column({ type: "date", nullable: true }) lastDay: string | null;
  @Column({ type: "integer", default: 0 }) createdThatDay: number;
  @Column({ type: "timestamptz", nullable: true }) archivedAt: Date | null;
  @Column({ type: "timestamptz" }) createdAt: Date;
}
