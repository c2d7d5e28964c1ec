import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { type BackupTable, backupTables } from "./tables";
import { copyTarget, withCopySession } from "./copy-session";

/** What the snapshot of a backup is of. */
export interface SnapshotFacts {
  takenAt: Date;
  /** The first first. */
  migrations: string[];
  network: string;
  secretCheck: Buffer;
  wallets: { id: string; nextIndex: number }[];
  /** The last block that was processed; null before the first. */
  chainHeight: number | null;
}

/** A snapshot of the database, while its transaction lasts. */
export interface Snapshot {
  facts: SnapshotFacts;
  tables: readonly BackupTable[];
  /** A table's rows in the text format of COPY, a line each. One table at a time. */
  rowsOf(table: BackupTable): AsyncIterable<Buffer>;
}

const FACTS = `SELECT transaction_timestamp() AS "takenAt",
    (SELECT array_agg(name ORDER BY timestamp) FROM migrations) AS migrations,
    (SELECT network FROM installation) AS network, (SELECT secret_check FROM installation) AS "secretCheck",
    (SELECT coalesce(json_agg(json_build_object('id', id, 'nextIndex', next_index) ORDER BY id), '[]') FROM wallets)
      AS wallets,
    (SELECT max(height) FROM chain_blocks) AS "chainHeight"`;

/**
 * Reads the whole database as it is at one instant, beside the running apps: in one transaction that sees nothing of
 * later ones. A migration cannot change a table meanwhile; it waits, or makes this fail before the first row.
 */
export async function withSnapshot<T>(
  databaseUrl: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const tables = backupTables();
  return withCopySession(databaseUrl, "quittance backup", async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // Before the first read, which makes the snapshot: what changed a table has been committed then.
    await client.query(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN ACCESS SHARE MODE`);
    const { rows } = await client.query<SnapshotFacts>(FACTS);
    const [facts] = rows;
    if (facts === undefined) throw new Error("the database gave no facts of itself");
    const result = await work({ facts, tables, rowsOf: (table) => copyOut(client, table) });
    await client.query("COMMIT");
    return result;
  });
}

function copyOut(client: pg.Client, table: BackupTable): AsyncIterable<Buffer> {
  return client.query(copyTo(`COPY ${copyTarget(table)} TO STDOUT`));
}
