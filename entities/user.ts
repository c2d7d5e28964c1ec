import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** Somebody who signs in to the dashboard. */
@Entity({ name: "users" })
export class User {
  @PrimaryColumn({ type: "text" }) id: string;
  /** Lower case. */
  @Index("users_email", { unique: true })
  @Column({ type: "text" })
  email: string;
  @Column({ type: "boolean", default: false }) admin: boolean;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
