import type { SelectQueryBuilder } from "typeorm";
import { scriptOfAddress } from "../domain/chain/address";
import type { AdditionalStatus, InvoiceStatus } from "../domain/invoice/status";
import { Invoice } from "../entities/invoice";
import type { CommandContext } from "./context";
import { pageOf, readPage, type Page, type PageRequest } from "./page";
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
  const query = queryOf(ctx, storeId, filter);
  const several = filter.status !== undefined && filter.status.length !== 1;
  const { items, nextCursor } = await readPage(several ? ofEachStatus(query, page) : query, page);
  return { items: await readInvoices(ctx, items), nextCursor };
}

function queryOf(ctx: CommandContext, storeId: string, filter: InvoiceFilter): SelectQueryBuilder<Invoice> {
  const { status, additionalStatus, orderId, createdFrom, createdTo, q } = filter;
  const query = ctx.db
    .createQueryBuilder(Invoice, "invoice")
    .where("invoice.storeId = :storeId", { storeId })
    .andWhere(`invoice.archivedAt IS ${filter.archived ? "NOT NULL" : "NULL"}`);
  if (status?.length === 1) query.andWhere("invoice.status = :status", { status: status[0] });
  else if (status !== undefined)
    query.andWhere("invoice.status = wanted.status").setParameter("statuses", status);
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
  return query;
}

/**
 * A page's rows of each status by itself, of which the page is the youngest: the index has each status in the page's
 * order, but not several of them. With the statuses in one condition Postgres walks all the invoices between two rare
 * ones.
 */
function ofEachStatus(query: SelectQueryBuilder<Invoice>, page: PageRequest): SelectQueryBuilder<Invoice> {
  const ofOne = pageOf(query.clone().select("invoice.id", "id"), page);
  return query.connection
    .createQueryBuilder(Invoice, "invoice")
    .where(
      `invoice.id IN (SELECT one.id FROM (SELECT DISTINCT unnest(CAST(:statuses AS text[])) AS status) AS wanted
        CROSS JOIN LATERAL (${ofOne.getQuery()}) AS one)`,
    )
    .setParameters(ofOne.getParameters());
}
