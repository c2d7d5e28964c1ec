import { statement } from "../../database/statement";
import type { PaymentMethodType } from "../../domain/invoice/status";
import type { InvoiceRate } from "../../entities/invoice";

const PAYMENTS = `payments p WHERE p.store_id = $1 AND p.state = 'confirmed'`;
const REFUNDS = `reviews r WHERE r.store_id = $1 AND r.refund_sats IS NOT NULL`;

/** `payment-gone`: a refund after which its invoice lost a payment, so that less has come now than when it was recorded. */
export const LEDGER_REASONS = ["below-dust", "before-invoice", "payment-gone"] as const;
export type LedgerReason = (typeof LEDGER_REASONS)[number];

export interface LedgerRow {
  id: string;
  micros: string;
  kind: "payment" | "refund";
  at: Date;
  invoiceId: string;
  orderId: string;
  type: PaymentMethodType;
  reference: string;
  /** Negative for a refund. */
  sats: string;
  reason: LedgerReason | null;
  currency: string;
  rate: InvoiceRate | null;
}

const AFTER = "(TIMESTAMPTZ 'epoch' + $2::bigint * INTERVAL '1 microsecond', $3)";

/** Oldest first. A branch each, for its index; an invoice is read for each line that is returned. */
export const readLedger = statement<
  [storeId: string, afterMicros: string, afterId: string, until: Date, limit: number],
  LedgerRow
>(
  "payments.read-ledger",
  `SELECT line.id, CAST(extract(epoch FROM line.at) * 1000000 AS bigint)::text AS micros, line.kind, line.at,
          i.id AS "invoiceId", i.order_id AS "orderId", line.type, line.reference, line.sats::text,
          CASE WHEN i.paid_sats < line.received_sats THEN 'payment-gone' WHEN NOT line.never_counts THEN NULL
               WHEN line.first_seen_at < i.created_at THEN 'before-invoice' ELSE 'below-dust' END AS reason,
          i.currency, i.rate
     FROM ((SELECT p.confirmed_at AS at, p.id, 'payment' AS kind, p.type, p.id AS reference,
                   p.amount_sats AS sats, p.below_dust AS never_counts, p.first_seen_at, 0::bigint AS received_sats,
                   p.invoice_id
              FROM ${PAYMENTS} AND (p.confirmed_at, p.id) > ${AFTER} AND p.confirmed_at < $4
             ORDER BY p.confirmed_at, p.id LIMIT $5)
           UNION ALL
           (SELECT r.resolved_at, r.id, 'refund', r.refund_type, r.refund_reference,
                   -r.refund_sats, false, r.resolved_at, r.received_sats, r.invoice_id
              FROM ${REFUNDS} AND (r.resolved_at, r.id) > ${AFTER} AND r.resolved_at < $4
             ORDER BY r.resolved_at, r.id LIMIT $5)) AS line
     JOIN invoices i ON i.id = line.invoice_id
    ORDER BY line.at, line.id LIMIT $5`,
);
