import { Column, Entity, PrimaryColumn } from "typeorm";

/** Who leads a singleton worker. The epoch grows at every change of leader, and each write of a leader checks it. */
@Entity({ name: "leases" })
export class Lease {
  @PrimaryColumn({ type: "text" }) name: string;
  @Column({ type: "text" }) holder: string;
  @Column({ type: "bigint" }) epoch: string;
  @Column({ type: "timestamptz" }) expiresAt: Date;
}
