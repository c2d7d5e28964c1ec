import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import type { DataSource } from "typeorm";
import { createDataSource } from "../../database/data-source";
import { readSchemaObjects } from "../../database/schema-objects";
import { appliedMigrations } from "../../database/server-facts";
import { testDatabaseUrl } from "../support/database";

/** A folder for each version whose databases somebody may have; `keep.ts` writes it. */
const KEPT = path.join(__dirname, "../fixtures/released");

/** What was sold before the database was kept; `SaleName` says how far it had come. */
export interface KeptShop {
  /** The last migration of that version. */
  lastMigration: string;
  storeId: string;
  apiKey: string;
  webhookId: string;
  /** Of the webhook. */
  secret: string;
  invoices: Record<SaleName, { invoiceId: string; address: string }>;
}
export type SaleName = "open" | "seen" | "settled" | "overpaid" | "underpaid" | "expired" | "byLightning";

/** One of a table, or the last number of a sequence. */
type KeptLine = { table: string; row: Record<string, unknown> } | { sequence: string; last: number };

const filesOf = (folder: string) => ({
  shop: path.join(folder, "shop.json"),
  schema: path.join(folder, "schema.txt"),
  rows: path.join(folder, "rows.jsonl"),
  node: path.join(folder, "node"),
});

export const keptVersions = (): string[] => readdirSync(KEPT).sort();
export const keptFolder = (version: string): string => path.join(KEPT, version);

/** All objects of the tables, a line each. */
export async function schemaText(db: DataSource): Promise<string> {
  const objects = [...(await readSchemaObjects(db.manager)).values()].flatMap((lines) => [...lines]);
  return `${objects.sort().join("\n")}\n`;
}

/** Writes everything that a version has stored: the tables, their rows, and the node's chain. No app may run. */
export async function keepDatabase(
  folder: string,
  db: DataSource,
  nodeFolder: string,
  shop: Omit<KeptShop, "lastMigration">,
): Promise<void> {
  const files = filesOf(folder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [lastMigration = ""] = await appliedMigrations(db.manager);
  writeFileSync(files.shop, `${JSON.stringify({ lastMigration, ...shop }, null, 2)}\n`);
  writeFileSync(files.schema, await schemaText(db));
  for (const table of await tablesOf(db)) {
    const rows = await db.query<{ row: unknown }[]>(`SELECT to_jsonb(t) AS row FROM "${table}" t ORDER BY 1`);
    for (const { row } of rows) appendFileSync(files.rows, `${JSON.stringify({ table, row })}\n`);
  }
  const sequences = await db.query<{ sequence: string; last: number }[]>(
    `SELECT sequencename AS sequence, last_value::int AS last FROM pg_sequences
      WHERE schemaname = 'public' AND last_value IS NOT NULL AND sequencename NOT LIKE 'migrations%' ORDER BY 1`,
  );
  for (const sequence of sequences) appendFileSync(files.rows, `${JSON.stringify(sequence)}\n`);
  cpSync(nodeFolder, files.node, { recursive: true });
}

async function tablesOf(db: DataSource): Promise<string[]> {
  const rows = await db.query<{ name: string }[]>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

export interface LoadedDatabase {
  databaseUrl: string;
  shop: KeptShop;
  /** The tables as that version's own migrations had made them, and as those of the same names make them today. */
  schema: { kept: string; made: string };
  /** For the simulated node. */
  nodeFolder: string;
}

/** A new database as the version left it that wrote the folder. */
export async function loadKept(folder: string): Promise<LoadedDatabase> {
  const files = filesOf(folder);
  const shop = JSON.parse(readFileSync(files.shop, "utf8")) as KeptShop;
  const databaseUrl = await testDatabaseUrl({ empty: true });
  const db = await createDataSource({
    databaseUrl,
    poolMax: 1,
    applicationName: "test",
    lastMigration: shop.lastMigration,
  }).initialize();
  await db.runMigrations();
  const schema = { kept: readFileSync(files.schema, "utf8"), made: await schemaText(db) };
  await db.destroy();
  await loadRows(databaseUrl, readFileSync(files.rows, "utf8"));
  const nodeFolder = mkdtempSync(path.join(os.tmpdir(), "quittance-kept-"));
  cpSync(files.node, nodeFolder, { recursive: true });
  return { databaseUrl, shop, schema, nodeFolder };
}

/** In the order of their names, with nothing that checks or completes them. */
async function loadRows(databaseUrl: string, lines: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("SET session_replication_role = replica");
  for (const text of lines.trimEnd().split("\n")) {
    const line = JSON.parse(text) as KeptLine;
    if ("sequence" in line) {
      await client.query("SELECT setval($1, $2)", [pg.escapeIdentifier(line.sequence), line.last]);
      continue;
    }
    const table = pg.escapeIdentifier(line.table);
    const columns = Object.keys(line.row).map((column) => pg.escapeIdentifier(column));
    await client.query(
      `INSERT INTO ${table} (${columns.join(", ")}) OVERRIDING SYSTEM VALUE
       SELECT ${columns.join(", ")} FROM jsonb_populate_record(NULL::${table}, $1)`,
      [JSON.stringify(line.row)],
    );
  }
  await client.query("RESET session_replication_role");
  await client.end();
}
