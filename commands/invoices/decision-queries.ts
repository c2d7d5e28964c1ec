import type { JsonRows } from "../../database/insert-rows";
import { rowsOf } from "../../database/read-rows";
import { statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import type { LatestEvent } from "../../domain/invoice/facts";
import type { InvoiceStatus } from "../../domain/invoice/status";
import { Invoice } from "../../entities/invoice";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";

// Locks, reads and writes of a decision, and the lock for recording a payment.

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
  "WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE",
);

/** Without those that others have locked, or that are neither due nor held any more. */
export const lockDueInvoices = rowsOf(Invoice, OF_INVOICES).statement<
  [invoiceIds: readonly string[], dueBy: Date]
>(
  "invoices.lock-due",
  `WHERE id = ANY($1::text[]) AND (${unindexed("decide_at")} <= $2::timestamptz OR ${unindexed("expiry_held")})
   ORDER BY id FOR UPDATE SKIP LOCKED`,
);

export interface PaidInvoiceRow {
  id: string;
  storeId: string;
  status: InvoiceStatus;
  createdAt: Date;
  expiresAt: Date;
  monitoringUntil: Date;
  requiredConfirmations: number;
  zeroConfMaxSats: string | null;
}

/** In the order of their ids, so that two processes never deadlock. */
export const lockPaid = statement<[ids: readonly string[]], PaidInvoiceRow>(
  "invoices.lock-paid",
  `SELECT i.id, i.store_id AS "storeId", i.status, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
          i.monitoring_until AS "monitoringUntil", i.required_confirmations AS "requiredConfirmations", s.zero_conf_max_sats AS "zeroConfMaxSats"
     FROM invoices i JOIN stores s ON s.id = i.store_id
    WHERE i.id = ANY($1) ORDER BY i.id FOR UPDATE OF i`,
  "each time",
);

const OF_THESE = "WHERE invoice_id = ANY($1::text[])";

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
     SELECT last.* FROM unnest($1::text[]) AS wanted (id)
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
    WHERE invoices.id = decided.id`,
  "each time",
);
