import type { EntityManager } from "typeorm";
import { isLate, paidSats } from "../../domain/invoice/amounts";
import type { InvoiceFacts } from "../../domain/invoice/facts";
import { counts } from "../../domain/invoice/sums";
import type { CommandContext } from "../context";
import type { LockedInvoice } from "./lock-invoices";
import { type AlertText, raiseAlert } from "../server/raise-alert";

interface Situation {
  /** The row as it was before the decision. */
  invoice: LockedInvoice;
  facts: InvoiceFacts;
}

/**
 * Alerts the operator about what a merchant's software cannot settle: a late or partial payment, or a payment to an
 * invoice marked Invalid.
 */
export async function alertInvoice(
  manager: EntityManager,
  ctx: CommandContext,
  situation: Situation,
): Promise<void> {
  for (const alert of alertsOf(situation)) await raiseAlert(manager, ctx, alert);
}

function alertsOf({ invoice, facts }: Situation): AlertText[] {
  const paid = paidSats(facts);
  const about = { subject: invoice.id, storeId: invoice.storeId, invoiceId: invoice.id };
  // One alert for each new sum: an unread alert must not hide the next payment.
  const aboutMoney = { ...about, subject: `${invoice.id} ${paid} sats` };
  const alerts: AlertText[] = [];
  const grew = paid > invoice.paidSats;
  const late = facts.payments.some((payment) => counts(payment) && isLate(payment, invoice));
  if (grew && facts.markedByHand === "Invalid")
    alerts.push({
      ...aboutMoney,
      kind: "payment-to-invalid-invoice",
      severity: "critical",
      message: "A payment reached an invoice that was marked Invalid by hand.",
    });
  else if (grew && late)
    alerts.push({
      ...aboutMoney,
      kind: "late-payment",
      severity: "warning",
      message: "A payment reached the invoice after its expiry: review it by hand.",
    });
  if (facts.status === "Expired" && facts.additionalStatus === "Underpaid" && grew)
    alerts.push({
      ...aboutMoney,
      kind: "part-payment",
      severity: "warning",
      message: "Only a part of the price was paid: ask the customer for the rest, or refund it.",
    });
  return alerts;
}
