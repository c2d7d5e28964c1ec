import type { InvoiceFacts, PaymentFact } from "./facts";

/** The sums that the rows of the state table use, in sats. */
export interface Sums {
  /** Every payment that counts, pending or confirmed. */
  paid: bigint;
  /** Those of `paid` first seen no later than `expiresAt`. */
  paidInTime: bigint;
  /** Those of `paid` first seen no later than `monitoringUntil`: later payments never make a partial payment. */
  paidInWindow: bigint;
  /** Those of `paid` that have all confirmations. Not while they are contested: the conflict may confirm instead. */
  confirmed: bigint;
  /** Those of `confirmed` first seen no later than `monitoringUntil`: later payments never make an excess. */
  confirmedInWindow: bigint;
  /** Confirmed, or in a block of the active chain with fewer confirmations than required. */
  secured: bigint;
}

/** Whether a payment counts: not replaced, evicted, double-spent, below the dust limit or older than the invoice. */
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
