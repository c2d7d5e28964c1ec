import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import { runMade } from "./statement";

/** At least one, all with the same fields; others get the column's default. */
export interface Rows {
  into: EntityTarget<ObjectLiteral>;
  rows: readonly object[];
  /** Columns whose values the answer has. */
  returning?: readonly string[];
}

/**
 * Writes rows with one prepared statement: they are one JSON text, which Postgres reads by the table's own types.
 * `conflict` is SQL after it.
 */
export async function insertRows<T>(manager: EntityManager, table: Rows, conflict = ""): Promise<T[]> {
  const columns = columnsOf(manager, table);
  const names = columns.map(({ databaseName }) => `"${databaseName}"`).join();
  const returning = table.returning?.map((name) => `"${name}"`).join();
  const rest = returning === undefined ? conflict : `${conflict} RETURNING ${returning}`;
  const { tablePath } = manager.dataSource.getMetadata(table.into);
  const rows = table.rows.map((row) =>
    Object.fromEntries(
      columns.map((column) => [column.databaseName, jsonOf(column.getEntityValue(row, true))]),
    ),
  );
  return runMade<T>(
    manager,
    `INSERT INTO ${tablePath} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${tablePath}, $1) ${rest}`,
    [JSON.stringify(rows)],
  );
}

export async function insertNewRows(manager: EntityManager, table: Rows): Promise<void> {
  await insertRows(manager, table, "ON CONFLICT DO NOTHING");
}

/** For statements of at most `most` rows. */
export function slices<T>(rows: readonly T[], most: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, at) =>
    rows.slice(at * most, (at + 1) * most),
  );
}

/** Replaces rows with the same value of `key`; the given rows differ in it. */
export async function upsertRows(manager: EntityManager, table: Rows & { key: string }): Promise<void> {
  const columns = columnsOf(manager, table);
  const key = columns.find(({ propertyName }) => propertyName === table.key)?.databaseName;
  const set = columns.map(({ databaseName }) => `"${databaseName}" = excluded."${databaseName}"`);
  await insertRows(manager, table, `ON CONFLICT ("${key}") DO UPDATE SET ${set.join()}`);
}

function columnsOf({ dataSource }: EntityManager, { into, rows }: Rows) {
  const { columns, tablePath } = dataSource.getMetadata(into);
  const [first] = rows;
  if (first === undefined) throw new Error(`no rows for ${tablePath}`);
  return columns.filter((column) => column.getEntityValue(first) !== undefined);
}

/** Rows for a statement, which reads them with `json_to_recordset`. */
export type JsonRows<R extends object> = string & { readonly rows?: R };

export function jsonRows<R extends object>(rows: readonly R[]): JsonRows<R> {
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonOf(value)]))),
  );
}

/** As Postgres reads them: bytes in hexadecimal. */
function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;
}
