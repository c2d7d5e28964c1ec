import { Column, Entity, Index, PrimaryColumn, Unique } from "typeorm";
import type { AdditionalStatus, EventType } from "../domain/invoice/status";

/** An event, written in the transaction of its state. */
@Entity({ name: "invoice_events" })
@Index("invoice_events_feed", ["storeId", "feedSeq"], { unique: true, where: "feed_seq IS NOT NULL" })
@Index("invoice_events_unfed", ["storeId", "seq"], { where: "feed_seq IS NULL AND NOT test" })
@Index("invoice_events_store_type", ["storeId", "type"])
@Index("invoice_events_kept", ["createdAt"], { where: "body IS NOT NULL" })
@Unique("invoice_events_once", ["invoiceId", "type", "additionalStatus", "round"])
export class InvoiceEvent {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "bigint", generated: "increment" }) seq: string;
  @Column({ type: "text" })
  storeId: string;
  @Column({ type: "text" }) invoiceId: string;
  @Column({ type: "text" }) type: EventType;
  @Column({ type: "text" }) additionalStatus: AdditionalStatus;
  @Column({ type: "integer", default: 1 }) round: number;
  @Column({ type: "boolean", default: false }) byHand: boolean;
  /** A test event sent by hand: it has no invoice and is in no feed. */
  @Column({ type: "boolean", default: false }) test: boolean;
  /**
   * Its place in the store's feed, given after it was committed (commands/webhooks/read-feed); null until the first
   * read.
   */
  @Column({ type: "bigint", nullable: true }) feedSeq: string | null;
  /** Exact bytes, serialised once. Null after retention has pruned it. */
  @Column({ type: "bytea", nullable: true }) body: Buffer | null;
  @Column({ type: "timestamptz" }) createdAt: Date;
}
