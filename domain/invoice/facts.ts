import type {
  AdditionalStatus,
  EventType,
  InvoiceStatus,
  Mark,
  PaymentMethodType,
  PaymentState,
} from "./status";

/** One payment as the state function sees it. Amounts in sats. */
export interface PaymentFact {
  type: PaymentMethodType;
  amountSats: bigint;
  state: PaymentState;
  firstSeenAt: Date;
  /** An on-chain payment in a block of the active chain. Lightning: always false. */
  inBlock: boolean;
  /** When a reorganisation last took it out of a block; null where none did. */
  leftBlockAt: Date | null;
  /** An unconfirmed transaction conflicts with it, and is not believed yet. Lightning: always false. */
  contested: boolean;
  /** Below the dust limit, or older than the invoice: recorded, never counted. */
  neverCounts: boolean;
  /** It was confirmed once, and a transaction that conflicts with it has confirmed since (row 12). */
  doubleSpent: boolean;
}

/** Of all events of one type and additional status that an invoice had so far, the last: the one of the highest round. */
export interface LatestEvent {
  type: EventType;
  additionalStatus: AdditionalStatus;
  round: number;
}

/** An event that a decision publishes. */
export interface EmittedEvent extends LatestEvent {
  /** Published for a mark by hand. */
  byHand: boolean;
}

/** All inputs of the state function, except the clock. */
export interface InvoiceFacts {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  /** The mark by hand that led to the invoice's state, if there is one. */
  markedByHand: Mark | null;
  dueSats: bigint;
  minDueSats: bigint;
  expiresAt: Date;
  monitoringUntil: Date;
  payments: readonly PaymentFact[];
  /** One for each type and additional status, in no order. There may be any number of earlier ones, which nothing needs. */
  emitted: readonly LatestEvent[];
}

/**
 * How far the networks of the invoice's payment methods have been checked. `caughtUpTo` is null while a BOLT11 may be paid,
 * or where the chain has never been caught up; `inGap`: payments may have been missed in the invoice's time, or a
 * transaction that pays it was set aside; `holdExpiryUntil` is the instant from which expiry no longer waits for any of it.
 * `unread`: a gap lasted past its creation, or a transaction that pays it was set aside. `lossUnchecked`: a payment was
 * lost or a block undone, and the chain and the mempool, which may have what was paid instead, have not been read to their
 * end since.
 */
export interface SyncFacts {
  caughtUpTo: Date | null;
  inGap: boolean;
  holdExpiryUntil: Date;
  unread: boolean;
  lossUnchecked: boolean;
}
