import { alertsOf, type InvoiceAlert } from "../../domain/invoice/alerts";
import { isFiat } from "../../domain/money/currencies";
import { fullAmount, satsToFiat } from "../../domain/money/money";
import { paidSats } from "../../domain/invoice/amounts";
import type { InvoiceFacts } from "../../domain/invoice/facts";
import { Invoice } from "../../entities/invoice";
import type { LockedInvoice } from "./lock-invoices";
import { type AlertText, raiseAlert } from "../server/raise-alert";
import type { Tx } from "../transaction";

type Price = Pick<Invoice, "amount" | "currency" | "rate" | "dueSats">;

interface Situation {
  invoice: LockedInvoice;
  facts: InvoiceFacts;
}

const TEXTS: Readonly<
  Record<InvoiceAlert, { severity: AlertText["severity"]; message: (arrived: string) => string }>
> = {
  "payment-to-invalid-invoice": {
    severity: "critical",
    message: (arrived) => `A payment reached an invoice that was marked Invalid by hand: ${arrived}.`,
  },
  "late-payment": {
    severity: "warning",
    message: (arrived) => `A payment came after the time was up: ${arrived}. Review it by hand.`,
  },
  "part-payment": {
    severity: "warning",
    message: (arrived) => `${arrived}, and the time is up: ask the customer for the rest, or refund it.`,
  },
};
const NAME_MAX_LENGTH = 60;

export async function alertInvoice(tx: Tx, { invoice, facts }: Situation): Promise<void> {
  const { id: invoiceId, storeId } = invoice;
  // For each new sum: an unread alert must not hide the next payment.
  const paid = paidSats(facts);
  const subject = `${invoiceId} ${paid} sats`;
  const kinds = alertsOf(invoice, facts);
  if (kinds.length === 0) return;
  const { orderId, ...price } = await tx.manager.findOneOrFail(Invoice, {
    select: { id: true, orderId: true, amount: true, currency: true, rate: true, dueSats: true },
    where: { id: invoiceId },
  });
  const arrived = sumsOf(paid, price);
  for (const kind of kinds) {
    const { severity, message } = TEXTS[kind];
    const text = `${nameOf(orderId)}: ${message(arrived)}`;
    await raiseAlert(tx, { kind, severity, message: text, subject, storeId, invoiceId });
  }
}

const nameOf = (orderId: string): string =>
  orderId.length > NAME_MAX_LENGTH ? `${orderId.slice(0, NAME_MAX_LENGTH)}…` : orderId;

/** "24.95 of 49.90 EUR (45364 of 90728 sats) arrived" */
function sumsOf(paid: bigint, { amount, currency, rate, dueSats }: Price): string {
  const inSats = `${paid} of ${dueSats} sats`;
  if (rate === null || !isFiat(currency)) return `${inSats} arrived`;
  const inFiat = `${satsToFiat(paid, rate.value, currency)} of ${fullAmount(amount, currency)} ${currency}`;
  return `${inFiat} (${inSats}) arrived`;
}
