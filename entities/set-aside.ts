import { Column, Entity, PrimaryColumn } from "typeorm";

export const SET_ASIDE_KINDS = ["invoice", "transaction", "block"] as const;
export type SetAsideKind = (typeof SET_ASIDE_KINDS)[number];

/**
 * An item that could not be processed: its failures are counted, and it may be set aside. Deleted once it was
 * processed.
 */
@Entity({ name: "set_aside" })
export class SetAside {
  @PrimaryColumn({ type: "text" }) kind: SetAsideKind;
  /** Invoice id, txid or block hash. */
  @PrimaryColumn({ type: "text" }) subject: string;
  /** Where the transaction was mined, or the block's own; null in the mempool and of an invoice. */
  @Column({ type: "integer", nullable: true }) height: number | null;
  @Column({ type: "text", nullable: true }) blockHash: string | null;
  /** Those that a transaction pays, as far as known: their expiry waits for it. */
  @Column({ type: "text", array: true, default: "{}" }) invoiceIds: string[];
  @Column({ type: "integer" }) failures: number;
  @Column({ type: "timestamptz" }) firstFailedAt: Date;
  @Column({ type: "timestamptz" }) lastFailedAt: Date;
  /** Null while it is still tried each time. */
  @Column({ type: "timestamptz", nullable: true }) setAsideAt: Date | null;
  /** The last failure, in words. */
  @Column({ type: "text" }) error: string;
  /** The version of the service that tried it last: another version tries again. */
  @Column({ type: "text" }) version: string;
  /** `cli retry set-aside` was called since it was tried last. */
  @Column({ type: "boolean", default: false }) retryAsked: boolean;
}
