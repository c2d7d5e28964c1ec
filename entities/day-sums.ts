import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";
import type { Sums } from "../domain/report/sums";

/**
 * A day that is over, in some time zone: claimed, then with its sums. A change that the sums count adds a row
 * (`note_day_change`), and a day that has several is summed again: nobody waits for a lock (docs/adr/0088).
 */
@Entity({ name: "day_sums" })
@Index("day_sums_day", ["storeId", "beginsAt", "endsAt"])
export class DaySums {
  @PrimaryGeneratedColumn({ type: "bigint", primaryKeyConstraintName: "day_sums_pkey" }) id: string;
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "timestamptz" }) beginsAt: Date;
  @Column({ type: "timestamptz" }) endsAt: Date;
  /** Null until they are counted. A migration that empties the table goes with each change of their shape. */
  @Column({ type: "json", nullable: true }) sums: Sums | null;
}
