import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** A passkey (WebAuthn credential) of a user. It holds nothing secret. */
@Entity({ name: "passkeys" })
export class Passkey {
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("passkeys_user")
  @Column({ type: "text" })
  userId: string;
  @Column({ type: "text" }) name: string;
  /** base64url, as browsers send it. */
  @Index("passkeys_credential", { unique: true })
  @Column({ type: "text" })
  credentialId: string;
  /** COSE key. */
  @Column({ type: "bytea" }) publicKey: Buffer;
  /** Uses, as the authenticator counts them: always 0 when it does not. Up to 2^32 − 1. */
  @Column({ type: "bigint" }) counter: string;
  @Column({ type: "text", array: true }) transports: string[];
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) lastUsedAt: Date | null;
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
