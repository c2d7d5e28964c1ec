import { Column, Entity, PrimaryColumn } from "typeorm";
import { sats } from "./transformers";

/** How far the settled invoices of one node were read. Moved in the transaction that records the payment. */
@Entity({ name: "lightning_cursors" })
export class LightningCursor {
  @PrimaryColumn({ type: "text" }) nodeId: string;
  /** Public key, hex: the server's node may become another LND. */
  @PrimaryColumn({ type: "text" }) nodeKey: string;
  /** The highest settle index below which all were read. */
  @Column({ type: "bigint", transformer: sats }) settleIndex: bigint;
  /** Since when a later index was seen while the next one is missing. */
  @Column({ type: "timestamptz", nullable: true }) gapSince: Date | null;
}
