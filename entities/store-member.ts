import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { StoreRole } from "../domain/account/store-role";

/** A user's role in a store. */
@Entity({ name: "store_members" })
export class StoreMember {
  @PrimaryColumn({ type: "text" }) storeId: string;
  @Index("store_members_user")
  @PrimaryColumn({ type: "text" })
  userId: string;
  @Column({ type: "text" }) role: StoreRole;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
