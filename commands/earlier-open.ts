/**
 * SQL: of the delivery `d`, an earlier one to the same webhook about the same invoice is not over yet.
 *
 * `|| ''` leaves Postgres no way to those but by their invoice, which has a handful. Where its statistics are of an hour
 * in which nothing waited, it takes the indexes of what is open, or of one webhook, for empty; and walks all of them, for
 * each delivery, in the hour in which a hundred thousand wait.
 */
export const EARLIER_IS_OPEN = `EXISTS (SELECT 1 FROM webhook_deliveries o
  WHERE o.invoice_id = d.invoice_id AND o.webhook_id || '' = d.webhook_id AND o.event_seq < d.event_seq
    AND o.state || '' IN ('pending', 'sending'))`;
