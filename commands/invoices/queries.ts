import { statement, rowsOf } from "../../database/statement";
import type {
  AdditionalStatus,
  EventType,
  InvoiceStatus,
  PaymentMethodType,
} from "../../domain/invoice/status";
import type { Invoice } from "../../entities/invoice";
import type { HistoryKind, PaymentHistoryDetails } from "../../entities/invoice-history";
import { Payment, whereCounted } from "../../entities/payment";
import { isUnfinished } from "../../entities/webhook-delivery";

/** A payment to one of them waits for the transaction's end. */
export const SWEPT_AT_ONCE = 100;
/** Whoever made it due has enqueued a job as well, which comes first. */
const GRACE_SECONDS = 3;

/** The scan's cursor. As text: a Date would lose the microseconds and find the row again. */
export interface DueInvoice {
  id: string;
  decideAt: string;
}

export const readDue = statement<[now: Date, afterDecideAt: string, afterId: string], DueInvoice>(
  "invoices.read-due",
  `SELECT id, decide_at::text AS "decideAt" FROM invoices i
    WHERE decide_at <= $1::timestamptz - ${GRACE_SECONDS} * interval '1 second'
      AND (decide_at, id) > ($2::timestamptz, $3)
    ORDER BY decide_at, id LIMIT ${SWEPT_AT_ONCE}`,
);

export const markDue = statement<[invoiceIds: readonly string[], now: Date]>(
  "invoices.mark-due",
  "UPDATE invoices SET decide_at = $2 WHERE id = ANY($1::text[])",
);

export type HeldInvoice = Pick<Invoice, "id" | "status" | "createdAt" | "expiresAt">;

export const readHeld = statement<[afterId: string], HeldInvoice>(
  "invoices.read-held",
  `SELECT id, status, created_at AS "createdAt", expires_at AS "expiresAt" FROM invoices i
    WHERE expiry_held AND id > $1 ORDER BY id LIMIT ${SWEPT_AT_ONCE}`,
);

/** `longer`: not only until the next check, as a loss after the time was up may be. A Settled invoice has no expiry. */
export const readStoresThatWait = statement<
  [now: Date, seconds: number],
  { storeId: string; longer: boolean }
>(
  "invoices.read-stores-that-wait",
  `SELECT store_id AS "storeId",
          bool_or(status = 'New') OR NOT EXISTS (SELECT FROM payment_method_syncs
             WHERE type = 'BTC-CHAIN' AND loss_at IS NOT NULL
               AND caught_up_to > $1::timestamptz - $2::int * interval '1 second') AS longer
     FROM invoices i
    WHERE expiry_held AND expires_at <= $1::timestamptz - $2::int * interval '1 second'
      AND status IN ('New', 'Processing')
    GROUP BY store_id`,
);

export const lockDeliveries = statement<[invoiceId: string], { unfinished: boolean }>(
  "invoices.lock-deliveries",
  `SELECT ${isUnfinished("d")} AS unfinished
     FROM webhook_deliveries d WHERE d.invoice_id = $1 ORDER BY d.id FOR NO KEY UPDATE`,
);

export const eraseAnswers = statement<[invoiceId: string]>(
  "invoices.erase-answers",
  `UPDATE webhook_attempts SET response_body = NULL WHERE response_body IS NOT NULL
      AND delivery_id IN (SELECT id FROM webhook_deliveries WHERE invoice_id = $1)`,
);

export const eraseNotes = statement<[invoiceId: string]>(
  "invoices.erase-notes",
  `UPDATE invoice_history SET details = details - 'note' WHERE invoice_id = $1 AND details ? 'note'`,
);

/** Marks are rows 13 and 14 of the state table. */
export const countChangesByHand = statement<[invoiceId: string], { marks: number; edits: number }>(
  "invoices.count-changes-by-hand",
  `SELECT count(*) FILTER (WHERE kind = 'status' AND details ->> 'row' IN ('13', '14'))::int AS marks,
          count(*) FILTER (WHERE kind IN ('edited', 'archived', 'unarchived'))::int AS edits
     FROM invoice_history WHERE invoice_id = $1`,
);

/** Longer than a creation takes, shorter than a waiting request waits. */
const CLAIM_SECONDS = 10;

/** SQL. A claim that ends much later than a new one was made before the clock was set back. */
const isClaimed = (now: string, key = ""): string =>
  `${key}claimed_until > ${now}::timestamptz
   AND ${key}claimed_until < ${now}::timestamptz + 2 * interval '${CLAIM_SECONDS} seconds'`;

export const readKey = statement<
  [storeId: string, key: string, now: Date],
  { requestHash: Buffer; answer: Buffer | null; mac: Buffer | null }
>(
  "invoices.read-key",
  `SELECT request_hash AS "requestHash", answer, mac FROM idempotency_keys
    WHERE store_id = $1 AND key = $2 AND expires_at > $3 AND (answer IS NOT NULL OR (${isClaimed("$3")}))`,
);

const KEPT_HOURS = 24;

/** No row: another request has claimed or answered it meanwhile. */
export const claimKey = statement<
  [storeId: string, key: string, requestHash: Buffer, claim: string, now: Date],
  object
>(
  "invoices.claim-key",
  `INSERT INTO idempotency_keys AS known (store_id, key, request_hash, claim, claimed_until, expires_at)
   VALUES ($1, $2, $3, $4, $5::timestamptz + interval '${CLAIM_SECONDS} seconds', $5::timestamptz + interval '${KEPT_HOURS} hours')
   ON CONFLICT (store_id, key) DO UPDATE
      SET request_hash = excluded.request_hash, claim = excluded.claim, claimed_until = excluded.claimed_until,
          expires_at = excluded.expires_at, answer = NULL
    WHERE known.expires_at <= $5 OR (known.answer IS NULL AND NOT (${isClaimed("$5", "known.")}))
   RETURNING 1`,
);

/** Prepared: it runs for every invoice with an idempotency key. */
export const answerKey = statement<
  [storeId: string, key: string, claim: string, answer: Buffer, mac: Buffer]
>(
  "invoices.answer-key",
  "UPDATE idempotency_keys SET answer = $4, mac = $5 WHERE store_id = $1 AND key = $2 AND claim = $3 AND answer IS NULL",
);

export type HistoryLine = { at: Date } & (
  | {
      kind: "status";
      details: { status: InvoiceStatus; additionalStatus: AdditionalStatus; reason: string; note?: string };
    }
  | { kind: "payment"; details: PaymentHistoryDetails }
  | { kind: "event"; details: { eventId: string; type: EventType; additionalStatus: AdditionalStatus } }
  | { kind: "activated"; details: { type: PaymentMethodType; address: string } }
  | { kind: "edited"; details: { fields: string[] } }
  | { kind: Exclude<HistoryKind, "status" | "payment" | "activated" | "edited">; details: object }
);

export type HistoryRow = HistoryLine & { id: string; micros: string };

/** At the same time a decision sorts before its event: by the letter, then by the number. */
const LINES = `
  SELECT at, 'd' || lpad(id::text, 19, '0') AS id, kind, details FROM invoice_history WHERE invoice_id = $1
  UNION ALL
  SELECT created_at, 'e' || lpad(seq::text, 19, '0'), 'event',
         jsonb_build_object('eventId', id, 'type', type, 'additionalStatus', additional_status)
    FROM invoice_events WHERE invoice_id = $1`;

export const readHistory = statement<
  [invoiceId: string, beforeMicros: string | null, beforeId: string | null, limit: number],
  HistoryRow
>(
  "invoices.read-history",
  `SELECT line.*, CAST(extract(epoch FROM at) * 1000000 AS bigint) AS micros FROM (${LINES}) AS line
    WHERE $2::bigint IS NULL
       OR (at, id) < (TIMESTAMPTZ 'epoch' + $2::bigint * INTERVAL '1 microsecond', $3)
    ORDER BY at DESC, id DESC LIMIT $4`,
);

/** Anybody may send any number of outputs to an address: an answer cannot show thousands. */
export const PAYMENTS_SHOWN = 100;

/** The payments that count, the largest first, up to a limit; then sorted by age. */
export const readPayments = rowsOf(Payment).statement<[invoiceIds: readonly string[]]>(
  "invoices.read-payments",
  `WHERE id IN (
     SELECT shown.id FROM unnest($1::text[]) AS wanted (invoice_id) CROSS JOIN LATERAL (
       SELECT one.id FROM payments one WHERE one.invoice_id = wanted.invoice_id
        ORDER BY ${whereCounted("one")} DESC, one.amount_sats DESC, one.id
        LIMIT ${PAYMENTS_SHOWN}) AS shown)
   ORDER BY first_seen_at, id`,
);

export const countPayments = statement<[invoiceIds: readonly string[]], { invoiceId: string; total: number }>(
  "invoices.count-payments",
  `SELECT invoice_id AS "invoiceId", count(*)::int AS total FROM payments
    WHERE invoice_id = ANY($1::text[]) GROUP BY invoice_id`,
);

/**
 * SQL: match `:q`, `:id`, `:hash` or `:script`. Each branch uses an index of its own; a chain of ORs would use none.
 */
export const MATCHING = `invoice.id IN (
  SELECT :id
  UNION SELECT id FROM invoices WHERE store_id = :storeId AND order_id = :q
  UNION SELECT invoice_id FROM payments WHERE txid = :hash
  UNION SELECT invoice_id FROM payments WHERE id = :hash
  UNION SELECT invoice_id FROM bolt11s WHERE payment_hash = :hash
  UNION SELECT invoice_id FROM watched_scripts WHERE script_pub_key = :script
)`;

/** SQL: the index `invoices_search` has the same expression (database/migrations/1795841869081-search-invoices.ts). */
export const SEARCHED = `lower(' ' || invoice.order_id || ' ' || coalesce(invoice.description, '') || ' '
  || trim_scale(invoice.amount::numeric)::text || ' ' || invoice.currency || ' ')`;

/** SQL: an invoice's bytes in an answer: its own fields, its payment methods, and the payments that are shown. */
export const BYTES = `3072 + octet_length(invoice.metadata) + 512 * (SELECT count(*) FROM (
  SELECT 1 FROM payments WHERE payments.invoice_id = invoice.id LIMIT ${PAYMENTS_SHOWN}) AS shown)`;

/** SQL: found by a subquery for each of `:statuses`, which it refers to as `wanted.status`. */
export const foundByStatus = (query: string): string =>
  `invoice.id IN (SELECT one.id FROM (SELECT DISTINCT unnest(CAST(:statuses AS text[])) AS status) AS wanted
    CROSS JOIN LATERAL (${query}) AS one)`;

export const SETTLED_LATE =
  "(invoice.status <> 'Settled' OR invoice.additional_status = 'PaidAfterExpiration')";

export const NOT_SETTLED_LATE = "invoice.additional_status <> 'PaidAfterExpiration'";
