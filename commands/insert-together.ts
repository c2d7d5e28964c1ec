import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import { arrayLiteral } from "./array-literal";
import { queryPrepared } from "./query-prepared";

/** Rows to be written into a table, at least one. All have the same fields; those that are left out have their column's default. */
export interface Rows {
  into: EntityTarget<ObjectLiteral>;
  rows: readonly object[];
}

/**
 * Writes rows of several tables by one statement: one round trip, and TypeORM builds no query. Its text is the same for
 * any number of rows. They may refer to each other, since keys are looked at when all are there. `select` reads
 * `written`, what the last table's `returning` has. Columns that hold arrays are not for it.
 */
export async function insertTogether<T>(
  manager: EntityManager,
  tables: readonly Rows[],
  last: { returning: string; select: string },
): Promise<T[]> {
  const values: unknown[] = [];
  const value = (one: unknown): string => `$${values.push(one)}`;
  const inserts = tables.map((table, at) => {
    const isLast = at === tables.length - 1;
    const returning = isLast ? ` RETURNING ${last.returning}` : "";
    return `${isLast ? "written" : `rows${at}`} AS (${insertOf(manager, table, value)}${returning})`;
  });
  const text = `WITH ${inserts.join(", ")} ${last.select}`;
  return queryPrepared<T>(manager, text, values);
}

/** `insertTogether` of one table's rows, of which nothing is asked. */
export async function insertRows(manager: EntityManager, table: Rows): Promise<void> {
  const values: unknown[] = [];
  const text = insertOf(manager, table, (one) => `$${values.push(one)}`);
  await queryPrepared(manager, text, values);
}

function insertOf(
  { dataSource }: EntityManager,
  { into, rows }: Rows,
  value: (value: unknown) => string,
): string {
  const { driver } = dataSource;
  const { columns, tablePath } = dataSource.getMetadata(into);
  const [first] = rows;
  if (first === undefined) throw new Error(`no rows for ${tablePath}`);
  const given = columns.filter((column) => column.getEntityValue(first) !== undefined);
  const names = given.map(({ databaseName }) => `"${databaseName}"`).join();
  const lists = given.map((column) => {
    const list = rows.map((row) => {
      const given = column.getEntityValue(row) as unknown;
      return given === null ? null : (driver.preparePersistentValue(given, column) as unknown);
    });
    return `${value(arrayLiteral(list))}::${driver.normalizeType(column)}[]`;
  });
  return `INSERT INTO ${tablePath} (${names}) SELECT * FROM unnest(${lists.join()})`;
}
