import type { CommandContext } from "../context";
import { cursorText, parseCursor, type Page, type PageRequest } from "../../database/pagination";
import type { ShownMethod } from "../wallets/read-destinations";
import { type HistoryLine, type HistoryRow, readHistory } from "./queries";
import { readInvoice } from "./read-invoice";

export type { HistoryLine } from "./queries";

/**
 * Newest first: states with the reason, payments, events, and edits by hand.
 * @throws DomainError `invoice-not-found`; `validation-failed` at `/cursor`.
 */
export async function listInvoiceHistory(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<HistoryLine>> {
  const { methods } = await readInvoice(ctx, storeId, invoiceId);
  const before = cursor === undefined ? null : parseCursor(cursor);
  const { rows } = await readHistory(
    ctx.db.manager,
    invoiceId,
    before?.micros ?? null,
    before?.id ?? null,
    limit + 1,
  );
  const items = rows.slice(0, limit).map((row) => withAuthenticAddress(row, methods));
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? cursorText(last) : null };
}

/** The history does not store whether it is authentic. */
function withAuthenticAddress(row: HistoryRow, methods: readonly ShownMethod[]): HistoryRow {
  if (row.kind !== "activated") return row;
  const { type } = row.details;
  const address = methods.find((method) => method.type === type)?.destination ?? "not-authentic";
  return { ...row, details: { type, address } };
}
