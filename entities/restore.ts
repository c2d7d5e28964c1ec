import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * A restore of this database, or a failover that lost commits: what the service has forgotten lies between the two times.
 * While its alert is open, deliveries about invoices of before it are held.
 */
@Entity({ name: "restores" })
export class Restore {
  @PrimaryColumn({ type: "text" }) id: string;
  /** When the backup was taken, or an app last worked on what is there: nothing that came later was in it. */
  @Column({ type: "timestamptz" }) takenAt: Date;
  @Column({ type: "timestamptz" }) restoredAt: Date;
  /** Feeds continue above it: positions up to it that have no event were lost. */
  @Column({ type: "bigint" }) feedAfter: string;
}
