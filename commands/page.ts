import type { ObjectLiteral, SelectQueryBuilder } from "typeorm";
import { invalidField } from "../domain/errors";

/** One page of a list, newest first. `nextCursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export interface PageRequest {
  /** 1 to 200. */
  limit: number;
  cursor?: string | undefined;
}

type PageTime = "createdAt" | "at";

/** Microseconds since 1970 (a JS Date would cut them to milliseconds), and the row's id. */
const CURSOR = /^(?<micros>\d{1,16})\.(?<id>[0-9A-Za-z_]{1,100})$/;

/**
 * Reads one page of a query by key (creation time and id), never by offset: rows that are added meanwhile neither
 * repeat nor hide others. The entity needs the time and `id`, and an index that ends in both.
 * @throws DomainError `validation-failed` at `/cursor`.
 */
export async function readPage<T extends ObjectLiteral & { id: string }>(
  query: SelectQueryBuilder<T>,
  { limit, cursor }: PageRequest,
  time: PageTime = "createdAt",
): Promise<Page<T>> {
  const { entities, raw } = await pageOf(query, { limit, cursor }, time)
    .addSelect(`CAST(extract(epoch FROM ${columnOf(query, time)}) * 1000000 AS bigint)`, "micros")
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

/**
 * Narrows a query to the rows of the page, in their order, and the one after it.
 * @throws DomainError `validation-failed` at `/cursor`.
 */
export function pageOf<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  { limit, cursor }: PageRequest,
  time: PageTime = "createdAt",
): SelectQueryBuilder<T> {
  const row = query.alias;
  if (cursor !== undefined) {
    const { micros, id } = parseCursor(cursor);
    query.andWhere(
      `(${columnOf(query, time)}, ${row}.id) <
       (TIMESTAMPTZ 'epoch' + CAST(:micros AS bigint) * INTERVAL '1 microsecond', :cursorId)`,
      { micros, cursorId: id },
    );
  }
  return query
    .orderBy(`${row}.${time}`, "DESC")
    .addOrderBy(`${row}.id`, "DESC")
    .limit(limit + 1);
}

function columnOf({ alias }: { alias: string }, time: PageTime): string {
  return `${alias}.${time === "at" ? "at" : "created_at"}`;
}

/** Where a page ended. */
interface Cursor {
  micros: string;
  id: string;
}

/** @throws DomainError `validation-failed` at `/cursor`. */
export function parseCursor(text: string): Cursor {
  const { micros, id } = CURSOR.exec(Buffer.from(text, "base64url").toString("latin1"))?.groups ?? {};
  if (micros === undefined || id === undefined)
    throw invalidField("/cursor", "Must be a nextCursor that this list gave.");
  return { micros, id };
}

export function cursorText({ micros, id }: Cursor): string {
  return Buffer.from(`${micros}.${id}`, "latin1").toString("base64url");
}
