import type {
  AdditionalStatus,
  EventType,
  InvoiceStatus,
  Mark,
  PaymentMethodType,
  PaymentState,
} from "./status";

/** Amounts in sats. */
export interface PaymentFact {
  type: PaymentMethodType;
  amountSats: bigint;
  state: PaymentState;
  firstSeenAt: Date;
  /** In a block of the active chain. Lightning: always false. */
  inBlock: boolean;
  /** By a reorganisation; null where none did. */
  leftBlockAt: Date | null;
  /** An unconfirmed conflict, not believed yet. Lightning: always false. */
  contested: boolean;
  /** Below the dust limit, or older than the invoice. */
  neverCounts: boolean;
  /** It was confirmed, and a conflicting transaction has confirmed since (row 12). */
  doubleSpent: boolean;
}

/** The event with the highest round of its type and additional status. */
export interface LatestEvent {
  type: EventType;
  additionalStatus: AdditionalStatus;
  round: number;
}

export interface EmittedEvent extends LatestEvent {
  byHand: boolean;
}

export interface InvoiceFacts {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  markedByHand: Mark | null;
  dueSats: bigint;
  minDueSats: bigint;
  expiresAt: Date;
  monitoringUntil: Date;
  payments: readonly PaymentFact[];
  /** The latest of each type and additional status, in no order. */
  emitted: readonly LatestEvent[];
}

/** Knowledge of the networks of the invoice's payment methods (ADR 0068). */
export interface SyncFacts {
  /** Null while a BOLT11 may be paid, or where the chain has never been caught up. */
  readUntil: Date | null;
  /** Payments made since then may have been missed; null where none was. */
  gapSince: Date | null;
  /** A payment was lost or a block undone, and there has been no complete check since. */
  lossAt: Date | null;
  /** From then on an expiry waits for none of them. */
  holdExpiryUntil: Date;
}
