import { Column, Entity, PrimaryColumn } from "typeorm";

/** What a passkey is asked to sign, once: the row is deleted with its first answer. */
@Entity({ name: "passkey_challenges" })
export class PasskeyChallenge {
  /** base64url. */
  @PrimaryColumn({ type: "text" }) challenge: string;
  @Column({ type: "text" }) purpose: "register" | "login";
  /** Of whom it was asked; null at a login, where the passkey tells. */
  @Column({ type: "text", nullable: true }) userId: string | null;
  @Column({ type: "timestamptz" }) expiresAt: Date;
}
