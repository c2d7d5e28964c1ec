import { Column, Entity, Index, PrimaryColumn } from "typeorm";

export const ACTOR_KINDS = ["key", "user", "admin", "cli", "system"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Who changed what, and when. Written in the transaction of the change; later only people's addresses are taken out. */
@Entity({ name: "audit_log" })
@Index("audit_log_store", ["storeId", "at"])
@Index("audit_log_at", ["at", "id"])
export class AuditEntry {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "timestamptz" }) at: Date;
  @Column({ type: "text" }) actorKind: ActorKind;
  /** Id of the API key or the user; null for the command line. Kept when that is deleted. */
  @Column({ type: "text", nullable: true }) actorId: string | null;
  @Column({ type: "text" }) action: string;
  @Column({ type: "text", nullable: true }) storeId: string | null;
  @Column({ type: "text" }) subject: string;
  /** Without secrets and account keys. */
  @Column({ type: "jsonb" }) details: object;
}
