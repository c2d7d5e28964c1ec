import { statement } from "../../database/statement";
import type { AdditionalStatus, InvoiceStatus } from "../../domain/invoice/status";
import type { CreatedSums, Durations, QualifiedCount, ReceivedSums } from "../../domain/report/figures";

type InPeriods<V extends readonly unknown[] = []> = [
  storeId: string,
  begins: readonly Date[],
  ends: readonly Date[],
  ...more: V,
];

/** SQL: `period.number`, from 0. */
const PERIODS = `unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS period (since, until, number)`;

// A subquery for each period, and each status, as the indexes are ordered: with one GROUP BY Postgres would read the
// rows. Each index has all that is added up.

interface InPeriod {
  period: number;
}

export const sumReceivedIn = statement<InPeriods, ReceivedSums & InPeriod>(
  "reports.sum-received",
  `SELECT period.number::int - 1 AS period, sums.onchain::text, sums.lightning::text FROM ${PERIODS}
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_sats) FILTER (WHERE type = 'BTC-CHAIN'), 0) AS onchain,
             coalesce(sum(amount_sats) FILTER (WHERE type = 'BTC-LN'), 0) AS lightning
        FROM payments
       WHERE store_id = $1 AND state = 'confirmed' AND NOT below_dust
         AND confirmed_at >= period.since AND confirmed_at < period.until) AS sums`,
);

export const sumCreatedIn = statement<
  InPeriods<[statuses: readonly InvoiceStatus[]]>,
  CreatedSums & InPeriod
>(
  "reports.sum-created",
  `SELECT period.number::int - 1 AS period, wanted.status, made.* FROM ${PERIODS}
    CROSS JOIN unnest($4::text[]) AS wanted (status)
    CROSS JOIN LATERAL (
      SELECT currency, count(*)::int AS count, sum(amount::numeric)::text AS amount, sum(due_sats)::text AS "dueSats"
        FROM invoices
       WHERE store_id = $1 AND invoices.status = wanted.status
         AND created_at >= period.since AND created_at < period.until
       GROUP BY currency) AS made
    ORDER BY currency`,
);

export const countQualifiedIn = statement<
  InPeriods<[additionalStatuses: readonly AdditionalStatus[]]>,
  QualifiedCount & InPeriod
>(
  "reports.count-qualified",
  `SELECT period.number::int - 1 AS period, wanted.status AS "additionalStatus", made.count FROM ${PERIODS}
    CROSS JOIN unnest($4::text[]) AS wanted (status)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count FROM invoices
       WHERE store_id = $1 AND additional_status = wanted.status AND additional_status <> 'None'
         AND created_at >= period.since AND created_at < period.until) AS made`,
);

/** Without a period: of the whole range. */
interface DurationsRow extends Durations {
  period: number | null;
}

const secondsOf = (time: string): string =>
  `percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY greatest(extract(epoch FROM ${time} - created_at), 0)::int)`;

/** The newest of each period that are Settled, so that the work is bounded. Confirmed as far as was required. */
export const readDurations = statement<InPeriods<[perPeriod: number]>, DurationsRow>(
  "reports.read-durations",
  `SELECT period.number::int - 1 AS period, ${secondsOf("paid.first_at")} AS "toPayment", ${secondsOf("paid.last_at")} AS "toSettled"
     FROM ${PERIODS}
    CROSS JOIN LATERAL (
      SELECT id, created_at FROM invoices
       WHERE store_id = $1 AND status = 'Settled' AND created_at >= period.since AND created_at < period.until
       ORDER BY created_at DESC, id DESC LIMIT $4) AS made
    CROSS JOIN LATERAL (
      SELECT min(first_seen_at) AS first_at, max(confirmed_at) AS last_at FROM payments
       WHERE invoice_id = made.id AND state = 'confirmed' AND NOT below_dust) AS paid
    WHERE paid.first_at IS NOT NULL
    GROUP BY GROUPING SETS ((period.number), ())`,
);
