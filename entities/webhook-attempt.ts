import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { AttemptCause } from "../domain/webhook/claim";

/** A POST, committed before it is sent: the primary key is the fence that gives each number out once. */
@Entity({ name: "webhook_attempts" })
@Index("webhook_attempts_started", ["startedAt"])
export class WebhookAttempt {
  @PrimaryColumn({ type: "text" }) deliveryId: string;
  @PrimaryColumn({ type: "integer" }) number: number;
  @Column({ type: "text" }) webhookId: string;
  @Column({ type: "text" }) cause: AttemptCause;
  @Column({ type: "text", default: "sending" }) state: "sending" | "delivered" | "failed";
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) startedAt: Date;
  /**
   * As they were sent: the secret may be changed later. The URL may contain a token, so it is only in its webhook.
   */
  @Column({ type: "jsonb", nullable: true }) sentHeaders: Record<string, string> | null;
  /** Names the process that began it, which so recognises its own row. Null in rows of older versions. */
  @Column({ type: "uuid", nullable: true }) claim: string | null;
  @Column({ type: "integer", nullable: true }) durationMs: number | null;
  @Column({ type: "integer", nullable: true }) httpStatus: number | null;
  /** A short code (`timeout`, `http-500`, `interrupted`): never an address or a secret. */
  @Column({ type: "text", nullable: true }) error: string | null;
  @Column({ type: "bytea", nullable: true }) responseBody: Buffer | null;
  @Column({ type: "text", nullable: true }) resolvedIp: string | null;
}
