import type { InvoiceFacts, PaymentFact } from "./facts";
import { counts } from "./sums";

type Payments = Pick<InvoiceFacts, "payments">;

/** What has been paid, pending or confirmed, in sats. */
export function paidSats({ payments }: Payments): bigint {
  return payments.filter(counts).reduce((sum, payment) => sum + payment.amountSats, 0n);
}

/** What has been paid and confirmed, in sats. */
export function confirmedSats({ payments }: Payments): bigint {
  return paidSats({ payments: payments.filter((payment) => payment.state === "confirmed") });
}

/** An invoice's price and what has been paid of it, in sats. */
interface Paid {
  paidSats: bigint;
  dueSats: bigint;
  minDueSats: bigint;
}

/** The remainder in sats: 0 as soon as the price less its tolerance is reached. */
export function remainingSats({ paidSats: paid, dueSats, minDueSats }: Paid): bigint {
  return paid >= minDueSats ? 0n : dueSats - paid;
}

/** The excess above the price, in sats. */
export function excessSats({ paidSats: paid, dueSats }: Pick<Paid, "paidSats" | "dueSats">): bigint {
  return paid > dueSats ? paid - dueSats : 0n;
}

/** A payment is late when it was first seen after the invoice's expiry. */
export function isLate(
  payment: Pick<PaymentFact, "firstSeenAt">,
  invoice: Pick<InvoiceFacts, "expiresAt">,
): boolean {
  return payment.firstSeenAt > invoice.expiresAt;
}
