import { allRead, expiryMayBeDecided, isReadUntil } from "./expiry-hold";
import type { InvoiceFacts, PaymentFact, SyncFacts } from "./facts";
import type { AdditionalStatus, InvoiceStatus } from "./status";
import { sumsOf, type Sums } from "./sums";

export interface Step {
  row: number;
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  reason: string;
}

/** After a reorganisation took a payment out of its block. */
const MINED_AGAIN_WITHIN_MS = 24 * 3_600_000;

type Asked = Pick<
  InvoiceFacts,
  "status" | "additionalStatus" | "markedByHand" | "dueSats" | "minDueSats" | "payments"
>;

interface View extends Asked, Sums {
  expired: boolean;
  expiryMayBeDecided: boolean;
  monitoringMayEnd: boolean;
  lossChecked: boolean;
  allRead: boolean;
}

/** The first row that applies. Rows 1, 13 and 14 are actions: see decide.ts. */
export function firstRow(facts: InvoiceFacts, now: Date, sync: SyncFacts): Step | null {
  const view = viewOf(facts, now, sync);
  switch (facts.status) {
    case "New":
      return fromNew(view);
    case "Processing":
      return fromProcessing(view);
    case "Expired":
      return fromExpired(view);
    case "Settled":
      return fromSettled(view);
    case "Invalid":
      return fromInvalid(view);
  }
}

/** Copied field by field: with many invoices, spreading objects took longer than all of the rows. */
function viewOf(facts: InvoiceFacts, now: Date, sync: SyncFacts): View {
  const { status, additionalStatus, markedByHand, dueSats, minDueSats, payments } = facts;
  const { paid, paidInTime, paidInWindow, confirmed, confirmedInWindow, secured } = sumsOf(facts);
  return {
    status,
    additionalStatus,
    markedByHand,
    dueSats,
    minDueSats,
    payments,
    paid,
    paidInTime,
    paidInWindow,
    confirmed,
    confirmedInWindow,
    secured,
    expired: now >= facts.expiresAt,
    expiryMayBeDecided: expiryMayBeDecided(facts, now, sync),
    monitoringMayEnd: monitoringMayEnd(facts, now, sync),
    lossChecked: sync.lossAt === null,
    allRead: allRead(sync),
  };
}

const CHECKED = { gapSince: null, lossAt: null };

/**
 * Rows 5, 6, 7 and 12 wait for the networks to be checked. Row 8 is tried again from time to time instead:
 * see nextDecisionAt.
 */
export function isHeld(facts: InvoiceFacts, now: Date, sync: SyncFacts): boolean {
  if (firstRow(facts, now, sync) !== null) return false;
  const row = firstRow(facts, now, { ...CHECKED, readUntil: now, holdExpiryUntil: now })?.row;
  return row === 5 || row === 6 || row === 7 || row === 12;
}

const LOST: PaymentFact = {
  type: "BTC-CHAIN",
  amountSats: 1n,
  state: "confirmed",
  firstSeenAt: new Date(0),
  inBlock: false,
  leftBlockAt: null,
  contested: false,
  neverCounts: false,
  doubleSpent: true,
};

/** Without the invoice's payments: whether a row would apply if it had lost them all. */
export function holdMayBeOver(
  { status, expiresAt }: Pick<InvoiceFacts, "status" | "expiresAt">,
  now: Date,
  sync: SyncFacts,
): boolean {
  const lost: InvoiceFacts = {
    status,
    additionalStatus: "None",
    markedByHand: null,
    dueSats: 1n,
    minDueSats: 1n,
    expiresAt,
    monitoringUntil: expiresAt,
    payments: [LOST],
    emitted: [],
  };
  return firstRow(lost, now, sync) !== null;
}

function monitoringMayEnd(facts: InvoiceFacts, now: Date, sync: SyncFacts): boolean {
  const end = monitoringEnd(facts);
  return now >= end && isReadUntil(sync, end) && allRead(sync);
}

/** A payment that left a block has a day to be mined again. */
export function monitoringEnd({
  payments,
  monitoringUntil,
}: Pick<InvoiceFacts, "payments" | "monitoringUntil">): Date {
  let end = monitoringUntil;
  for (const { leftBlockAt } of payments) {
    if (leftBlockAt === null) continue;
    const minedAgainBy = new Date(leftBlockAt.getTime() + MINED_AGAIN_WITHIN_MS);
    if (minedAgainBy > end) end = minedAgainBy;
  }
  return end;
}

function fromNew(view: View): Step | null {
  if (view.paidInTime >= view.minDueSats && view.confirmed >= view.minDueSats) return settled(2, view);
  if (view.paidInTime >= view.minDueSats)
    return step(3, "Processing", "None", "The price was paid in time; a payment waits for confirmations.");
  if (view.expiryMayBeDecided)
    return view.paidInTime > 0n || isPartPaid(view)
      ? step(5, "Expired", "Underpaid", "The invoice expired with only a part of the price paid.")
      : step(5, "Expired", "None", "The invoice expired without a payment.");
  return null;
}

function fromProcessing(view: View): Step | null {
  if (view.confirmed >= view.minDueSats) return settled(4, view);
  if (view.paidInTime < view.minDueSats) {
    const openAgain = "A payment vanished before the expiry; the invoice can be paid again.";
    if (!view.expired) return view.lossChecked ? step(6, "New", "None", openAgain) : null;
    if (!view.expiryMayBeDecided || !view.allRead) return null;
    const vanished = "A payment vanished after the expiry";
    return view.paidInWindow > 0n
      ? step(7, "Expired", "Underpaid", `${vanished}; the remaining payments do not cover the price.`)
      : step(7, "Invalid", "None", `${vanished} and no payment remains.`);
  }
  if (view.monitoringMayEnd && view.secured < view.minDueSats) {
    const unconfirmed = "Monitoring ended while a payment needed for the price was unconfirmed";
    return view.confirmedInWindow > 0n
      ? step(8, "Expired", "Underpaid", `${unconfirmed}; a part is confirmed.`)
      : step(8, "Invalid", "None", `${unconfirmed}; nothing is confirmed.`);
  }
  return null;
}

function fromExpired(view: View): Step | null {
  if (view.confirmed >= view.minDueSats) return settledLate(view);
  if (view.additionalStatus === "None" && isPartPaid(view))
    return step(10, "Expired", "Underpaid", "A part of the price was paid after the expiry.");
  return null;
}

function fromSettled(view: View): Step | null {
  if (view.additionalStatus === "None" && isOverpaid(view))
    return step(11, "Settled", "Overpaid", "More than the price is confirmed.");
  const doubleSpent = view.payments.some((payment) => payment.doubleSpent && !payment.neverCounts);
  const lost = doubleSpent && view.paid < view.minDueSats && view.allRead;
  if (view.markedByHand === null && lost)
    return step(
      12,
      "Invalid",
      "None",
      "A counted payment was double-spent; what remains is below the price.",
    );
  return null;
}

function fromInvalid(view: View): Step | null {
  if (view.markedByHand === null && view.confirmed >= view.minDueSats) return settledLate(view);
  return null;
}

/** Rows 2 and 4. */
function settled(row: number, view: View): Step {
  return isOverpaid(view)
    ? step(row, "Settled", "Overpaid", "The price is confirmed, and more than it.")
    : step(row, "Settled", "None", "The price is confirmed.");
}

/** Row 9. Before Overpaid: the merchant was notified not to fulfil, and must check by hand. */
function settledLate({ status }: View): Step {
  return step(
    9,
    "Settled",
    "PaidAfterExpiration",
    `The price was confirmed after the invoice was ${status}.`,
  );
}

/** First seen before monitoring ended. The whole price, though unconfirmed, does not count as a part. */
function isPartPaid(view: View): boolean {
  return view.paidInWindow > 0n && view.paid < view.minDueSats;
}

function isOverpaid(view: View): boolean {
  return view.confirmedInWindow > view.dueSats;
}

function step(row: number, status: InvoiceStatus, additionalStatus: AdditionalStatus, reason: string): Step {
  return { row, status, additionalStatus, reason };
}
