import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import type { DataSource } from "typeorm";
import { createDataSource } from "../../database/data-source";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../scripts/embedded-postgres";
import { watchInvariants } from "./invariants-always";

/** Nothing here outlives the run. `minimal` and `file_copy` (below): a new database is copied without being logged. */
const SETTINGS = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
];

interface TestPostgres {
  postgres: EmbeddedPostgres;
  /** Makes databases. */
  admin: pg.Client;
  /** Drops them meanwhile. */
  cleaner: pg.Client;
}

let server: Promise<TestPostgres> | null = null;
let installed: Promise<EmbeddedPostgres> | null = null;
let made = 0;

/** One Postgres a test process, started when the first test asks for it. */
function testPostgres(): Promise<TestPostgres> {
  server ??= startPostgres();
  return server;
}

async function startServer(bin?: string): Promise<EmbeddedPostgres> {
  const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-postgres-"));
  const postgres = await startEmbeddedPostgres({
    dir,
    settings: SETTINGS,
    ...(bin === undefined ? {} : { bin }),
  });
  // Its data may be elsewhere, where its user could not reach ours.
  process.once("exit", () => {
    for (const each of [dir, path.dirname(postgres.dataDir)]) rmSync(each, { recursive: true, force: true });
  });
  return postgres;
}

async function startPostgres(): Promise<TestPostgres> {
  const postgres = await startServer();
  const [admin, cleaner] = await Promise.all([connect(postgres.adminUrl), connect(postgres.adminUrl)]);
  // Thousands of connections are opened, and each would cost milliseconds of hashing.
  const { password } = new URL(postgres.adminUrl);
  await admin.query(`SET scram_iterations = 1; ALTER ROLE postgres PASSWORD '${password}'`);
  const template = createDataSource({
    databaseUrl: await postgres.createDatabase("template"),
    poolMax: 2,
    applicationName: "migrate",
  });
  await template.initialize();
  await template.runMigrations();
  await template.destroy();
  return { postgres, admin, cleaner };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => undefined); // a query says it, or it is the end
  await client.connect();
  return client;
}

export async function stopTestPostgres(): Promise<void> {
  await (await installed)?.stop();
  if (!server) return;
  const { postgres, admin, cleaner } = await server;
  await Promise.all([admin.end(), cleaner.end()]);
  await postgres.stop();
}

/** URL of a new database; with the tables unless `empty`. */
export async function testDatabaseUrl({ empty = false } = {}): Promise<string> {
  const { postgres, admin } = await testPostgres();
  made += 1;
  const name = `test_${made}`;
  await admin.query(`CREATE DATABASE ${name}${empty ? "" : " TEMPLATE template STRATEGY file_copy"}`);
  return postgres.urlOf(name);
}

/**
 * URL of a new, empty database of the Postgres that is installed on this machine: the embedded one has no pg_dump, which
 * refuses a server that is newer than itself. `bin`: where its programs are (`installedPostgres`).
 */
export async function dumpableDatabaseUrl(bin: string): Promise<string> {
  installed ??= startServer(bin);
  made += 1;
  return (await installed).createDatabase(`test_${made}`);
}

/**
 * A connected data source on a new database, whose invariants are checked after every test. The database goes with it:
 * a run makes a thousand, and the disk would be busy with what nobody reads again.
 */
export async function testDatabase(poolMax = 10): Promise<DataSource> {
  const databaseUrl = await testDatabaseUrl();
  const dataSource = createDataSource({ databaseUrl, poolMax, applicationName: "test" });
  const { cleaner } = await testPostgres();
  return watchInvariants(await dataSource.initialize(), () => {
    // Nobody waits for it; what goes wrong fails the run as an unhandled rejection.
    void cleaner.query(`DROP DATABASE ${new URL(databaseUrl).pathname.slice(1)} WITH (FORCE)`);
  });
}
