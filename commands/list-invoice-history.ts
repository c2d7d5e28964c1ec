import type { AdditionalStatus, EventType, InvoiceStatus, PaymentMethodType } from "../domain/invoice/status";
import type { PaymentHistoryDetails } from "../entities/invoice-history";
import type { CommandContext } from "./context";
import { cursorText, parseCursor, type Page, type PageRequest } from "./page";
import { readInvoice } from "./read-invoice";

/** A line of an invoice's time line. */
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

/** Of one instant, what was decided stands before what was told of it: the letter in front of the number sees to that. */
const LINES = `
  SELECT at, 'd' || lpad(id::text, 19, '0') AS id, kind, details FROM invoice_history WHERE invoice_id = $1
  UNION ALL
  SELECT created_at, 'e' || lpad(seq::text, 19, '0'), 'event',
         jsonb_build_object('eventId', id, 'type', type, 'additionalStatus', additional_status)
    FROM invoice_events WHERE invoice_id = $1`;

type Row = HistoryLine & { id: string; micros: string };

/**
 * What happened to an invoice, newest first: its states with the reason, its payments, the events that were told, and
 * edits by hand.
 * @throws DomainError `invoice-not-found`; `validation-failed` at `/cursor`.
 */
export async function listInvoiceHistory(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<HistoryLine>> {
  await readInvoice(ctx, storeId, invoiceId);
  const before = cursor === undefined ? null : parseCursor(cursor);
  const rows = await ctx.db.query<Row[]>(
    `SELECT line.*, CAST(extract(epoch FROM at) * 1000000 AS bigint) AS micros FROM (${LINES}) AS line
      WHERE $2::bigint IS NULL
         OR (at, id) < (TIMESTAMPTZ 'epoch' + $2::bigint * INTERVAL '1 microsecond', $3)
      ORDER BY at DESC, id DESC LIMIT $4`,
    [invoiceId, before?.micros ?? null, before?.id ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? cursorText(last) : null };
}
