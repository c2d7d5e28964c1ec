import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import { queryPrepared } from "./query-prepared";

/** A row to be written; fields that are left out have their column's default. */
export interface Row {
  into: EntityTarget<ObjectLiteral>;
  fields: object;
}

/**
 * Writes rows of several tables by one statement: one round trip, and TypeORM builds no query. Rows may refer to each
 * other, since keys are looked at when all are there. `select` reads `written`, what the last row's `returning` has.
 */
export async function insertTogether<T>(
  manager: EntityManager,
  rows: readonly Row[],
  last: { returning: string; select: string },
): Promise<T[]> {
  const values: unknown[] = [];
  const value = (one: unknown): string => `$${values.push(one)}`;
  const inserts = rows.map((row, at) => {
    const isLast = at === rows.length - 1;
    const returning = isLast ? ` RETURNING ${last.returning}` : "";
    return `${isLast ? "written" : `row${at}`} AS (${insertOf(manager, row, value)}${returning})`;
  });
  const text = `WITH ${inserts.join(", ")} ${last.select}`;
  return queryPrepared<T>(manager, text, values);
}

function insertOf(
  { dataSource }: EntityManager,
  { into, fields }: Row,
  value: (value: unknown) => string,
): string {
  const { columns, tablePath } = dataSource.getMetadata(into);
  const given = columns.filter((column) => column.getEntityValue(fields) !== undefined);
  const names = given.map(({ databaseName }) => `"${databaseName}"`);
  const values = given.map((column) =>
    value(dataSource.driver.preparePersistentValue(column.getEntityValue(fields), column)),
  );
  return `INSERT INTO ${tablePath} (${names.join()}) VALUES (${values.join()})`;
}
