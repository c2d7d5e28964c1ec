import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { StoreRole } from "../domain/store-role";
import type { UserLinkKind } from "../domain/user-link";

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
  /** Of an invitation: the store that whoever takes it joins, and as what. */
  @Column({ type: "text", nullable: true }) storeId: string | null;
  @Column({ type: "text", nullable: true }) role: StoreRole | null;
}
