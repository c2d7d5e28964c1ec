import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** `differs`: in amount, invoice or block, or it does not count. */
export const DIFFERENCE_KINDS = ["not-in-database", "not-in-block", "differs"] as const;

export interface BookDifference {
  kind: (typeof DIFFERENCE_KINDS)[number];
  paymentId: string;
  invoiceId: string;
  height: number;
  /** Sats, decimal; null if that side has no such payment. */
  chainSats: string | null;
  databaseSats: string | null;
}

/** What the node's blocks said was paid to our scripts, compared with the payments' rows. Never changed itself. */
@Entity({ name: "reconciliation_reports" })
export class ReconciliationReport {
  @PrimaryColumn({ type: "text" }) id: string;
  @Index("reconciliation_reports_at")
  @Column({ type: "timestamptz" })
  at: Date;
  /** The first and the last block that were read for it; blocks with differences of the report before are read beside them. */
  @Column({ type: "integer" }) fromHeight: number;
  @Column({ type: "integer" }) toHeight: number;
  /** Outputs to us in the blocks. */
  @Column({ type: "integer" }) checkedPayments: number;
  @Column({ type: "jsonb" }) differences: BookDifference[];
}
