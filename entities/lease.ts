import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * The leader of a worker that runs in one process at a time. The epoch grows at every change of leader, and each
 * write of a leader checks it.
 */
@Entity({ name: "leases" })
export class Lease {
  @PrimaryColumn({ type: "text" }) name: string;
  @Column({ type: "text" }) holder: string;
  @Column({ type: "bigint" }) epoch: string;
  @Column({ type: "timestamptz" }) expiresAt: Date;
}
