import { Column, Entity, PrimaryColumn } from "typeorm";

/** A process that runs one of the apps. */
@Entity({ name: "heartbeats" })
export class Heartbeat {
  @PrimaryColumn({ type: "text" }) instanceId: string;
  @Column({ type: "text" }) worker: string;
  @Column({ type: "timestamptz" }) startedAt: Date;
  @Column({ type: "timestamptz" }) beatAt: Date;
  /** Its counters so far, for the process that serves all metrics. */
  @Column({ type: "json", nullable: true }) metrics: unknown;
}
