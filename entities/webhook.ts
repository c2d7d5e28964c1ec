import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { EventType } from "../domain/invoice/status";
import type { WebhookDialect } from "../domain/webhook/dialect";

/** A merchant's endpoint. Deleted ones stay, so that their deliveries can still be listed and sent by hand. */
@Entity({ name: "webhooks" })
export class Webhook {
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("webhooks_store", { where: "deleted_at IS NULL" })
  @Column({ type: "text" })
  storeId: string;
  @Column({ type: "text" }) url: string;
  /** Host and port, which limits of requests in flight count; null for the operator's own, and before its first attempt. */
  @Column({ type: "text", nullable: true }) host: string | null;
  /** Empty in the dialect of shop plugins, which has its own names for what happens. */
  @Column({ type: "text", array: true }) events: EventType[];
  @Column({ type: "boolean", default: true }) enabled: boolean;
  @Column({ type: "bytea" }) secretEncrypted: Buffer;
  @Column({ type: "bytea", nullable: true }) previousSecretEncrypted: Buffer | null;
  @Column({ type: "timestamptz", nullable: true }) previousSecretUntil: Date | null;
  @Column({ type: "integer", default: 0 }) failureStreak: number;
  /** The user who created it, or the key that did; null for the command line. */
  @Index("webhooks_created_by_user", { where: "created_by_user_id IS NOT NULL" })
  @Column({ type: "text", nullable: true })
  createdByUserId: string | null;
  /** The API key that set its present URL; null for a user and the command line. */
  @Column({ type: "text", nullable: true }) urlSetByKeyId: string | null;
  /** An attempt at its present URL succeeded. With no failures since, the last one did. */
  @Column({ type: "boolean", default: false }) everDelivered: boolean;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) deletedAt: Date | null;
  /** Which events it is sent: ours, or the shop plugins'. It never changes. */
  @Column({ type: "text", default: "native" }) dialect: WebhookDialect;
  /** In the plugins' dialect, as the client named them; null for all. Unknown names are kept, and never sent. */
  @Column({ type: "text", array: true, nullable: true }) specificEvents: string[] | null;
  /** Only in the plugins' dialect. */
  @Column({ type: "boolean", default: false }) automaticRedelivery: boolean;
}
