import { sumAmounts } from "../money/money";
import { type AdditionalStatus, INVOICE_STATUSES, type InvoiceStatus } from "../invoice/status";
import { byCurrency, receivedIn, type Sums, totalOf } from "./sums";

export function figuresOf(days: readonly Sums[]) {
  const created = days.flatMap((day) => day.created);
  const qualified = days.flatMap((day) => day.qualified);
  const invoices = Object.fromEntries(
    INVOICE_STATUSES.map((status) => [status, countOf(created, (row) => row.status === status)]),
  ) as Record<InvoiceStatus, number>;
  const settled = created.filter(({ status }) => status === "Settled");
  const known = invoices.Settled + invoices.Expired + invoices.Invalid;
  const qualifiedAs = (wanted: AdditionalStatus) =>
    countOf(qualified, ({ additionalStatus }) => additionalStatus === wanted);
  return {
    received: receivedIn(days),
    created: countOf(created, () => true),
    invoices,
    /** Prices of the Settled invoices, a sum for each currency. */
    sold: byCurrency(settled).map(([currency, rows]) => ({
      currency,
      amount: sumAmounts(
        rows.map(({ amount }) => amount),
        currency,
      ),
      sats: totalOf(rows.map(({ dueSats }) => dueSats)),
    })),
    averageOrderSats:
      invoices.Settled === 0
        ? null
        : totalOf(settled.map(({ dueSats }) => dueSats)) / BigInt(invoices.Settled),
    /** Settled, in per cent of Settled, Expired and Invalid. */
    paidPercent: known === 0 ? null : Math.round((invoices.Settled * 1_000) / known) / 10,
    late: qualifiedAs("PaidAfterExpiration"),
    partial: qualifiedAs("Underpaid"),
    secondsToPayment: quantilesOf(days.map(({ toPayment }) => toPayment)),
    secondsToSettled: quantilesOf(days.map(({ toSettled }) => toSettled)),
  };
}

function countOf<R extends { count: number }>(rows: readonly R[], counts: (row: R) => boolean): number {
  return rows.filter(counts).reduce((sum, { count }) => sum + count, 0);
}

function quantilesOf(values: readonly (readonly number[])[]) {
  const sorted = Int32Array.from(values.flat()).sort();
  const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
  return sorted.length === 0 ? null : { median: at(0.5), p95: at(0.95) };
}
