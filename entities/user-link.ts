import { Column, Entity, PrimaryColumn } from "typeorm";

/** A one-time link by which a user sets the first password. Only the token's SHA-256 is kept. */
@Entity({ name: "user_links" })
export class UserLink {
  @PrimaryColumn({ type: "bytea" }) tokenHash: Buffer;
  @Column({ type: "text" }) userId: string;
  @Column({ type: "timestamptz" }) expiresAt: Date;
  @Column({ type: "timestamptz", nullable: true }) usedAt: Date | null;
}
