import { isLate, paidSats } from "./amounts";
import type { InvoiceFacts } from "./facts";
import { counts } from "./sums";

export type InvoiceAlert = "payment-to-invalid-invoice" | "late-payment" | "part-payment";

/**
 * What a decision alerts the operator about, since a merchant's software cannot settle it: a payment to an invoice
 * marked Invalid, a late or a partial payment. Only when the sum has grown: `paidBefore` is what was paid at the last
 * decision, in sats; `facts` are those after this one.
 */
export function alertsOf(paidBefore: bigint, facts: InvoiceFacts): InvoiceAlert[] {
  if (paidSats(facts) <= paidBefore) return [];
  const alerts: InvoiceAlert[] = [];
  const late = facts.payments.some((payment) => counts(payment) && isLate(payment, facts));
  if (facts.markedByHand === "Invalid") alerts.push("payment-to-invalid-invoice");
  else if (late) alerts.push("late-payment");
  if (facts.status === "Expired" && facts.additionalStatus === "Underpaid") alerts.push("part-payment");
  return alerts;
}
