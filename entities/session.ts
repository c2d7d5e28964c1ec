import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** `second-factor`: the password was right, and a code or a passkey is required; it allows nothing else. */
export type SessionStage = "second-factor" | "full";

/** A logged-in browser. The cookie holds a random token, the database its SHA-256. */
@Entity({ name: "sessions" })
export class Session {
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("sessions_token_hash", { unique: true })
  @Column({ type: "bytea" })
  tokenHash: Buffer;
  @Index("sessions_user")
  @Column({ type: "text" })
  userId: string;
  @Column({ type: "text" }) stage: SessionStage;
  @Column({ type: "timestamptz" }) createdAt: Date;
  /** To a minute. */
  @Column({ type: "timestamptz" }) lastSeenAt: Date;
  /** It ends then in any case. */
  @Index("sessions_expires")
  @Column({ type: "timestamptz" })
  expiresAt: Date;
  /** When it began or its user last gave a fresh proof; 1970 once that is withdrawn. */
  @Column({ type: "timestamptz" }) authenticatedAt: Date;
  /** Wrong codes in the stage `second-factor`. */
  @Column({ type: "integer", default: 0 }) failures: number;
  @Column({ type: "text" }) ip: string;
  @Column({ type: "text" }) userAgent: string;
  /** The admin who was shown the link, or the link of the password, by which it began; null if nobody else was. */
  @Column({ type: "text", nullable: true }) linkShownTo: string | null;
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
