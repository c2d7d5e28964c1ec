import { statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import type { AdditionalStatus, InvoiceStatus } from "../../domain/invoice/status";
import type { Sums } from "../../domain/report/sums";

const LEAST = (column: string, table: string, where: string): string =>
  `(SELECT ${column} FROM ${table} WHERE store_id = $1 AND ${where} ORDER BY ${column} LIMIT 1)`;

/** When anything began that sums count. */
export const readFirst = statement<[storeId: string], { at: Date | null }>(
  "reports.read-first",
  `SELECT least(${LEAST("created_at", "invoices", "true")},
                ${LEAST("confirmed_at", "payments", "state = 'confirmed'")},
                ${LEAST("resolved_at", "reviews", "refund_sats IS NOT NULL")}) AS at`,
);

type OfDays = [storeId: string, begins: readonly Date[], ends: readonly Date[]];

const KEPT = `unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS day (begins_at, ends_at, number)
   JOIN day_sums kept ON kept.store_id = $1 AND kept.begins_at = day.begins_at AND kept.ends_at = day.ends_at`;

/** Without those that changed since, or are not counted yet. */
export const readKept = statement<OfDays, { number: number; sums: Sums }>(
  "reports.read-kept",
  `SELECT day.number::int - 1 AS number, (array_agg(kept.sums))[1] AS sums FROM ${KEPT}
    GROUP BY day.number HAVING count(*) = 1 AND count(kept.sums) = 1`,
);

/** Instead of the rows that the days had. Other readers' are skipped, so that none waits. */
export const claimDays = statement<OfDays, { id: string }>(
  "reports.claim-days",
  `WITH former AS (
     DELETE FROM day_sums WHERE id = ANY(ARRAY(SELECT kept.id FROM ${KEPT} FOR UPDATE OF kept SKIP LOCKED)))
   INSERT INTO day_sums (store_id, begins_at, ends_at)
   SELECT $1, begins_at, ends_at FROM unnest($2::timestamptz[], $3::timestamptz[]) AS day (begins_at, ends_at)
   RETURNING id`,
);

/** Every transaction that began to write before has a lower number. */
export const readFence = statement<[], { fence: string }>(
  "reports.read-fence",
  "SELECT pg_current_xact_id()::text AS fence",
);

const sum = (value: string, where: string): string =>
  `coalesce(sum(${value}) FILTER (WHERE ${where}), 0)::text`;

const LEDGER = `SELECT currency, ${sum("sats", "kind = 'BTC-CHAIN'")} AS onchain,
         ${sum("sats", "kind = 'BTC-LN'")} AS lightning, ${sum("sats", "kind = 'refund'")} AS refunded,
         count(*) FILTER (WHERE kind <> 'refund') AS payments, count(*) FILTER (WHERE kind = 'refund') AS refunds,
         ${sum("fiat", "kind <> 'refund'")} AS "fiatReceived", ${sum("fiat", "kind = 'refund'")} AS "fiatRefunded"
    FROM (SELECT type AS kind, amount_sats AS sats, invoice_id FROM payments
           WHERE store_id = $1 AND state = 'confirmed' AND NOT below_dust
             AND confirmed_at >= $2 AND confirmed_at < $3
          UNION ALL
          SELECT 'refund', refund_sats, invoice_id FROM reviews
           WHERE store_id = $1 AND refund_sats IS NOT NULL AND resolved_at >= $2 AND resolved_at < $3) AS line
   CROSS JOIN LATERAL (
          SELECT currency, round(sats * (rate ->> 'value')::numeric * 0.00000001, coalesce(($4::jsonb ->> currency)::int, 2)) AS fiat
            FROM invoices WHERE id = line.invoice_id LIMIT 1) AS priced
   GROUP BY currency`;

// A subquery for each status, as the indexes are ordered: with one GROUP BY Postgres would read the rows. Each index has
// all that is added up.

const CREATED = `SELECT wanted.status, made.* FROM unnest($5::text[]) AS wanted (status)
   CROSS JOIN LATERAL (
     SELECT currency, count(*) AS count, sum(amount::numeric)::text AS amount, sum(due_sats)::text AS "dueSats"
       FROM invoices
      WHERE store_id = $1 AND invoices.status = wanted.status AND created_at >= $2 AND created_at < $3
      GROUP BY currency) AS made`;

const QUALIFIED = `SELECT wanted.status AS "additionalStatus", made.count FROM unnest($6::text[]) AS wanted (status)
   CROSS JOIN LATERAL (
     SELECT count(*) AS count FROM invoices
      WHERE store_id = $1 AND additional_status = wanted.status AND additional_status <> 'None'
        AND created_at >= $2 AND created_at < $3) AS made
   WHERE made.count > 0`;

const seconds = (time: string): string =>
  `coalesce(json_agg(greatest(extract(epoch FROM ${time} - created_at), 0)::int), '[]')`;

/** The newest so many invoices of a day, so that the work is bounded. */
const TIMED_MAX = 100;

/** Confirmed as far as was required. */
const TIMED = `(SELECT id, created_at FROM invoices
     WHERE store_id = $1 AND status = 'Settled' AND created_at >= $2 AND created_at < $3
     ORDER BY created_at DESC, id DESC LIMIT ${TIMED_MAX}) AS made
   CROSS JOIN LATERAL (
     SELECT min(first_seen_at) AS first_at, max(confirmed_at) AS last_at FROM payments
      WHERE invoice_id = made.id AND ${unindexed("state")} = 'confirmed' AND NOT below_dust) AS paid
   WHERE paid.first_at IS NOT NULL`;

const list = (rows: string): string => `(SELECT coalesce(json_agg(one), '[]') FROM (${rows}) AS one)`;

/** `settled`: whoever began to write before the fence has ended, and is counted. */
export const countSums = statement<
  [
    storeId: string,
    since: Date,
    until: Date,
    digits: string,
    statuses: readonly InvoiceStatus[],
    additionalStatuses: readonly AdditionalStatus[],
    fence: string,
  ],
  { sums: Sums; settled: boolean }
>(
  "reports.count-sums",
  `SELECT json_build_object('ledger', ${list(LEDGER)}, 'created', ${list(CREATED)}, 'qualified', ${list(QUALIFIED)},
            'toPayment', ${seconds("paid.first_at")}, 'toSettled', ${seconds("paid.last_at")}) AS sums,
          pg_snapshot_xmin(pg_current_snapshot()) >= $7::text::xid8 AS settled
     FROM ${TIMED}`,
);

/** Without days that somebody has claimed again. */
export const keepSums = statement<[...OfDays, claims: readonly string[], sums: readonly string[]]>(
  "reports.keep-sums",
  `UPDATE day_sums SET sums = counted.sums::json
     FROM unnest($2::timestamptz[], $3::timestamptz[], $5::text[]) AS counted (begins_at, ends_at, sums)
    WHERE id = ANY($4::bigint[]) AND store_id = $1
      AND day_sums.begins_at = counted.begins_at AND day_sums.ends_at = counted.ends_at`,
);
