import { Column, Entity, Index, PrimaryColumn, Unique } from "typeorm";

/** A script that belongs to one invoice for ever. The primary key prevents it from belonging to two. */
@Entity({ name: "watched_scripts" })
@Unique("watched_scripts_wallet_index", ["walletId", "addressIndex"])
export class WatchedScript {
  @PrimaryColumn({ type: "bytea" }) scriptPubKey: Buffer;
  @Index("watched_scripts_invoice")
  @Column({ type: "text" })
  invoiceId: string;
  @Column({ type: "text" }) walletId: string;
  @Column({ type: "integer" }) addressIndex: number;
}
