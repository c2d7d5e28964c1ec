import { isLate, paidSats } from "./amounts";
import type { InvoiceFacts } from "./facts";
import { counts } from "./sums";

export type InvoiceAlert = "payment-to-invalid-invoice" | "late-payment" | "part-payment";

/** What was recorded at the last decision. */
export interface DecidedBefore extends Pick<InvoiceFacts, "status" | "additionalStatus"> {
  paidSats: bigint;
}

const isUnderpaid = ({
  status,
  additionalStatus,
}: Pick<InvoiceFacts, "status" | "additionalStatus">): boolean =>
  status === "Expired" && additionalStatus === "Underpaid";

/**
 * What a decision alerts the operator about, since a merchant's software cannot settle it: a payment to an invoice
 * marked Invalid, a late payment, when the sum has grown; and a partial one, also when the time is up or the rest has
 * vanished. `facts` are those after the decision.
 */
export function alertsOf(before: DecidedBefore, facts: InvoiceFacts): InvoiceAlert[] {
  const hasGrown = paidSats(facts) > before.paidSats;
  const alerts: InvoiceAlert[] = [];
  const late = facts.payments.some((payment) => counts(payment) && isLate(payment, facts));
  if (hasGrown && facts.markedByHand === "Invalid") alerts.push("payment-to-invalid-invoice");
  else if (hasGrown && late) alerts.push("late-payment");
  if (isUnderpaid(facts) && (hasGrown || !isUnderpaid(before))) alerts.push("part-payment");
  return alerts;
}
