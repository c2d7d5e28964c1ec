import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Network } from "../domain/network";

/** Where the check value is stored, to which it is bound. */
export const SECRET_CHECK_PLACE = { table: "installation", column: "secret_check", row: "true" } as const;

/** In place of the network while a restore fills the database: nothing may start on half of it. */
export const UNFINISHED_RESTORE = "unfinished-restore";

/** The one row that identifies the installation of this database. */
@Entity({ name: "installation" })
export class Installation {
  @PrimaryColumn({ type: "boolean", default: true }) singleton: boolean;
  @Column({ type: "text" }) network: Network | typeof UNFINISHED_RESTORE;
  /** A known text encrypted with `APP_SECRET`: a wrong secret is refused at start. */
  @Column({ type: "bytea" }) secretCheck: Buffer;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
