import { scriptOfAddress } from "../domain/chain/address";
import type { AdditionalStatus, InvoiceStatus } from "../domain/invoice/status";
import { Invoice } from "../entities/invoice";
import type { CommandContext } from "./context";
import { readPage, type Page, type PageRequest } from "./page";
import { readInvoices, type InvoiceView } from "./read-invoice";

export interface InvoiceFilter {
  /** Any of these. */
  status?: readonly InvoiceStatus[] | undefined;
  additionalStatus?: readonly AdditionalStatus[] | undefined;
  orderId?: string | undefined;
  /** RFC 3339, inclusive. */
  createdFrom?: string | undefined;
  /** RFC 3339, exclusive. */
  createdTo?: string | undefined;
  /** Exactly an order id, invoice id, address, txid or payment hash. */
  q?: string | undefined;
  archived: boolean;
}

/** Each branch is served by an index of its own, which a chain of ORs would not be. */
const MATCHING = `invoice.id IN (
  SELECT :q
  UNION SELECT id FROM invoices WHERE store_id = :storeId AND order_id = :q
  UNION SELECT invoice_id FROM payments WHERE txid = :hash
  UNION SELECT invoice_id FROM payments WHERE id = :hash
  UNION SELECT invoice_id FROM bolt11s WHERE payment_hash = :hash
  UNION SELECT invoice_id FROM watched_scripts WHERE script_pub_key = :script
)`;

/** A store's invoices, newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listInvoices(
  ctx: CommandContext,
  storeId: string,
  filter: InvoiceFilter,
  page: PageRequest,
): Promise<Page<InvoiceView>> {
  const { status, additionalStatus, orderId, createdFrom, createdTo, q } = filter;
  const query = ctx.db
    .createQueryBuilder(Invoice, "invoice")
    .where("invoice.storeId = :storeId", { storeId })
    .andWhere(`invoice.archivedAt IS ${filter.archived ? "NOT NULL" : "NULL"}`);
  if (status !== undefined) query.andWhere("invoice.status = ANY(:status)", { status });
  if (additionalStatus !== undefined)
    query.andWhere("invoice.additionalStatus = ANY(:additionalStatus)", { additionalStatus });
  if (orderId !== undefined) query.andWhere("invoice.orderId = :orderId", { orderId });
  // Times stay text: Postgres reads their microseconds, which a Date would cut.
  if (createdFrom !== undefined)
    query.andWhere("invoice.createdAt >= CAST(:createdFrom AS timestamptz)", { createdFrom });
  if (createdTo !== undefined)
    query.andWhere("invoice.createdAt < CAST(:createdTo AS timestamptz)", { createdTo });
  if (q !== undefined) {
    const script = scriptOfAddress(q, ctx.settings.network);
    query.andWhere(MATCHING, { q, hash: q.toLowerCase(), script });
  }
  const { items, nextCursor } = await readPage(query, page);
  return { items: await readInvoices(ctx, items), nextCursor };
}
