import { Column, Entity, PrimaryColumn } from "typeorm";

/** A processed block. The highest row is the cursor. */
@Entity({ name: "chain_blocks" })
export class ChainBlock {
  @PrimaryColumn({ type: "integer" }) height: number;
  @Column({ type: "text" }) hash: string;
  @Column({ type: "text" }) previousHash: string;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) processedAt: Date;
}
