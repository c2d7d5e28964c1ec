import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** A restore of this database, or a failover that lost commits: what the service has forgotten lies between the two times. */
@Entity({ name: "restores" })
@Index("restores_holding", ["restoredAt"], { where: "hold_ended_at IS NULL" })
export class Restore {
  @PrimaryColumn({ type: "text" }) id: string;
  /** When the backup was taken, or an app last worked on what is there: nothing that came later was in it. */
  @Column({ type: "timestamptz" }) takenAt: Date;
  @Column({ type: "timestamptz" }) restoredAt: Date;
  /** Feeds continue above it: positions up to it that have no event were lost. */
  @Column({ type: "bigint" }) feedAfter: string;
  /**
   * Until then deliveries about invoices of the backup are held: what they report may have been sent before the loss
   * (commands/installation/end-hold).
   */
  @Column({ type: "timestamptz", nullable: true }) holdEndedAt: Date | null;
}
