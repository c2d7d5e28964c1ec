import { Column, Entity, Index, PrimaryColumn, Unique } from "typeorm";
import type { DeliveryState } from "../domain/webhook/claim";

/** One event on its way to one webhook. */
@Entity({ name: "webhook_deliveries" })
@Unique("webhook_deliveries_once", ["eventId", "webhookId"])
@Index("webhook_deliveries_list", ["webhookId", "createdAt", "id"])
@Index("webhook_deliveries_failed", ["webhookId", "createdAt", "id"], { where: "state = 'failed'" })
@Index("webhook_deliveries_skipped", ["webhookId", "createdAt", "id"], { where: "state = 'skipped'" })
@Index("webhook_deliveries_order", ["invoiceId", "webhookId", "eventSeq"])
@Index("webhook_deliveries_waiting", ["webhookId", "eventSeq"], { where: "state = 'pending'" })
@Index("webhook_deliveries_open", ["state", "createdAt"], { where: "state IN ('pending', 'sending')" })
export class WebhookDelivery {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) eventId: string;
  /** The event's place, so that the events of one invoice go out in order. */
  @Column({ type: "bigint" }) eventSeq: string;
  @Column({ type: "text" }) webhookId: string;
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "text" }) invoiceId: string;
  @Column({ type: "text", default: "pending" }) state: DeliveryState;
  /** Attempts that were begun. */
  @Column({ type: "integer", default: 0 }) attemptCount: number;
  /** The highest requested attempt: 1 by the event itself, one more by each request by hand. */
  @Column({ type: "integer", default: 1 }) requestedAttempt: number;
  @Column({ type: "integer", nullable: true }) httpStatus: number | null;
  @Column({ type: "text", nullable: true }) error: string | null;
  @Column({ type: "integer", nullable: true }) durationMs: number | null;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) lastAttemptAt: Date | null;
}
