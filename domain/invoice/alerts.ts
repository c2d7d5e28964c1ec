import { isLate, paidSats } from "./amounts";
import type { InvoiceFacts } from "./facts";
import { counts } from "./sums";

export type InvoiceAlert = "payment-to-invalid-invoice" | "late-payment" | "part-payment";

export interface DecidedBefore extends Pick<InvoiceFacts, "status" | "additionalStatus"> {
  paidSats: bigint;
}

const isUnderpaid = ({
  status,
  additionalStatus,
}: Pick<InvoiceFacts, "status" | "additionalStatus">): boolean =>
  status === "Expired" && additionalStatus === "Underpaid";

/**
 * A payment to an invoice marked Invalid, a grown late one, and a partial one: merchants' software cannot settle them.
 * `facts`: after the decision.
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
