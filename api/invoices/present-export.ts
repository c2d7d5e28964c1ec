import type { InvoiceView } from "../../commands/invoices/read-invoice";
import type { Invoice } from "../../entities/invoice";
import type { Payment } from "../../entities/payment";
import type { ExportFormat } from "./request";
import { csvLine } from "./csv";
import { presentInvoice } from "./present";
import { toJson } from "../http/json";
import { StreamedBody } from "../http/streamed";

type Batches = AsyncGenerator<InvoiceView[], void, undefined>;

/** A line an invoice (so that columns can be summed up), or the API's Invoices. */
export function presentExport(batches: Batches, format: ExportFormat, publicUrl: string): StreamedBody {
  return format === "csv"
    ? new StreamedBody("text/csv; charset=utf-8; header=present", "invoices.csv", csv(batches))
    : new StreamedBody("application/json; charset=utf-8", "invoices.json", json(batches, publicUrl));
}

async function* json(batches: Batches, publicUrl: string): AsyncGenerator<string, void, undefined> {
  let lead = '{"data":[';
  for await (const batch of batches) {
    const texts = batch.map((view) => toJson(presentInvoice(view, publicUrl)));
    yield lead + texts.join(",\n");
    lead = ",\n";
  }
  yield "]}";
}

async function* csv(batches: Batches): AsyncGenerator<string, void, undefined> {
  let lead = csvLine(COLUMNS.map(([name]) => name));
  for await (const batch of batches) {
    yield lead + batch.map((view) => csvLine(COLUMNS.map(([, cell]) => cell(view)))).join("");
    lead = "";
  }
}

type Cell = (view: InvoiceView) => string | bigint | number | boolean | Date | null;

const ofInvoice =
  (cell: (invoice: Invoice) => ReturnType<Cell>): Cell =>
  ({ invoice }) =>
    cell(invoice);

/** Oldest first, so that the payment columns correspond. */
const ofPayments =
  (word: (payment: Payment) => string): Cell =>
  ({ payments }) =>
    payments.map(word).join(" ");

const COLUMNS: readonly (readonly [string, Cell])[] = [
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
