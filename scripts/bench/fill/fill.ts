import pg from "pg";

/** Many rows at once, as years of use would have left them. */

/** A statement and its parameters. */
export type Statement = readonly [sql: string, values?: readonly unknown[]];

/** From this many rows on it is faster to rebuild the indexes than to add to them. */
const ANEW_FROM = 300_000;

interface IndexOf {
  table: string;
  name: string;
  definition: string;
  constraint: string | null;
}

/** On a connection that waits for no disk. Foreign to the service: its rows are made by SQL, not by its commands. */
export async function withFiller<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("SET synchronous_commit = off");
    await client.query("SET maintenance_work_mem = '512MB'");
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs the statements, which add about `rows` rows to each of these tables. */
export async function fillTables(
  databaseUrl: string,
  tables: readonly string[],
  rows: number,
  statements: readonly Statement[],
): Promise<void> {
  await withFiller(databaseUrl, async (client) => {
    // No day is summed yet that triggers could find.
    await client.query("SET session_replication_role = replica");
    const indexes = rows >= ANEW_FROM ? await indexesOf(client, tables) : [];
    for (const { table, name, constraint } of indexes)
      await client.query(
        constraint === null ? `DROP INDEX "${name}"` : `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`,
      );
    for (const [sql, values = []] of statements) await client.query(sql, [...values]);
    for (const { table, name, definition, constraint } of indexes)
      await client.query(
        constraint === null ? definition : `ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${constraint}`,
      );
    await client.query(`VACUUM (ANALYZE) ${tables.join(", ")}`);
    await client.query("CHECKPOINT");
  });
}

async function indexesOf(client: pg.Client, tables: readonly string[]): Promise<IndexOf[]> {
  const { rows } = await client.query<IndexOf>(
    `SELECT i.tablename AS table, i.indexname AS name, i.indexdef AS definition, pg_get_constraintdef(c.oid) AS constraint
       FROM pg_indexes i LEFT JOIN pg_constraint c ON c.conname = i.indexname AND c.contype IN ('p', 'u')
      WHERE i.schemaname = current_schema() AND i.tablename = ANY($1)`,
    [tables],
  );
  return rows;
}
