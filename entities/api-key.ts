import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { LesserAccess } from "../domain/account/key-access";
import type { Policy } from "../domain/greenfield/permissions";

/** A store's API key. Only its SHA-256 and the first characters after the head are kept. */
@Entity({ name: "api_keys" })
export class ApiKey {
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("api_keys_store")
  @Column({ type: "text" })
  storeId: string;
  @Column({ type: "text" }) name: string;
  @Column({ type: "text" }) prefix: string;
  @Index("api_keys_hash", { unique: true })
  @Column({ type: "bytea" })
  hash: Buffer;
  /** The key that made this one, if a key did: it is deleted with it. */
  @Column({ type: "text", nullable: true }) createdByKeyId: string | null;
  /** The person who made it, or the key that did; null for the command line. */
  @Index("api_keys_created_by_user", { where: "created_by_user_id IS NOT NULL" })
  @Column({ type: "text", nullable: true })
  createdByUserId: string | null;
  /** All that it may do: a shop plugin's key has policies, one of the native API its access; null is full access. */
  @Column({ type: "text", array: true, nullable: true }) permissions: (Policy | LesserAccess)[] | null;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) lastUsedAt: Date | null;
  @Column({ type: "timestamptz", nullable: true }) expiresAt: Date | null;
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
}
