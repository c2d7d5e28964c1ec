import type { EntityManager } from "typeorm";
import { alertsOf, type InvoiceAlert } from "../../domain/invoice/alerts";
import { paidSats } from "../../domain/invoice/amounts";
import type { InvoiceFacts } from "../../domain/invoice/facts";
import type { CommandContext } from "../context";
import type { LockedInvoice } from "./lock-invoices";
import { type AlertText, raiseAlert } from "../server/raise-alert";

interface Situation {
  /** The row as it was before the decision. */
  invoice: LockedInvoice;
  facts: InvoiceFacts;
}

const TEXTS: Readonly<Record<InvoiceAlert, Pick<AlertText, "severity" | "message">>> = {
  "payment-to-invalid-invoice": {
    severity: "critical",
    message: "A payment reached an invoice that was marked Invalid by hand.",
  },
  "late-payment": {
    severity: "warning",
    message: "A payment reached the invoice after its expiry: review it by hand.",
  },
  "part-payment": {
    severity: "warning",
    message: "Only a part of the price was paid: ask the customer for the rest, or refund it.",
  },
};

/** Alerts the operator about what a merchant's software cannot settle (domain/invoice/alerts). */
export async function alertInvoice(
  manager: EntityManager,
  ctx: CommandContext,
  { invoice, facts }: Situation,
): Promise<void> {
  const { id: invoiceId, storeId } = invoice;
  // One alert for each new sum: an unread alert must not hide the next payment.
  const subject = `${invoiceId} ${paidSats(facts)} sats`;
  for (const kind of alertsOf(invoice, facts))
    await raiseAlert(manager, ctx, { kind, ...TEXTS[kind], subject, storeId, invoiceId });
}
