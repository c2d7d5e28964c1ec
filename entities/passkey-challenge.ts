import { Column, Entity, PrimaryColumn } from "typeorm";

/** A passkey's challenge, valid once: the row is deleted with its first answer. */
@Entity({ name: "passkey_challenges" })
export class PasskeyChallenge {
  /** base64url. */
  @PrimaryColumn({ type: "text" }) challenge: string;
  @Column({ type: "text" }) purpose: "register" | "login";
  /** The user; null at a login, where the passkey identifies the user. */
  @Column({ type: "text", nullable: true }) userId: string | null;
  @Column({ type: "timestamptz" }) expiresAt: Date;
}
