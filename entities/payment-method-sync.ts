import { Column, Entity, PrimaryColumn } from "typeorm";
import type { PaymentMethodType } from "../domain/invoice/status";

/** How far a payment method's network has been checked, and what its node last said of itself. */
@Entity({ name: "payment_method_syncs" })
export class PaymentMethodSync {
  @PrimaryColumn({ type: "text" }) type: PaymentMethodType;
  /** Start of the last complete check against a node that was synced with its mempool loaded. */
  @Column({ type: "timestamptz", nullable: true }) caughtUpTo: Date | null;
  /** Whether or not the node answered. */
  @Column({ type: "timestamptz" }) checkedAt: Date;
  @Column({ type: "boolean", default: false }) synchronized: boolean;
  @Column({ type: "integer", nullable: true }) nodeHeight: number | null;
  /** Why it is not caught up, in words without hosts or secrets; null when all is well. */
  @Column({ type: "text", nullable: true }) problem: string | null;
  /** Bitcoin alone: a payment was lost or a block undone, and there has been no complete check since. */
  @Column({ type: "timestamptz", nullable: true }) lossAt: Date | null;
  /** Bitcoin alone: the last start of chain-watch that followed at least a minute without any heartbeat of it. */
  @Column({ type: "timestamptz", nullable: true }) watchStartedAt: Date | null;
  /** Bitcoin alone: the last heartbeat of any chain-watch; it outlives the process. */
  @Column({ type: "timestamptz", nullable: true }) watchBeatAt: Date | null;
}
