import type { JsonRows } from "../../database/insert-rows";
import { statement } from "../../database/statement";
import type { ReviewReason } from "../../domain/invoice/review";
import type { Review } from "../../entities/review";

export type AskedReview = Pick<
  Review,
  "id" | "storeId" | "invoiceId" | "receivedSats" | "lastPaidAt" | "createdAt"
> & { reason: ReviewReason | null };

/** Without a reason an open one is over: a mark by hand decided it, or the money is gone. */
export const writeAsked = statement<[asked: JsonRows<AskedReview>]>(
  "reviews.write-asked",
  `WITH asked AS (
     SELECT * FROM json_to_recordset($1)
       AS one (id text, "storeId" text, "invoiceId" text, reason text, "receivedSats" bigint,
               "lastPaidAt" timestamptz, "createdAt" timestamptz)),
   over AS (
     DELETE FROM reviews WHERE resolved_at IS NULL
        AND invoice_id IN (SELECT "invoiceId" FROM asked WHERE reason IS NULL))
   INSERT INTO reviews (id, store_id, invoice_id, reason, received_sats, last_paid_at, created_at)
   SELECT id, "storeId", "invoiceId", reason, "receivedSats", "lastPaidAt", "createdAt" FROM asked
    WHERE reason IS NOT NULL AND NOT EXISTS (
      SELECT FROM reviews known WHERE known.invoice_id = asked."invoiceId" AND known.resolved_at IS NOT NULL
         AND known.received_sats >= asked."receivedSats" AND known.last_paid_at >= asked."lastPaidAt")
   ON CONFLICT (invoice_id) WHERE resolved_at IS NULL DO UPDATE
      SET reason = excluded.reason, received_sats = excluded.received_sats, last_paid_at = excluded.last_paid_at`,
  "each time",
);

export const COUNTED_MAX = 1_000;

/** COUNTED_MAX: that many or more. */
export const countOpen = statement<[storeId: string], { count: number }>(
  "reviews.count-open",
  `SELECT count(*)::int AS count FROM (
     SELECT FROM reviews WHERE store_id = $1 AND resolved_at IS NULL LIMIT ${COUNTED_MAX}) AS open`,
);

export const sumRefunds = statement<[invoiceId: string], { sats: string }>(
  "reviews.sum-refunds",
  "SELECT coalesce(sum(refund_sats), 0)::text AS sats FROM reviews WHERE invoice_id = $1",
);

export interface RecordedRefund {
  orderId: string;
  refundAddress: string | null;
  sats: string;
}

export const readRefundsBy = statement<[storeId: string, type: string, reference: string], RecordedRefund>(
  "reviews.read-refunds-by",
  `SELECT i.order_id AS "orderId", i.refund_address AS "refundAddress", r.refund_sats::text AS sats
     FROM reviews r JOIN invoices i ON i.id = r.invoice_id
    WHERE r.store_id = $1 AND r.refund_type = $2 AND r.refund_reference = $3
    ORDER BY r.resolved_at`,
);
