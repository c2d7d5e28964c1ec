import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { sats } from "./transformers";

/**
 * `wanted`: committed, LND has not answered yet. `open`: LND has it. `settled` and `canceled` are final, by LND or
 * because the text was never shown.
 */
export type Bolt11State = "wanted" | "open" | "settled" | "canceled";

/**
 * A BOLT11, committed before LND is called, so that any process that finds it can call again. It may be older than its
 * invoice, and outlive a creation that failed.
 */
@Entity({ name: "bolt11s" })
@Index("bolt11s_unfinished", ["nodeId", "expiresAt"], { where: "state IN ('wanted', 'open')" })
export class Bolt11 {
  @PrimaryColumn({ type: "text" }) paymentHash: string;
  @Index("bolt11s_invoice")
  @Column({ type: "text" })
  invoiceId: string;
  /** The node that is asked to make it. Apps of the previous version leave it out. */
  @Column({ type: "text", default: "lnd_server" }) nodeId: string;
  /** 32 bytes, ours. */
  @Column({ type: "bytea" }) preimage: Buffer;
  @Column({ type: "bigint", transformer: sats }) amountSats: bigint;
  @Column({ type: "text", default: "wanted" }) state: Bolt11State;
  /** The text itself (`lnbc…`), once LND has made it. */
  @Column({ type: "text", nullable: true }) bolt11: string | null;
  /** Authenticates the text (commands/wallets/destination-macs.ts), and goes with it into the invoice's payment method. */
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
  /** Public key of the node that made it: no other node can be asked about it. */
  @Column({ type: "text", nullable: true }) nodeKey: string | null;
  /** It must not be paid any more. The row is kept until LND has answered the cancellation. */
  @Column({ type: "boolean", default: false }) cancelWanted: boolean;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz" }) expiresAt: Date;
}
