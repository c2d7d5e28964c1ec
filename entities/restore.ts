import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** A restore of this database from a backup: what the service has forgotten lies between its two times. */
@Entity({ name: "restores" })
@Index("restores_holding", ["restoredAt"], { where: "hold_ended_at IS NULL" })
export class Restore {
  @PrimaryColumn({ type: "text" }) id: string;
  /** When the backup was taken: nothing that came later was in it. */
  @Column({ type: "timestamptz" }) takenAt: Date;
  @Column({ type: "timestamptz" }) restoredAt: Date;
  /** Feeds continue above it: positions up to it that have no event were lost. */
  @Column({ type: "bigint" }) feedAfter: string;
  /**
   * Until then deliveries about invoices of the backup are held: what they report may have been sent before the loss
   * (commands/backup/end-hold).
   */
  @Column({ type: "timestamptz", nullable: true }) holdEndedAt: Date | null;
}
