import type { InvoiceFacts, PaymentFact } from "./facts";

/** In sats. */
export interface Sums {
  /** Pending or confirmed. */
  paid: bigint;
  /** The part of `paid` that was first seen no later than `expiresAt`. */
  paidInTime: bigint;
  /** The part of `paid` first seen no later than `monitoringUntil`: later payments never make a partial payment. */
  paidInWindow: bigint;
  /** Not while contested: the conflict may confirm instead. */
  confirmed: bigint;
  /** First seen no later than `monitoringUntil`: later payments never make an excess. */
  confirmedInWindow: bigint;
  /** Confirmed, or in a block of the active chain with fewer confirmations than required. */
  secured: bigint;
}

/** Not replaced, evicted, double-spent, below the dust limit or older than the invoice. */
export function counts(payment: Pick<PaymentFact, "state" | "neverCounts" | "doubleSpent">): boolean {
  if (payment.neverCounts || payment.doubleSpent) return false;
  switch (payment.state) {
    case "pending":
    case "confirmed":
      return true;
    case "replaced":
    case "evicted":
      return false;
  }
}

export function sumsOf(facts: Pick<InvoiceFacts, "payments" | "expiresAt" | "monitoringUntil">): Sums {
  const counted = facts.payments.filter(counts);
  const confirmed = counted.filter((payment) => payment.state === "confirmed" && !payment.contested);
  const seenBy = (instant: Date) => (payment: PaymentFact) => payment.firstSeenAt <= instant;
  return {
    paid: total(counted),
    paidInTime: total(counted.filter(seenBy(facts.expiresAt))),
    paidInWindow: total(counted.filter(seenBy(facts.monitoringUntil))),
    confirmed: total(confirmed),
    confirmedInWindow: total(confirmed.filter(seenBy(facts.monitoringUntil))),
    secured: total(counted.filter((payment) => payment.state === "confirmed" || payment.inBlock)),
  };
}

function total(payments: readonly PaymentFact[]): bigint {
  return payments.reduce((sum, payment) => sum + payment.amountSats, 0n);
}

type Payments = Pick<InvoiceFacts, "payments">;

/** Pending or confirmed. */
export function paidSats({ payments }: Payments): bigint {
  return payments.filter(counts).reduce((sum, payment) => sum + payment.amountSats, 0n);
}

/** Only what has all confirmations. */
export function confirmedSats({ payments }: Payments): bigint {
  return paidSats({ payments: payments.filter((payment) => payment.state === "confirmed") });
}

interface Paid {
  paidSats: bigint;
  dueSats: bigint;
  minDueSats: bigint;
}

/** 0 as soon as the price less its tolerance is reached. */
export function remainingSats({ paidSats: paid, dueSats, minDueSats }: Paid): bigint {
  return paid >= minDueSats ? 0n : dueSats - paid;
}

export function excessSats({ paidSats: paid, dueSats }: Pick<Paid, "paidSats" | "dueSats">): bigint {
  return paid > dueSats ? paid - dueSats : 0n;
}

/** First seen after the expiry. */
export function isLate(
  payment: Pick<PaymentFact, "firstSeenAt">,
  invoice: Pick<InvoiceFacts, "expiresAt">,
): boolean {
  return payment.firstSeenAt > invoice.expiresAt;
}
