import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * A chain of the node that leaves ours so deep that it is more likely another chain than a reorganisation, by its
 * first block that is not ours.
 */
@Entity({ name: "other_chains" })
export class OtherChain {
  @PrimaryColumn({ type: "text", primaryKeyConstraintName: "other_chains_pkey" }) hash: string;
  @Column({ type: "integer" }) height: number;
  @Column({ type: "timestamptz" }) foundAt: Date;
  /** When the operator accepted it. */
  @Column({ type: "timestamptz", nullable: true }) acceptedAt: Date | null;
}
