import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";

/**
 * `blind`: the node was restarted, or had no peers: nobody announces to it again what was broadcast meanwhile.
 * `pruned`: skipped blocks.
 */
export type ChainGapKind = "blind" | "pruned";

/** A time in which payments may have been missed: invoices whose time overlaps it wait for its end to expire. */
@Entity({ name: "chain_gaps" })
@Index("chain_gaps_one_blind", ["kind"], { unique: true, where: "kind = 'blind' AND ended_at IS NULL" })
@Index("chain_gaps_open", ["beganAt"], { where: "closed_at IS NULL" })
export class ChainGap {
  @PrimaryGeneratedColumn({ type: "bigint", primaryKeyConstraintName: "chain_gaps_pkey" }) id: string;
  @Column({ type: "text" }) kind: ChainGapKind;
  /** Start of the last complete check before it. */
  @Column({ type: "timestamptz" }) beganAt: Date;
  /** Start of the first complete check after it; null while it lasts. */
  @Column({ type: "timestamptz", nullable: true }) endedAt: Date | null;
  /** `blind`: the highest header that was known at its end; a block above it closes the gap. */
  @Column({ type: "integer", nullable: true }) untilHeight: number | null;
  /** First and last of the skipped blocks; null for `blind`. */
  @Column({ type: "integer", nullable: true }) fromHeight: number | null;
  @Column({ type: "integer", nullable: true }) toHeight: number | null;
  /** When the missed payments were found, or the operator said that there are none. */
  @Column({ type: "timestamptz", nullable: true }) closedAt: Date | null;
}
