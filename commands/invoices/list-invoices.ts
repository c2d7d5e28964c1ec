import type { SelectQueryBuilder } from "typeorm";
import { scriptOfAddress } from "../../domain/wallet/address";
import type { AdditionalStatus, InvoiceStatus } from "../../domain/invoice/status";
import { Invoice } from "../../entities/invoice";
import type { CommandContext } from "../context";
import { pageOf, readPageOfLarge, type Page, type PageRequest } from "../../database/pagination";
import { BYTES, foundByStatus, MATCHING } from "./queries";
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

/** A store's invoices, newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listInvoices(
  ctx: CommandContext,
  storeId: string,
  filter: InvoiceFilter,
  page: PageRequest,
): Promise<Page<InvoiceView>> {
  const query = queryOf(ctx, storeId, filter);
  const several = filter.status !== undefined && filter.status.length !== 1;
  const { items, nextCursor } = await readPageOfLarge(several ? ofEachStatus(query, page) : query, page, {
    entity: Invoice,
    bytes: BYTES,
  });
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
 * Reads a page's rows of each status separately, and takes the youngest of all: the index has each status in the
 * page's order, but not several of them. With the statuses in one condition Postgres scans all the invoices between
 * two rare ones.
 */
function ofEachStatus(query: SelectQueryBuilder<Invoice>, page: PageRequest): SelectQueryBuilder<Invoice> {
  const ofOne = pageOf(query.clone().select("invoice.id", "id"), page);
  return query.connection
    .createQueryBuilder(Invoice, "invoice")
    .where(foundByStatus(ofOne.getQuery()))
    .setParameters(ofOne.getParameters());
}

const BATCH = 200;
const BATCH_MAX_BYTES = 512 * 1024;
/** Small, so that a download begins at once. */
const FIRST_BATCH = 20;

/**
 * All invoices that match, newest first, batch by batch: never more than one in memory. Each batch is read on demand,
 * so a long export shows later ones as they are then; invoices that are created meanwhile are not in it.
 */
export async function* exportInvoices(
  ctx: CommandContext,
  storeId: string,
  filter: InvoiceFilter,
): AsyncGenerator<InvoiceView[], void, undefined> {
  let cursor: string | undefined;
  do {
    const page = {
      limit: cursor === undefined ? FIRST_BATCH : BATCH,
      maxBytes: BATCH_MAX_BYTES,
      cursor,
    };
    const { items, nextCursor } = await listInvoices(ctx, storeId, filter, page);
    yield items;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}
