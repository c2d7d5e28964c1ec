import { groupBy } from "../group-by";
import { sumAmounts } from "../money/money";
import { type AdditionalStatus, INVOICE_STATUSES, type InvoiceStatus } from "../invoice/status";

/** By confirmation. */
export interface ReceivedSums {
  onchain: string;
  lightning: string;
}

/** By creation: invoices of one status and currency. */
export interface CreatedSums {
  status: InvoiceStatus;
  currency: string;
  count: number;
  /** Sum of the prices. */
  amount: string;
  dueSats: string;
}

export interface QualifiedCount {
  additionalStatus: AdditionalStatus;
  count: number;
}

/** In seconds. */
export interface Durations {
  /** Median and 95th percentile; null without such an invoice. */
  toPayment: readonly number[] | null;
  toSettled: readonly number[] | null;
}

export interface ReportRows {
  received: readonly ReceivedSums[];
  created: readonly CreatedSums[];
  qualified: readonly QualifiedCount[];
  durations: Durations | undefined;
}

interface Quantiles {
  median: number;
  p95: number;
}

export interface ReportFigures {
  received: { onchainSats: bigint; lightningSats: bigint };
  created: number;
  invoices: Record<InvoiceStatus, number>;
  /** Prices of the Settled invoices, a sum for each currency. */
  sold: { currency: string; amount: string; sats: bigint }[];
  averageOrderSats: bigint | null;
  /** Settled, in per cent of Settled, Expired and Invalid. */
  paidPercent: number | null;
  late: number;
  partial: number;
  secondsToPayment: Quantiles | null;
  secondsToSettled: Quantiles | null;
}

const total = (texts: readonly string[]): bigint => texts.reduce((sum, text) => sum + BigInt(text), 0n);

export function figuresOf({ received, created, qualified, durations }: ReportRows): ReportFigures {
  const invoices = Object.fromEntries(
    INVOICE_STATUSES.map((status) => [status, countOf(created, (row) => row.status === status)]),
  ) as Record<InvoiceStatus, number>;
  const settled = created.filter(({ status }) => status === "Settled");
  const known = invoices.Settled + invoices.Expired + invoices.Invalid;
  const qualifiedAs = (wanted: AdditionalStatus) =>
    countOf(qualified, ({ additionalStatus }) => additionalStatus === wanted);
  return {
    received: {
      onchainSats: total(received.map(({ onchain }) => onchain)),
      lightningSats: total(received.map(({ lightning }) => lightning)),
    },
    created: countOf(created, () => true),
    invoices,
    sold: [...groupBy(settled, ({ currency }) => currency)].map(([currency, rows]) => ({
      currency,
      amount: sumAmounts(
        rows.map(({ amount }) => amount),
        currency,
      ),
      sats: total(rows.map(({ dueSats }) => dueSats)),
    })),
    averageOrderSats:
      invoices.Settled === 0 ? null : total(settled.map(({ dueSats }) => dueSats)) / BigInt(invoices.Settled),
    paidPercent: known === 0 ? null : Math.round((invoices.Settled * 1_000) / known) / 10,
    late: qualifiedAs("PaidAfterExpiration"),
    partial: qualifiedAs("Underpaid"),
    secondsToPayment: quantilesOf(durations?.toPayment),
    secondsToSettled: quantilesOf(durations?.toSettled),
  };
}

function countOf<R extends { count: number }>(rows: readonly R[], counts: (row: R) => boolean): number {
  return rows.filter(counts).reduce((sum, { count }) => sum + count, 0);
}

function quantilesOf(values: readonly number[] | null | undefined): Quantiles | null {
  const [median, p95] = values ?? [];
  return median === undefined || p95 === undefined ? null : { median, p95 };
}
