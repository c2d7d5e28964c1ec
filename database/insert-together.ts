import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import { runMade } from "./statement";

/**
 * Rows to be written into a table, at least one. All have the same fields; for those that are left out the column's
 * default applies.
 */
export interface Rows {
  into: EntityTarget<ObjectLiteral>;
  rows: readonly object[];
}

/**
 * Writes rows with one prepared statement, whose text is the same for any number of them: they are sent as one JSON
 * text, which Postgres reads by the table's own types. `rest` is SQL after it; returns what that returns.
 */
export async function insertRows<T>(manager: EntityManager, table: Rows, rest = ""): Promise<T[]> {
  const columns = columnsOf(manager, table);
  const names = columns.map(({ databaseName }) => `"${databaseName}"`).join();
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

/** `insertRows` that leaves out those that are there already. */
export async function insertNewRows(manager: EntityManager, table: Rows): Promise<void> {
  await insertRows(manager, table, "ON CONFLICT DO NOTHING");
}

/** `insertRows` that replaces rows with the same value in one column; the given rows differ in it. */
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

/** In the form that Postgres reads: bytes in hexadecimal. */
function jsonOf(value: unknown): unknown {
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;
}
