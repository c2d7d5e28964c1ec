import { Column, Entity, Index, PrimaryColumn, Unique } from "typeorm";
import type { DeliveryState } from "../domain/webhook/claim";
import type { DialectEvent, PartFields } from "../domain/webhook/dialect";

/** SQL: the delivery waits to be sent again by itself. */
export const waitsForRetry = (d: string): string => `(${d}.state = 'failed' AND ${d}.retry_at IS NOT NULL)`;

/** SQL: the delivery is not over: it waits, may be sent, is being sent, or waits to be sent again. */
export const isUnfinished = (d: string): string =>
  `(${d}.state IN ('pending', 'queued', 'sending') OR ${waitsForRetry(d)})`;

/** An event, or a part of it, on its way to one webhook. */
@Entity({ name: "webhook_deliveries" })
@Unique("webhook_deliveries_once", ["eventId", "webhookId", "part"])
@Index("webhook_deliveries_list", ["webhookId", "createdAt", "id"])
@Index("webhook_deliveries_failed", ["webhookId", "createdAt", "id"], { where: "state = 'failed'" })
@Index("webhook_deliveries_skipped", ["webhookId", "createdAt", "id"], { where: "state = 'skipped'" })
@Index("webhook_deliveries_order", ["invoiceId", "webhookId", "eventSeq"])
@Index("webhook_deliveries_waiting", ["webhookId", "eventSeq"], { where: "state = 'pending'" })
@Index("webhook_deliveries_in_flight", ["webhookId"], { where: "state IN ('queued', 'sending')" })
@Index("webhook_deliveries_due_retry", ["webhookId", "retryAt"], {
  where: "state = 'failed' AND retry_at IS NOT NULL",
})
export class WebhookDelivery {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) eventId: string;
  /** The event's place, so that the events of one invoice go out in order. */
  @Column({ type: "bigint" }) eventSeq: string;
  @Column({ type: "text" }) webhookId: string;
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "text" }) invoiceId: string;
  @Column({ type: "text", default: "pending" }) state: DeliveryState;
  @Column({ type: "integer", default: 0 }) attemptCount: number;
  /** The highest requested attempt: 1 by the event itself, one more by each request by hand and each retry. */
  @Column({ type: "integer", default: 1 }) requestedAttempt: number;
  @Column({ type: "integer", nullable: true }) httpStatus: number | null;
  @Column({ type: "text", nullable: true }) error: string | null;
  @Column({ type: "integer", nullable: true }) durationMs: number | null;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) lastAttemptAt: Date | null;
  /** Its place among the parts of its event: the dialect of shop plugins has several events for one of ours. */
  @Column({ type: "smallint", default: 0 }) part: number;
  /** The part's name in the dialect of shop plugins; null at a native webhook. */
  @Column({ type: "text", nullable: true }) dialectType: DialectEvent | null;
  /** Its body beside the event's ids and metadata, as it was when the event was written. */
  @Column({ type: "jsonb", nullable: true }) dialectFields: PartFields | null;
  /** How often it was sent again by itself. */
  @Column({ type: "smallint", default: 0 }) retryCount: number;
  /** Failed: when it is sent again by itself. Queued: not null when the requested attempt is such a retry. */
  @Column({ type: "timestamptz", nullable: true }) retryAt: Date | null;
}
