import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { sats } from "./transformers";

/**
 * `wanted`: committed, LND has not answered yet. `open`: LND has it. `settled` and `canceled` are for ever, as LND says
 * or because nobody was ever given the text.
 */
export type Bolt11State = "wanted" | "open" | "settled" | "canceled";

/**
 * One BOLT11 of an invoice. The row is committed before LND is asked for it, so that whoever finds it can ask again; an
 * invoice has another one after an on-chain part payment. It may be older than its invoice, and outlive a creation that
 * never was.
 */
@Entity({ name: "bolt11s" })
@Index("bolt11s_unfinished", ["expiresAt"], { where: "state IN ('wanted', 'open')" })
export class Bolt11 {
  /** Hex. */
  @PrimaryColumn({ type: "text" }) paymentHash: string;
  @Index("bolt11s_invoice")
  @Column({ type: "text" })
  invoiceId: string;
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
  /** It shall no longer be paid. Kept until LND has answered to that. */
  @Column({ type: "boolean", default: false }) cancelWanted: boolean;
  @Column({ type: "timestamptz" }) createdAt: Date;
  @Column({ type: "timestamptz" }) expiresAt: Date;
  /** Start of the last look at LND that told its state. */
  @Column({ type: "timestamptz", nullable: true }) lookedUpAt: Date | null;
}
