import type { JsonRows } from "../../database/insert-rows";
import { elementsOf, keysOf, statement, rowsOf } from "../../database/statement";
import type { LatestEvent } from "../../domain/invoice/facts";
import { unindexed } from "../../database/unindexed";
import { Invoice } from "../../entities/invoice";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";

// Reads and writes of a decision.

const OF_INVOICES = [
  "id",
  "storeId",
  "status",
  "additionalStatus",
  "markedByHand",
  "dueSats",
  "minDueSats",
  "paidSats",
  "confirmedSats",
  "metadata",
  "createdAt",
  "expiresAt",
  "monitoringUntil",
  "archivedAt",
  "decideAt",
  "expiryHeld",
] as const;

export type LockedInvoice = Pick<Invoice, (typeof OF_INVOICES)[number]>;

/** Ordered by id, like every lock of several. Unknown ones are left out. */
export const lockInvoices = rowsOf(Invoice, OF_INVOICES).statement<[invoiceIds: readonly string[]]>(
  "invoices.lock",
  `WHERE id = ANY(${elementsOf("$1::text[]")}) ORDER BY id FOR UPDATE`,
);

/** None if there is no such BOLT11 of the node. */
export const lockInvoiceOf = rowsOf(Invoice, ["id", "storeId", "createdAt", "expiresAt"]).statement<
  [paymentHash: string, nodeId: string]
>(
  "invoices.lock-of-bolt11",
  "WHERE id = (SELECT invoice_id FROM bolt11s WHERE payment_hash = $1 AND node_id = $2) FOR UPDATE",
);

/** Without those that others have locked, or that are neither due nor held any more. */
export const lockDueInvoices = rowsOf(Invoice, OF_INVOICES).statement<
  [invoiceIds: readonly string[], dueBy: Date]
>(
  "invoices.lock-due",
  `WHERE id = ANY($1::text[]) AND (${unindexed("decide_at")} <= $2::timestamptz OR ${unindexed("expiry_held")})
   ORDER BY id FOR UPDATE SKIP LOCKED`,
);

const OF_THESE = `WHERE invoice_id = ANY(${elementsOf("$1::text[]")})`;

export const readPaymentsToDecide = rowsOf(Payment).statement<[invoiceIds: readonly string[]]>(
  "invoices.read-payments-to-decide",
  OF_THESE,
);

/** SQL: the last event that matches, by `invoice_events_once`. */
const lastEvent = (where: string): string =>
  `SELECT invoice_id, type, additional_status, round FROM invoice_events WHERE ${where}
    ORDER BY type DESC, additional_status DESC, round DESC LIMIT 1`;

/** The highest round for each type and status: a step through the index each, since marks by hand may be any number. */
export const readLatestEvents = statement<
  [invoiceIds: readonly string[]],
  LatestEvent & { invoiceId: string }
>(
  "invoices.read-latest-events",
  `WITH RECURSIVE latest AS (
     SELECT last.* FROM unnest(${elementsOf("$1::text[]")}) AS wanted (id)
      CROSS JOIN LATERAL (${lastEvent("invoice_id = wanted.id")}) AS last
     UNION ALL
     SELECT last.* FROM latest CROSS JOIN LATERAL (${lastEvent(
       `invoice_id = latest.invoice_id
        AND (type, additional_status) < (latest.type, latest.additional_status)`,
     )}) AS last)
   SELECT invoice_id AS "invoiceId", type, additional_status AS "additionalStatus", round FROM latest`,
);

const OF_METHODS = ["invoiceId", "type", "destination", "mac", "available", "reason"] as const;

export const readMethods = rowsOf(InvoicePaymentMethod, OF_METHODS).statement<
  [invoiceIds: readonly string[]]
>("invoices.read-methods", OF_THESE);

export type DecidedState = Pick<
  Invoice,
  | "id"
  | "status"
  | "additionalStatus"
  | "markedByHand"
  | "paidSats"
  | "confirmedSats"
  | "decideAt"
  | "expiryHeld"
>;

export const writeDecided = statement<[decided: JsonRows<DecidedState>]>(
  "invoices.write-decided",
  `UPDATE invoices
      SET status = decided.status, additional_status = decided."additionalStatus",
          marked_by_hand = decided."markedByHand", paid_sats = decided."paidSats",
          confirmed_sats = decided."confirmedSats", decide_at = decided."decideAt", expiry_held = decided."expiryHeld"
     FROM json_to_recordset($1)
       AS decided (id text, status text, "additionalStatus" text, "markedByHand" text, "paidSats" bigint,
                   "confirmedSats" bigint, "decideAt" timestamptz, "expiryHeld" boolean)
    WHERE invoices.id = decided.id AND invoices.id = ANY(${keysOf("$1", "id")})`,
);

/** Longer than a restart of a watcher takes, shorter than anything that makes a payment vanish. */
export const BLIND_AFTER_SECONDS = 60;

export interface StandingRow {
  caughtUpTo: Date | null;
  watchStartedAt: Date | null;
  lossAt: Date | null;
  paidBySetAside: string[] | null;
  gaps: { beganAt: string; endedAt: string | null }[] | null;
}

const A_START_AGO = `clock_timestamp() - ${BLIND_AFTER_SECONDS} * interval '1 second'`;

/**
 * chain-watch starts now where all has been silent so long: the service is starting, and another process may decide
 * an expiry before chain-watch has recorded its start.
 */
export const readStanding = statement<[], StandingRow>(
  "invoices.read-chain-standing",
  `SELECT sync.caught_up_to AS "caughtUpTo",
          CASE WHEN sync.watch_beat_at < ${A_START_AGO}
                    AND NOT EXISTS (SELECT FROM heartbeats WHERE started_at < ${A_START_AGO} AND beat_at > ${A_START_AGO})
               THEN clock_timestamp() ELSE sync.watch_started_at END AS "watchStartedAt",
          sync.loss_at AS "lossAt",
          (SELECT array_agg(paid) FROM set_aside, unnest(invoice_ids) AS paid) AS "paidBySetAside",
          (SELECT json_agg(json_build_object('beganAt', began_at, 'endedAt', ended_at))
             FROM chain_gaps WHERE closed_at IS NULL) AS gaps
     FROM (SELECT 1) one LEFT JOIN payment_method_syncs sync ON sync.type = 'BTC-CHAIN'`,
);
