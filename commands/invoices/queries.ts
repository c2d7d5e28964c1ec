import type { EntityManager } from "typeorm";
import { findRows } from "../../database/find-rows";
import { statement } from "../../database/statement";
import type {
  AdditionalStatus,
  EventType,
  InvoiceStatus,
  Mark,
  PaymentMethodType,
} from "../../domain/invoice/status";
import type { DeliveryState } from "../../domain/webhook/claim";
import type { Invoice } from "../../entities/invoice";
import type { PaymentHistoryDetails } from "../../entities/invoice-history";
import { Payment } from "../../entities/payment";
import { isSetAside } from "../chain/queries";

/** Invoices per transaction of the sweep. A payment of one of them waits for its end. */
export const SWEPT_AT_ONCE = 100;
/** The writer of the time has enqueued a job for it as well. */
const GRACE_SECONDS = 3;

/** The cursor of the scan of due invoices. As text: a Date would lose the microseconds, and find the row again. */
export interface DueInvoice {
  id: string;
  decideAt: string;
}

/** In the order in which they came due, the next ones behind an invoice. */
export const readDue = statement<[now: Date, afterDecideAt: string, afterId: string], DueInvoice>(
  "invoices.read-due",
  `SELECT id, decide_at::text AS "decideAt" FROM invoices i
    WHERE decide_at <= $1::timestamptz - ${GRACE_SECONDS} * interval '1 second'
      AND (decide_at, id) > ($2::timestamptz, $3) AND NOT ${isSetAside("i.id")}
    ORDER BY decide_at, id LIMIT ${SWEPT_AT_ONCE}`,
);

/** Invoices become due, so that the sweep decides them. */
export const makeDue = statement<[invoiceIds: readonly string[], now: Date]>(
  "invoices.make-due",
  "UPDATE invoices SET decide_at = $2 WHERE id = ANY($1::text[])",
);

/** The state that was decided of each, as columns. */
export const writeDecided = statement<
  [
    ids: readonly string[],
    statuses: readonly InvoiceStatus[],
    additionalStatuses: readonly AdditionalStatus[],
    markedByHand: readonly (Mark | null)[],
    paidSats: readonly bigint[],
    confirmedSats: readonly bigint[],
    decideAt: readonly (Date | null)[],
    expiryHeld: readonly boolean[],
  ]
>(
  "invoices.write-decided",
  `UPDATE invoices
      SET status = decided.status, additional_status = decided.additional_status,
          marked_by_hand = decided.marked_by_hand, paid_sats = decided.paid_sats,
          confirmed_sats = decided.confirmed_sats, decide_at = decided.decide_at,
          expiry_held = decided.expiry_held
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[],
                 $8::boolean[])
       AS decided (id, status, additional_status, marked_by_hand, paid_sats, confirmed_sats, decide_at, expiry_held)
    WHERE invoices.id = decided.id`,
  "each time",
);

/** What recording a payment needs of an invoice. */
export interface PaidInvoiceRow {
  id: string;
  storeId: string;
  status: string;
  createdAt: Date;
  expiresAt: Date;
  requiredConfirmations: number;
  zeroConfMaxSats: string | null;
}

/** In the order of their ids, so that two processes that lock several never deadlock. */
export const lockPaid = statement<[ids: readonly string[]], PaidInvoiceRow>(
  "invoices.lock-paid",
  `SELECT i.id, i.store_id AS "storeId", i.status, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
          i.required_confirmations AS "requiredConfirmations", s.zero_conf_max_sats AS "zeroConfMaxSats"
     FROM invoices i JOIN stores s ON s.id = i.store_id
    WHERE i.id = ANY($1) ORDER BY i.id FOR UPDATE OF i`,
  "each time",
);

export type HeldInvoice = Pick<Invoice, "id" | "createdAt" | "expiresAt">;

/** Those whose expiry is held, the next ones behind an invoice. */
export const readHeld = statement<[afterId: string], HeldInvoice>(
  "invoices.read-held",
  `SELECT id, created_at AS "createdAt", expires_at AS "expiresAt" FROM invoices i
    WHERE expiry_held AND id > $1 AND NOT ${isSetAside("i.id")} ORDER BY id LIMIT ${SWEPT_AT_ONCE}`,
);

/** A row where any expiry is held. */
export const findHeld = statement<[], object>(
  "invoices.find-held",
  "SELECT 1 FROM invoices WHERE expiry_held LIMIT 1",
);

/** Those with an expiry that has been held for this long. */
export const readStoresThatWait = statement<[now: Date, seconds: number], { storeId: string }>(
  "invoices.read-stores-that-wait",
  `SELECT DISTINCT store_id AS "storeId" FROM invoices i
    WHERE expiry_held AND expires_at <= $1::timestamptz - $2::int * interval '1 second'
      AND NOT ${isSetAside("i.id")}`,
);

/** Stay locked: a sender then finds the body deleted. */
export const lockDeliveries = statement<[invoiceId: string], { state: DeliveryState }>(
  "invoices.lock-deliveries",
  `SELECT state FROM webhook_deliveries WHERE invoice_id = $1 ORDER BY id FOR NO KEY UPDATE`,
);

/** What receivers answered to its events. */
export const eraseAnswers = statement<[invoiceId: string]>(
  "invoices.erase-answers",
  `UPDATE webhook_attempts SET response_body = NULL WHERE response_body IS NOT NULL
      AND delivery_id IN (SELECT id FROM webhook_deliveries WHERE invoice_id = $1)`,
);

/** Of marks by hand. */
export const eraseNotes = statement<[invoiceId: string]>(
  "invoices.erase-notes",
  `UPDATE invoice_history SET details = details - 'note' WHERE invoice_id = $1 AND details ? 'note'`,
);

/** One that was answered, or is being answered. */
export const readKey = statement<
  [storeId: string, key: string, now: Date],
  { requestHash: Buffer; answer: Buffer | null; mac: Buffer | null }
>(
  "invoices.read-key",
  `SELECT request_hash AS "requestHash", answer, mac FROM idempotency_keys
    WHERE store_id = $1 AND key = $2 AND expires_at > $3 AND (answer IS NOT NULL OR claimed_until > $3)`,
);

/** Much longer than an invoice takes, and shorter than waiting requests wait. */
const CLAIM_SECONDS = 10;
const KEPT_HOURS = 24;

/** No row when another request has claimed or answered it meanwhile. */
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
    WHERE known.expires_at <= $5 OR (known.answer IS NULL AND known.claimed_until <= $5)
   RETURNING 1`,
);

/** Prepared, as it runs with every invoice that is asked for once. */
export const answerKey = statement<
  [storeId: string, key: string, claim: string, answer: Buffer, mac: Buffer]
>(
  "invoices.answer-key",
  "UPDATE idempotency_keys SET answer = $4, mac = $5 WHERE store_id = $1 AND key = $2 AND claim = $3 AND answer IS NULL",
);

/** An entry of an invoice's history. */
export type HistoryLine = { at: Date } & (
  | {
      kind: "status";
      details: { status: InvoiceStatus; additionalStatus: AdditionalStatus; reason: string; note?: string };
    }
  | { kind: "payment"; details: PaymentHistoryDetails }
  | { kind: "event"; details: { eventId: string; type: EventType; additionalStatus: AdditionalStatus } }
  | { kind: "activated"; details: { type: PaymentMethodType; address: string } }
  | { kind: "edited"; details: { fields: string[] } }
  | { kind: "refund-address" | "archived" | "unarchived"; details: object }
);

export type HistoryRow = HistoryLine & { id: string; micros: string };

/** At one instant, a decision sorts before its event: by the letter before the number. */
const LINES = `
  SELECT at, 'd' || lpad(id::text, 19, '0') AS id, kind, details FROM invoice_history WHERE invoice_id = $1
  UNION ALL
  SELECT created_at, 'e' || lpad(seq::text, 19, '0'), 'event',
         jsonb_build_object('eventId', id, 'type', type, 'additionalStatus', additional_status)
    FROM invoice_events WHERE invoice_id = $1`;

/** Newest first, the next ones behind a line where one is given. */
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

/** Anybody may send an invoice's address any number of outputs: an answer has no room for thousands. */
export const PAYMENTS_SHOWN = 100;

const OF_PAYMENTS = [
  "id",
  "invoiceId",
  "type",
  "amountSats",
  "state",
  "belowDust",
  "firstSeenAt",
  "confirmedAt",
  "requiredConfirmations",
  "txid",
  "vout",
  "blockHeight",
  "conflictTxid",
  "conflictHeights",
  "givenUp",
  "leftBlockAt",
  "preimage",
] as const;

/** A payment as readers of an invoice see it. */
export type ShownPayment = Pick<Payment, (typeof OF_PAYMENTS)[number]>;

/** Of each invoice those that count, the largest first, and at most so many; then by age. */
export const readPayments = (
  manager: EntityManager,
  invoiceIds: readonly string[],
): Promise<ShownPayment[]> =>
  findRows(manager, Payment, {
    select: OF_PAYMENTS,
    rest: `WHERE id IN (
        SELECT shown.id FROM unnest($1::text[]) AS wanted (invoice_id) CROSS JOIN LATERAL (
          SELECT one.id FROM payments one WHERE one.invoice_id = wanted.invoice_id
           ORDER BY one.state IN ('pending', 'confirmed') AND NOT one.below_dust DESC, one.amount_sats DESC, one.id
           LIMIT ${PAYMENTS_SHOWN}) AS shown)
      ORDER BY first_seen_at, id`,
    values: [invoiceIds],
  });

export const countPayments = statement<[invoiceIds: readonly string[]], { invoiceId: string; total: number }>(
  "invoices.count-payments",
  `SELECT invoice_id AS "invoiceId", count(*)::int AS total FROM payments
    WHERE invoice_id = ANY($1::text[]) GROUP BY invoice_id`,
);

/**
 * SQL, in a query of invoices: those of the store that `:q`, `:hash` or `:script` names. Each branch is served by an index
 * of its own, which a chain of ORs would not be.
 */
export const MATCHING = `invoice.id IN (
  SELECT :q
  UNION SELECT id FROM invoices WHERE store_id = :storeId AND order_id = :q
  UNION SELECT invoice_id FROM payments WHERE txid = :hash
  UNION SELECT invoice_id FROM payments WHERE id = :hash
  UNION SELECT invoice_id FROM bolt11s WHERE payment_hash = :hash
  UNION SELECT invoice_id FROM watched_scripts WHERE script_pub_key = :script
)`;

/**
 * SQL, in a query of invoices: what one of them weighs. Its own fields, its payment methods and, in bytes of its answer
 * each, the payments that it shows.
 */
export const BYTES = `3072 + octet_length(invoice.metadata) + 512 * (SELECT count(*) FROM (
  SELECT 1 FROM payments WHERE payments.invoice_id = invoice.id LIMIT ${PAYMENTS_SHOWN}) AS shown)`;

/** SQL, in a query of invoices: those that a query finds for each of `:statuses`, which it knows as `wanted.status`. */
export const foundByStatus = (query: string): string =>
  `invoice.id IN (SELECT one.id FROM (SELECT DISTINCT unnest(CAST(:statuses AS text[])) AS status) AS wanted
    CROSS JOIN LATERAL (${query}) AS one)`;
