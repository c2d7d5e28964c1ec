import type { DataSource, EntityManager } from "typeorm";
import { UNFINISHED_RESTORE } from "../entities/installation";
import { statement } from "./statement";

export interface SnapshotFacts {
  takenAt: Date;
  migrations: string[];
  network: string;
  secretCheck: Buffer;
  wallets: { id: string; nextIndex: number }[];
  /** Processed; null before the first. */
  chainHeight: number | null;
}

interface Snapshot {
  facts: SnapshotFacts;
  id: string;
  schema: string;
}

const FACTS = `SELECT transaction_timestamp() AS "takenAt",
    (SELECT array_agg(name ORDER BY timestamp) FROM migrations) AS migrations,
    (SELECT network FROM installation) AS network, (SELECT secret_check FROM installation) AS "secretCheck",
    (SELECT coalesce(json_agg(json_build_object('id', id, 'nextIndex', next_index) ORDER BY id), '[]') FROM wallets)
      AS wallets,
    (SELECT max(height) FROM chain_blocks) AS "chainHeight"`;

/**
 * At one instant, beside the running apps. A migration cannot change a table meanwhile; it waits, or makes this fail
 * before the first row.
 */
export async function withSnapshot<T>(db: DataSource, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return db.transaction("REPEATABLE READ", async (manager) => {
    const tables = db.entityMetadatas.map(({ tableName }) => `"${tableName}"`).join(", ");
    await manager.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    // Before the first read, which makes the snapshot.
    await manager.query(`LOCK TABLE ${tables} IN ACCESS SHARE MODE`);
    const [facts] = await manager.query<SnapshotFacts[]>(FACTS);
    const [named] = await manager.query<{ id: string; schema: string }[]>(
      "SELECT pg_export_snapshot() AS id, current_schema() AS schema",
    );
    if (facts === undefined || named === undefined) throw new Error("the database gave no facts of itself");
    return work({ facts, ...named });
  });
}

/** Neither Postgres's own nor an extension's; none in an empty database. */
export const readSomeTables = statement<[], { name: string }>(
  "database.read-some-tables",
  `SELECT c.oid::regclass::text AS name FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
      AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      AND NOT EXISTS (SELECT FROM pg_depend d
                       WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY 1 LIMIT 3`,
);

export const readSchema = statement<[], { schema: string }>(
  "database.read-schema",
  "SELECT current_schema() AS schema",
);

/** A dump of one schema leaves out extensions. */
export async function createExtensions(manager: EntityManager): Promise<void> {
  await manager.query("CREATE EXTENSION IF NOT EXISTS pg_trgm");
}

/** From now on nothing starts on it before `finishRestore`. */
export async function markUnfinished(manager: EntityManager, secretCheck: Buffer): Promise<void> {
  await manager.query("INSERT INTO installation (network, secret_check) VALUES ($1, $2)", [
    UNFINISHED_RESTORE,
    secretCheck,
  ]);
}

/** The planner knows nothing of loaded rows. */
export async function analyze(manager: EntityManager): Promise<void> {
  await manager.query("ANALYZE");
}
