import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { UserLinkKind } from "../domain/account/user-link";

/** A one-time link by which a user logs in. Only the token's SHA-256 is stored. */
@Entity({ name: "user_links" })
export class UserLink {
  @PrimaryColumn({ type: "bytea" }) tokenHash: Buffer;
  @Index("user_links_user")
  @Column({ type: "text" })
  userId: string;
  @Column({ type: "timestamptz" }) expiresAt: Date;
  @Column({ type: "timestamptz", nullable: true }) usedAt: Date | null;
  @Column({ type: "text", default: "setup" }) kind: UserLinkKind;
  /** For an invitation: the store whose owner requested it. It is invalid when the invitation is withdrawn. */
  @Column({ type: "text", nullable: true }) storeId: string | null;
  /** The admin who made it and was shown it; null if only its user was sent it. */
  @Column({ type: "text", nullable: true }) shownTo: string | null;
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
