import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { UserLinkKind } from "../domain/account/user-link";

/** A one-time link by which a user comes in. Only the token's SHA-256 is kept. */
@Entity({ name: "user_links" })
export class UserLink {
  @PrimaryColumn({ type: "bytea" }) tokenHash: Buffer;
  @Index("user_links_user")
  @Column({ type: "text" })
  userId: string;
  @Column({ type: "timestamptz" }) expiresAt: Date;
  @Column({ type: "timestamptz", nullable: true }) usedAt: Date | null;
  @Column({ type: "text", default: "setup" }) kind: UserLinkKind;
  /** Of an invitation: the store whose owner asked for it. It is void when the place there is taken back. */
  @Column({ type: "text", nullable: true }) storeId: string | null;
}
