import { Column, Entity, Index, PrimaryColumn } from "typeorm";

@Entity({ name: "users" })
export class User {
  @PrimaryColumn({ type: "text" }) id: string;
  /** Lower case; the id, once the user has been disabled for as long as records are kept. */
  @Index("users_email", { unique: true })
  @Column({ type: "text" })
  email: string;
  @Column({ type: "boolean", default: false }) admin: boolean;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
  /** Argon2id in PHC form, with its parameters; null until a password was set. */
  @Column({ type: "text", nullable: true }) passwordHash: string | null;
  /** The key of the authenticator app, encrypted under APP_SECRET. */
  @Column({ type: "bytea", nullable: true }) totpSecretEncrypted: Buffer | null;
  /** Null while it was shown but no code of it was given yet: logins do not require one. */
  @Column({ type: "timestamptz", nullable: true }) totpConfirmedAt: Date | null;
  /** The time step (RFC 6238) of the last accepted code: neither it nor an older one is valid again. */
  @Column({ type: "integer", nullable: true }) totpLastStep: number | null;
  /** A disabled user, who cannot log in; the audit log keeps what they did. */
  @Column({ type: "timestamptz", nullable: true }) disabledAt: Date | null;
  /** The admin who was shown the link by which the password was set; null if nobody else was. */
  @Column({ type: "text", nullable: true }) linkShownTo: string | null;
  /** Authenticates the row (commands/server/authentic-rows.ts). */
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
