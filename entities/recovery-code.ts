import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * A code that replaces the authenticator app once. Only its SHA-256 is kept: 120 random bits need no slow hash (80 in
 * codes that earlier versions made).
 */
@Entity({ name: "recovery_codes" })
export class RecoveryCode {
  @PrimaryColumn({ type: "text" }) userId: string;
  @PrimaryColumn({ type: "bytea" }) codeHash: Buffer;
  @Column({ type: "timestamptz", nullable: true }) usedAt: Date | null;
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
