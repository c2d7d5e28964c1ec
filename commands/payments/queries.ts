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

export interface SumRow {
  currency: string;
  onchain: string;
  lightning: string;
  refunded: string;
  payments: number;
  refunds: number;
  /** Each line is rounded, so that this is their sum; 0 without a rate. */
  fiatReceived: string;
  fiatRefunded: string;
}

const sum = (value: string, where: string): string =>
  `coalesce(sum(${value}) FILTER (WHERE ${where}), 0)::text`;

/** By the invoices' currency. `digits`: JSON, each currency's. */
export const sumLedger = statement<[storeId: string, since: Date, until: Date, digits: string], SumRow>(
  "payments.sum-ledger",
  `SELECT i.currency, ${sum("sats", "kind = 'BTC-CHAIN'")} AS onchain, ${sum("sats", "kind = 'BTC-LN'")} AS lightning,
          ${sum("sats", "kind = 'refund'")} AS refunded,
          (count(*) FILTER (WHERE kind <> 'refund'))::int AS payments,
          (count(*) FILTER (WHERE kind = 'refund'))::int AS refunds,
          ${sum("fiat", "kind <> 'refund'")} AS "fiatReceived", ${sum("fiat", "kind = 'refund'")} AS "fiatRefunded"
     FROM (SELECT p.type AS kind, p.amount_sats AS sats, p.invoice_id
             FROM ${PAYMENTS} AND NOT p.below_dust AND p.confirmed_at >= $2 AND p.confirmed_at < $3
           UNION ALL
           SELECT 'refund', r.refund_sats, r.invoice_id
             FROM ${REFUNDS} AND r.resolved_at >= $2 AND r.resolved_at < $3) AS line
     JOIN invoices i ON i.id = line.invoice_id
    CROSS JOIN LATERAL (SELECT CASE WHEN i.rate IS NOT NULL THEN
            round(line.sats * (i.rate ->> 'value')::numeric * 0.00000001, coalesce(($4::jsonb ->> i.currency)::int, 2))
          END AS fiat) AS priced
    GROUP BY i.currency ORDER BY i.currency`,
  "each time",
);
