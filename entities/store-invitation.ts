import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { StoreRole } from "../domain/account/store-role";

/** An invitation to a store that is not accepted yet; the user has no rights there. */
@Entity({ name: "store_invitations" })
export class StoreInvitation {
  @PrimaryColumn({ type: "text" }) storeId: string;
  @Index("store_invitations_user")
  @PrimaryColumn({ type: "text" })
  userId: string;
  @Column({ type: "text" }) role: StoreRole;
  /** The user who chose the role, and must still be an owner when it is accepted; null for older invitations. */
  @Column({ type: "text", nullable: true }) createdByUserId: string | null;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz" }) expiresAt: Date;
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
