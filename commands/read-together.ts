import type { DataSource, EntityTarget, ObjectLiteral } from "typeorm";
import { gather } from "../domain/gather";
import { findRows } from "./find-rows";
import { inTime } from "./in-time";
import { perDatabase } from "./per-database";
import { TOGETHER } from "./together";

/**
 * Answers, for a database, what reads by one key what `read` reads by many: what is asked for while another statement is
 * under way goes by one. It begins after the last of them was asked, so each sees what was committed before it asked.
 * Two who ask for the same get the same, to be read only.
 */
export function readTogether<T>(
  read: (db: DataSource, keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (db: DataSource) => (key: string) => Promise<T | undefined> {
  return perDatabase((db) =>
    gather<string, T | undefined>(async (keys) => {
      const found = await inTime(read(db, [...new Set(keys)]));
      return keys.map((key) => found.get(key));
    }, TOGETHER),
  );
}

/** Rows of an entity with one key of text, as `findOneBy` has them, but by one prepared statement that TypeORM does not build. */
export function rowsByKey<E extends ObjectLiteral>(
  entity: EntityTarget<E>,
): (db: DataSource) => (key: string) => Promise<Readonly<E> | undefined> {
  return readTogether(async (db, keys) => {
    const metadata = db.getMetadata(entity);
    const [primary] = metadata.primaryColumns;
    if (primary === undefined) throw new Error(`${metadata.name} has no key`);
    const rows = await findRows<E, keyof E>(db.manager, entity, {
      select: metadata.columns.map(({ propertyName }) => propertyName),
      rest: `WHERE "${primary.databaseName}" = ANY($1::text[])`,
      values: [keys],
    });
    return new Map(rows.map((row) => [String(primary.getEntityValue(row)), row]));
  });
}
