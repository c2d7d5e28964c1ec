import type { EntityTarget, ObjectLiteral, SelectQueryBuilder } from "typeorm";
import { invalidField } from "../domain/errors";

/** Even before its `limit`; the next page continues there. */
export const PAGE_MAX_BYTES = 2 * 1024 * 1024;

/** Newest first. `nextCursor`: null on the last. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export interface PageRequest {
  /** 1 to 200. */
  limit: number;
  cursor?: string | undefined;
  oldestFirst?: boolean;
  /** Left out in front, without a cursor: each is read. */
  skip?: number;
  /** Default: PAGE_MAX_BYTES. */
  maxBytes?: number;
}

type PageTime = "createdAt" | "at";

/** Microseconds since 1970 (a Date cuts them), and the row's id. */
const CURSOR = /^(?<micros>\d{1,16})\.(?<id>[0-9A-Za-z_:]{1,100})$/;

/**
 * By creation time and id, not by offset. The entity needs both, and an index that ends in them.
 * @throws DomainError `validation-failed` at `/cursor`.
 */
export async function readPage<T extends ObjectLiteral & { id: string }>(
  query: SelectQueryBuilder<T>,
  page: PageRequest,
  time: PageTime = "createdAt",
): Promise<Page<T>> {
  const { limit } = page;
  const { entities, raw } = await pageOf(query, page, time)
    .addSelect(microsOf(query, time), "micros")
    .getRawAndEntities<{ micros: string }>();
  const items = entities.slice(0, limit);
  const last = items.at(-1);
  const micros = raw[items.length - 1]?.micros;
  const more = entities.length > limit && last !== undefined && micros !== undefined;
  return {
    items,
    nextCursor: more ? cursorText({ micros, id: last.id }) : null,
  };
}

interface LargeRows<T> {
  entity: EntityTarget<T>;
  /** Approximate bytes of an answer: SQL over the query's alias that reads no large value. */
  bytes: string;
  time?: PageTime;
}

/**
 * The page ends with the last row that fits, but has the first. Sizes are measured in the database; other rows are not
 * loaded.
 * @throws DomainError `validation-failed` at `/cursor`.
 */
export async function readPageOfLarge<T extends ObjectLiteral & { id: string }>(
  query: SelectQueryBuilder<T>,
  { maxBytes = PAGE_MAX_BYTES, ...page }: PageRequest,
  { entity, bytes, time = "createdAt" }: LargeRows<T>,
): Promise<Page<T>> {
  const { alias } = query;
  const weighed = await pageOf(query.clone().select(`${alias}.id`, "id"), page, time)
    .addSelect(microsOf(query, time), "micros")
    .addSelect(`CAST(${bytes} AS int)`, "bytes")
    .getRawMany<Cursor & { bytes: number }>();
  const fitting = firstThatFit(weighed.slice(0, page.limit), maxBytes);
  const last = fitting.at(-1);
  if (last === undefined) return { items: [], nextCursor: null };
  const rows = await query.connection
    .createQueryBuilder(entity, alias)
    .where(`${alias}.id = ANY(:ids)`, { ids: fitting.map(({ id }) => id) })
    .getMany();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    items: fitting.flatMap(({ id }) => byId.get(id) ?? []),
    nextCursor: weighed.length > fitting.length ? cursorText(last) : null,
  };
}

function firstThatFit<R extends { bytes: number }>(rows: readonly R[], maxBytes: number): R[] {
  let sum = 0;
  const tooMany = rows.findIndex(({ bytes }, at) => (sum += bytes) > maxBytes && at > 0);
  return tooMany === -1 ? [...rows] : rows.slice(0, tooMany);
}

/** The page's rows, in order, and one more. @throws DomainError `validation-failed` at `/cursor`. */
export function pageOf<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  { limit, cursor, skip = 0, oldestFirst = false }: PageRequest,
  time: PageTime = "createdAt",
): SelectQueryBuilder<T> {
  const row = query.alias;
  if (cursor !== undefined) {
    const { micros, id } = parseCursor(cursor);
    query.andWhere(
      `(${columnOf(query, time)}, ${row}.id) ${oldestFirst ? ">" : "<"}
       (TIMESTAMPTZ 'epoch' + CAST(:micros AS bigint) * INTERVAL '1 microsecond', :cursorId)`,
      { micros, cursorId: id },
    );
  }
  const order = oldestFirst ? "ASC" : "DESC";
  return query
    .orderBy(`${row}.${time}`, order)
    .addOrderBy(`${row}.id`, order)
    .offset(skip)
    .limit(limit + 1);
}

function microsOf(query: { alias: string }, time: PageTime): string {
  return `CAST(extract(epoch FROM ${columnOf(query, time)}) * 1000000 AS bigint)`;
}

function columnOf({ alias }: { alias: string }, time: PageTime): string {
  return `${alias}.${time === "at" ? "at" : "created_at"}`;
}

interface Cursor {
  micros: string;
  id: string;
}

/** @throws DomainError `validation-failed` at `/cursor`. */
export function parseCursor(text: string): Cursor {
  const { micros, id } = CURSOR.exec(Buffer.from(text, "base64url").toString("latin1"))?.groups ?? {};
  if (micros === undefined || id === undefined)
    throw invalidField("/cursor", "Must be a `nextCursor` returned by this list.");
  return { micros, id };
}

export function cursorText({ micros, id }: Cursor): string {
  return Buffer.from(`${micros}.${id}`, "latin1").toString("base64url");
}
