import { statement } from "../../database/statement";

/** A store sends so many; later ones wait. Owners of stores on a shared server can pay themselves. */
export const RECEIPTS_A_DAY = 1_000;
const AT_ONCE = 200;
/** After the monitoring of an invoice that was not paid. */
const KEPT_UNPAID = "interval '1 day'";
/** Since the invoice was settled, or the receipt asked for: so long may the mail server be away. */
const KEPT_SETTLED = "interval '8 days'";

export interface DueReceipt {
  invoiceId: string;
  email: string;
  language: string;
  tries: number;
}

/** Few wait, so that each invoice is looked up by its key. One that was only marked goes behind by its claim. */
export const findDueReceipts = statement<[now: Date], DueReceipt>(
  "mails.find-due-receipts",
  `WITH full_stores AS (
     SELECT store_id FROM receipt_mails WHERE sent_at > $1::timestamptz - interval '1 day'
      GROUP BY store_id HAVING count(*) >= ${RECEIPTS_A_DAY})
   SELECT receipt.invoice_id AS "invoiceId", receipt.email, receipt.language, receipt.tries
     FROM receipt_mails receipt
    CROSS JOIN LATERAL (SELECT FROM invoices invoice
                          JOIN stores store ON store.id = invoice.store_id AND store.receipts_by_mail
                         WHERE invoice.id = receipt.invoice_id AND invoice.status = 'Settled' OFFSET 0) AS settled
    WHERE receipt.email IS NOT NULL
      AND (receipt.mailed_at IS NULL OR receipt.mailed_at <= $1::timestamptz
             - least(receipt.tries * interval '5 minutes', interval '1 hour'))
      AND receipt.store_id NOT IN (SELECT store_id FROM full_stores)
    ORDER BY receipt.mailed_at NULLS FIRST, receipt.invoice_id LIMIT ${AT_ONCE}`,
);

/** No row: another process sends it, or the address was corrected. */
export const claimReceipt = statement<[invoiceId: string, email: string, tries: number, now: Date]>(
  "mails.claim-receipt",
  `UPDATE receipt_mails SET tries = tries + 1, mailed_at = $4
    WHERE invoice_id = $1 AND email = $2 AND tries = $3`,
);

/** Null: given up. An address that was corrected meanwhile gets a mail of its own. */
export const endReceipt = statement<[invoiceId: string, email: string, sentAt: Date | null]>(
  "mails.end-receipt",
  "UPDATE receipt_mails SET email = NULL, sent_at = $3 WHERE invoice_id = $1 AND email = $2",
);

const PRUNED_AT_ONCE = 1_000;

/** Addresses of no more use, also those of a store that sends no receipts any more. */
export const PRUNE_RECEIPTS = statement<[now: Date]>(
  "mails.prune-receipts",
  `UPDATE receipt_mails SET email = NULL WHERE invoice_id IN (
     SELECT receipt.invoice_id FROM receipt_mails receipt
      CROSS JOIN LATERAL (
        SELECT FROM invoices invoice JOIN stores store ON store.id = invoice.store_id
         WHERE invoice.id = receipt.invoice_id AND (
                 NOT store.receipts_by_mail
              OR invoice.status IN ('Expired', 'Invalid')
                 AND invoice.monitoring_until < $1::timestamptz - ${KEPT_UNPAID}
              OR invoice.status = 'Settled'
                 AND (SELECT max(at) FROM invoice_history
                       WHERE invoice_id = invoice.id AND kind IN ('status', 'receipt-asked'))
                     < $1::timestamptz - ${KEPT_SETTLED})
        OFFSET 0) AS over
      WHERE receipt.email IS NOT NULL LIMIT ${PRUNED_AT_ONCE})`,
);
