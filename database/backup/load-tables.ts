import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { UNFINISHED_RESTORE } from "../../entities/installation";
import { copyTarget, withCopySession } from "./copy-session";
import type { BackupTable } from "./tables";

/** A table with its rows, in the text format of COPY. */
export interface TableRows extends BackupTable {
  rows: AsyncIterable<Buffer>;
}

/** Tables that are neither Postgres's own nor an extension's. */
const READ_TABLES = `SELECT c.oid::regclass::text AS name FROM pg_class c
   WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
     AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
     AND NOT EXISTS (SELECT FROM pg_depend d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
   ORDER BY 1 LIMIT 3`;

/** Names of some tables; none in a database that is empty. */
export async function someTables(databaseUrl: string): Promise<string[]> {
  return withCopySession(databaseUrl, "quittance restore", async (client) => {
    const { rows } = await client.query<{ name: string }>(READ_TABLES);
    return rows.map(({ name }) => name);
  });
}

/** Marks the installation as unfinished: whatever happens from now on, nothing starts on it before `finishRestore`. */
export async function markUnfinished(databaseUrl: string, secretCheck: Buffer): Promise<void> {
  await withCopySession(databaseUrl, "quittance restore", (client) =>
    client.query("INSERT INTO installation (network, secret_check) VALUES ($1, $2)", [
      UNFINISHED_RESTORE,
      secretCheck,
    ]),
  );
}

/**
 * Loads all tables in one transaction: an error, also of the source, leaves them empty, but for the mark of
 * `markUnfinished`. The installation that is loaded is marked as well. `expected` is asked at the end how many rows there
 * were to be. Returns their number.
 */
export async function loadTables(
  databaseUrl: string,
  tables: AsyncIterable<TableRows>,
  expected: () => number,
): Promise<number> {
  return withCopySession(databaseUrl, "quittance restore", async (client) => {
    await client.query("BEGIN");
    await client.query("DELETE FROM installation");
    let count = 0;
    for await (const table of tables) count += await copyIn(client, table);
    if (count !== expected()) throw new Error(`${count} rows were loaded of ${expected()}`);
    await raiseSequences(client);
    await client.query("UPDATE installation SET network = $1", [UNFINISHED_RESTORE]);
    await client.query("COMMIT");
    await client.query("ANALYZE"); // the planner knows nothing of the new rows
    return count;
  });
}

async function copyIn(client: pg.Client, { rows, ...table }: TableRows): Promise<number> {
  const copy = client.query(copyFrom(`COPY ${copyTarget(table)} FROM STDIN`));
  await pipeline(rows, copy);
  return copy.rowCount;
}

/** Numbers continue above those that were loaded. */
async function raiseSequences(client: pg.Client): Promise<void> {
  const { rows: owned } = await client.query<{ sequence: string; table: string; column: string }>(
    `SELECT s.oid::regclass::text AS sequence, d.refobjid::regclass::text AS "table", a.attname AS column
       FROM pg_class s
       JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.deptype IN ('a', 'i')
       JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
      WHERE s.relkind = 'S' AND s.relnamespace = current_schema()::regnamespace`,
  );
  for (const { sequence, table, column } of owned)
    await client.query(
      `SELECT setval($1, coalesce(max(${pg.escapeIdentifier(column)}), 1), count(*) > 0) FROM ${table}`,
      [sequence],
    );
}
