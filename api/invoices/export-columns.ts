import type { InvoiceView } from "../../commands/invoices/read-invoice";
import type { Invoice } from "../../entities/invoice";
import type { Payment } from "../../entities/payment";
import type { Columns } from "../http/export";

type Cell = Columns<InvoiceView>[number][1];

const ofInvoice =
  (cell: (invoice: Invoice) => ReturnType<Cell>): Cell =>
  ({ invoice }) =>
    cell(invoice);

/** Oldest first, so that the payment columns correspond. */
const ofPayments =
  (word: (payment: Payment) => string): Cell =>
  ({ payments }) =>
    payments.map(word).join(" ");

/** A line an invoice, so that columns can be summed up. */
export const INVOICE_COLUMNS: Columns<InvoiceView> = [
  ["invoiceId", ofInvoice(({ id }) => id)],
  ["orderId", ofInvoice(({ orderId }) => orderId)],
  ["status", ofInvoice(({ status }) => status)],
  ["additionalStatus", ofInvoice(({ additionalStatus }) => additionalStatus)],
  ["createdAt", ofInvoice(({ createdAt }) => createdAt)],
  ["expiresAt", ofInvoice(({ expiresAt }) => expiresAt)],
  ["monitoringUntil", ofInvoice(({ monitoringUntil }) => monitoringUntil)],
  ["amount", ofInvoice(({ amount }) => amount)],
  ["currency", ofInvoice(({ currency }) => currency)],
  ["rate", ofInvoice(({ rate }) => rate?.value ?? null)],
  ["rateSources", ofInvoice(({ rate }) => rate?.sources.join(" ") ?? null)],
  ["rateAt", ofInvoice(({ rate }) => rate?.at ?? null)],
  ["dueSats", ofInvoice(({ dueSats }) => dueSats)],
  ["paidSats", ofInvoice(({ paidSats }) => paidSats)],
  ["confirmedSats", ofInvoice(({ confirmedSats }) => confirmedSats)],
  ["description", ofInvoice(({ description }) => description)],
  ["archived", ofInvoice(({ archivedAt }) => archivedAt !== null)],
  ["paymentIds", ofPayments(({ id }) => id)],
  ["paymentTypes", ofPayments(({ type }) => type)],
  ["paymentSats", ofPayments(({ amountSats }) => amountSats.toString())],
  ["paymentStates", ofPayments(({ state }) => state)],
  ["paymentsFirstSeenAt", ofPayments(({ firstSeenAt }) => firstSeenAt.toISOString())],
  ["paymentsConfirmedAt", ofPayments(({ confirmedAt }) => confirmedAt?.toISOString() ?? "")],
  ["refundAddress", ofInvoice(({ refundAddress }) => refundAddress)],
  ["refundAddressAt", ofInvoice(({ refundAddressAt }) => refundAddressAt)],
  ["paymentsOmitted", ({ paymentsOmitted }) => paymentsOmitted],
];
