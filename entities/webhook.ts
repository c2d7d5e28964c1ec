import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { EventType } from "../domain/invoice/status";

/** A merchant's endpoint. Deleted ones stay, so that their deliveries can still be told and sent by hand. */
@Entity({ name: "webhooks" })
export class Webhook {
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("webhooks_store")
  @Column({ type: "text" })
  storeId: string;
  @Column({ type: "text" }) url: string;
  @Column({ type: "text", array: true }) events: EventType[];
  @Column({ type: "boolean", default: true }) enabled: boolean;
  @Column({ type: "bytea" }) secretEncrypted: Buffer;
  @Column({ type: "bytea", nullable: true }) previousSecretEncrypted: Buffer | null;
  @Column({ type: "timestamptz", nullable: true }) previousSecretUntil: Date | null;
  /** Failed attempts in a row. */
  @Column({ type: "integer", default: 0 }) failureStreak: number;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) deletedAt: Date | null;
}
