import type { EmittedEvent, InvoiceFacts, PaymentFact, SyncFacts } from "../../../domain/invoice/facts";
import type { AdditionalStatus, InvoiceStatus } from "../../../domain/invoice/status";

/** The instants of the invoice that all these tests speak of. */
export const CREATED = new Date("2026-01-01T12:00:00Z");
export const EXPIRES = new Date("2026-01-01T12:15:00Z");
export const MONITORED = new Date("2026-01-02T12:15:00Z");

export const BEFORE_EXPIRY = seconds(EXPIRES, -60);
export const AFTER_EXPIRY = seconds(EXPIRES, 60);
export const AFTER_MONITORING = seconds(MONITORED, 60);

export const DUE = 100_000n;

export function seconds(from: Date, by: number): Date {
  return new Date(from.getTime() + by * 1000);
}

/** Every network has been checked past everything. */
export const CAUGHT_UP: SyncFacts = {
  readUntil: seconds(MONITORED, 3600),
  gapSince: null,
  holdExpiryUntil: seconds(EXPIRES, 3600),
  lossAt: null,
};
/** No network has ever been checked, and expiry may wait for them. */
export const BEHIND: SyncFacts = {
  readUntil: null,
  gapSince: null,
  holdExpiryUntil: seconds(EXPIRES, 3600),
  lossAt: null,
};
/** Every network has been checked, but payments may have been missed in the invoice's time. */
export const IN_GAP: SyncFacts = { ...CAUGHT_UP, gapSince: CREATED };
/** Every network has been checked, but something was lost since. */
export const UNCHECKED: SyncFacts = { ...CAUGHT_UP, lossAt: BEFORE_EXPIRY };

/** An on-chain payment of the whole price, seen in time and pending in the mempool, but for what is said. */
export function payment(said: Partial<PaymentFact> = {}): PaymentFact {
  return {
    type: "BTC-CHAIN",
    amountSats: DUE,
    state: "pending",
    firstSeenAt: seconds(CREATED, 60),
    inBlock: false,
    leftBlockAt: null,
    contested: false,
    neverCounts: false,
    doubleSpent: false,
    ...said,
  };
}

export function confirmed(said: Partial<PaymentFact> = {}): PaymentFact {
  return payment({ state: "confirmed", inBlock: true, ...said });
}

export function lightning(amountSats: bigint, said: Partial<PaymentFact> = {}): PaymentFact {
  return payment({ type: "BTC-LN", amountSats, state: "confirmed", ...said });
}

export function event(
  type: InvoiceStatus,
  additionalStatus: AdditionalStatus = "None",
  round = 1,
): EmittedEvent {
  return { type, additionalStatus, round, byHand: false };
}

/** A fresh invoice, but for what is said. */
export function invoice(said: Partial<InvoiceFacts> = {}): InvoiceFacts {
  return {
    status: "New",
    additionalStatus: "None",
    markedByHand: null,
    dueSats: DUE,
    minDueSats: DUE,
    expiresAt: EXPIRES,
    monitoringUntil: MONITORED,
    payments: [],
    emitted: [event("New")],
    ...said,
  };
}

/** Events as short text: `Processing/None`, with "again" for a later round. */
export function told(events: readonly (EmittedEvent | null)[]): string[] {
  return events
    .filter((one) => one !== null)
    .map(({ type, additionalStatus, round }) => `${type}/${additionalStatus}${round > 1 ? " again" : ""}`);
}
