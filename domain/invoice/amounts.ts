import type { InvoiceFacts, PaymentFact } from "./facts";
import { counts } from "./sums";

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
