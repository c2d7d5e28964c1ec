import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { DataSource } from "typeorm";
import { createDataSource } from "../../entities/data-source";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../scripts/embedded-postgres";
import { watchInvariants } from "./invariants-always";

let server: Promise<EmbeddedPostgres> | null = null;
let made = 0;

/** One Postgres a test run, started when the first test asks for it. */
export function testPostgres(): Promise<EmbeddedPostgres> {
  server ??= startPostgres();
  return server;
}

async function startPostgres(): Promise<EmbeddedPostgres> {
  const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-test-"));
  const postgres = await startEmbeddedPostgres({
    dir,
    settings: ["fsync=off", "synchronous_commit=off", "full_page_writes=off"],
  });
  // Its data may be elsewhere, where its user could not reach ours.
  process.once("exit", () => {
    for (const each of [dir, path.dirname(postgres.dataDir)]) rmSync(each, { recursive: true, force: true });
  });
  const template = createDataSource({
    databaseUrl: await postgres.createDatabase("template"),
    poolMax: 2,
    applicationName: "migrate",
  });
  await template.initialize();
  await template.runMigrations();
  await template.destroy();
  return postgres;
}

export async function stopTestPostgres(): Promise<void> {
  if (server) await (await server).stop();
}

/** URL of a new database; with the tables unless `empty`. */
export async function testDatabaseUrl({ empty = false } = {}): Promise<string> {
  const postgres = await testPostgres();
  made += 1;
  return postgres.createDatabase(`test_${made}`, empty ? undefined : "template");
}

/** A connected data source on a new database, whose invariants are checked after every test. */
export async function testDatabase(poolMax = 10): Promise<DataSource> {
  const dataSource = createDataSource({
    databaseUrl: await testDatabaseUrl(),
    poolMax,
    applicationName: "test",
  });
  return watchInvariants(await dataSource.initialize());
}
