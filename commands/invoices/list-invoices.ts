import type { SelectQueryBuilder } from "typeorm";
import { nativeId } from "../../domain/greenfield/id-text";
import { scriptOfAddress } from "../../domain/wallet/address";
import { isReference, searchPatterns } from "../../domain/invoice/search";
import type { AdditionalStatus, InvoiceStatus } from "../../domain/invoice/status";
import { Invoice } from "../../entities/invoice";
import type { CommandContext } from "../context";
import { pageOf, readPageOfLarge, type Page, type PageRequest } from "../../database/pagination";
import { readTimeSpan } from "../../database/rows";
import { BYTES, foundByStatus, MATCHING, NOT_SETTLED_LATE, SEARCHED, SETTLED_LATE } from "./queries";
import { readInvoices, type InvoiceView } from "./read-invoice";

export interface InvoiceFilter {
  status?: readonly InvoiceStatus[] | undefined;
  additionalStatus?: readonly AdditionalStatus[] | undefined;
  orderId?: string | readonly string[] | undefined;
  /** RFC 3339, inclusive; or a day in the store's time zone. */
  createdFrom?: string | undefined;
  /** RFC 3339, exclusive; or a day, which is included. */
  createdTo?: string | undefined;
  /** Exactly an order id, invoice id, address, txid or payment hash. */
  q?: string | undefined;
  /** As `q`, or words: parts of order id and description, an amount and its currency, in any case. */
  search?: string | undefined;
  /** Null: both. */
  archived: boolean | null;
  settledLate?: boolean | undefined;
}

/** Newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listInvoices(
  ctx: CommandContext,
  storeId: string,
  filter: InvoiceFilter,
  page: PageRequest,
): Promise<Page<InvoiceView>> {
  const query = queryOf(ctx, storeId, await withTimes(ctx, storeId, filter));
  const several = filter.status !== undefined && filter.status.length !== 1;
  const { items, nextCursor } = await readPageOfLarge(several ? ofEachStatus(query, page) : query, page, {
    entity: Invoice,
    bytes: BYTES,
  });
  return { items: await readInvoices(ctx, items), nextCursor };
}

/** Longer lists are read by their cursor. */
export const SKIPPED_MAX = 10_000;

/** For callers without cursors; `skip` at most SKIPPED_MAX. */
export async function listInvoicesBehind(
  ctx: CommandContext,
  storeId: string,
  filter: InvoiceFilter,
  { skip, take }: { skip: number; take: number },
): Promise<InvoiceView[]> {
  const found: InvoiceView[] = [];
  let page: PageRequest = { limit: take, skip };
  for (;;) {
    const { items, nextCursor } = await listInvoices(ctx, storeId, filter, page);
    found.push(...items);
    // A page of large invoices ends early.
    if (nextCursor === null || found.length >= take) return found;
    page = { limit: take - found.length, cursor: nextCursor };
  }
}

async function withTimes(
  ctx: CommandContext,
  storeId: string,
  filter: InvoiceFilter,
): Promise<InvoiceFilter> {
  const { from, to } = await readTimeSpan(ctx, storeId, { from: filter.createdFrom, to: filter.createdTo });
  return { ...filter, createdFrom: from, createdTo: to };
}

function queryOf(ctx: CommandContext, storeId: string, filter: InvoiceFilter): SelectQueryBuilder<Invoice> {
  const { status, additionalStatus, orderId, createdFrom, createdTo, archived, settledLate } = filter;
  const query = ctx.db
    .createQueryBuilder(Invoice, "invoice")
    .where("invoice.storeId = :storeId", { storeId });
  if (archived !== null) query.andWhere(`invoice.archivedAt IS ${archived ? "NOT NULL" : "NULL"}`);
  if (settledLate !== undefined) query.andWhere(settledLate ? SETTLED_LATE : NOT_SETTLED_LATE);
  if (status?.length === 1) query.andWhere("invoice.status = :status", { status: status[0] });
  else if (status !== undefined)
    query.andWhere("invoice.status = wanted.status").setParameter("statuses", status);
  if (additionalStatus !== undefined)
    query.andWhere("invoice.additionalStatus = ANY(:additionalStatus)", { additionalStatus });
  if (orderId !== undefined)
    query.andWhere("invoice.orderId = ANY(:orderIds)", { orderIds: [orderId].flat() });
  // Postgres reads their microseconds, which a Date would cut.
  if (createdFrom !== undefined)
    query.andWhere("invoice.createdAt >= CAST(:createdFrom AS timestamptz)", { createdFrom });
  if (createdTo !== undefined)
    query.andWhere("invoice.createdAt < CAST(:createdTo AS timestamptz)", { createdTo });
  if (filter.q !== undefined) whereExactly(query, filter.q, ctx.settings);
  if (filter.search !== undefined) whereFound(query, filter.search.trim(), ctx.settings);
  return query;
}

type Selection = SelectQueryBuilder<Invoice>;

function whereExactly(query: Selection, q: string, { network }: CommandContext["settings"]): void {
  const script = scriptOfAddress(q, network);
  query.andWhere(MATCHING, { q, id: nativeId(q), hash: q.toLowerCase(), script });
}

function whereFound(query: Selection, text: string, settings: CommandContext["settings"]): void {
  const isExact = isReference(nativeId(text)) || scriptOfAddress(text, settings.network) !== null;
  if (isExact) return whereExactly(query, text, settings);
  let count = 0;
  for (const patterns of searchPatterns(text)) {
    const likes = patterns.map((pattern) => {
      count += 1;
      query.setParameter(`part${count}`, pattern);
      return `${SEARCHED} LIKE lower(:part${count})`;
    });
    query.andWhere(`(${likes.join(" OR ")})`);
  }
}

/**
 * For each status separately, since the index is ordered within one: otherwise Postgres would scan all invoices between
 * two rare ones.
 */
function ofEachStatus(query: SelectQueryBuilder<Invoice>, page: PageRequest): SelectQueryBuilder<Invoice> {
  const { skip = 0, ...rest } = page;
  const ofOne = pageOf(query.clone().select("invoice.id", "id"), { ...rest, limit: rest.limit + skip });
  return query.connection
    .createQueryBuilder(Invoice, "invoice")
    .where(foundByStatus(ofOne.getQuery()))
    .setParameters(ofOne.getParameters());
}

const BATCH = 200;
const BATCH_MAX_BYTES = 512 * 1024;
/** Small, so that a download begins at once. */
const FIRST_BATCH = 20;

/** Newest first, a batch in memory at a time. Each is read on demand; invoices created meanwhile are not in it. */
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
