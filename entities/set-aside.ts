import { Column, Entity, PrimaryColumn } from "typeorm";

/** A transaction that could not be recorded. Deleted once it was, or is gone. */
@Entity({ name: "set_aside" })
export class SetAside {
  @PrimaryColumn({ type: "text" }) txid: string;
  /** The block that has it, or that was undone and that its payments could not leave; null in the mempool. */
  @Column({ type: "integer", nullable: true }) height: number | null;
  @Column({ type: "text", nullable: true }) blockHash: string | null;
  /** Paid by it, as far as known: their expiry waits for it. */
  @Column({ type: "text", array: true, default: "{}" }) invoiceIds: string[];
  @Column({ type: "timestamptz" }) failedAt: Date;
  @Column({ type: "text" }) error: string;
  /** A person asked since then. */
  @Column({ type: "boolean", default: false }) retryAsked: boolean;
}
