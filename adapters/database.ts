import type { DataSource } from "typeorm";
import type { Log } from "../commands/ports";
import { createDataSource, type DataSourceSettings } from "../database/data-source";
import { appliedMigrations, OLDEST_MAJOR, readServerFacts } from "../database/server-facts";
import { certificateAdvice } from "./certificate-advice";
import { isDatabaseOutage } from "./database-outage";
import { cliCommand } from "./version";

const RETRY_MS = 1_000;

/** The message says how to fix it, without hosts and secrets. */
export class DatabaseRefusedError extends Error {
  override readonly name = "DatabaseRefusedError";
}

class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError";
}

export interface ConnectOptions {
  log: Log;
  /** Then the outage is thrown; default: for ever. */
  patienceMs?: number;
}

async function checkDatabase(dataSource: DataSource): Promise<void> {
  const { manager, migrations } = dataSource;
  const { major, takesWrites } = await readServerFacts(manager);
  if (major < OLDEST_MAJOR)
    throw new DatabaseRefusedError(`Postgres ${major} is too old: use Postgres ${OLDEST_MAJOR} or newer.`);
  if (!takesWrites) throw new ReadOnlyError("the database is read-only");
  const applied = new Set(await appliedMigrations(manager));
  const pending = migrations.filter(({ name }) => name !== undefined && !applied.has(name));
  if (pending.length > 0)
    throw new DatabaseRefusedError(
      `The database lacks ${pending.length} ${pending.length === 1 ? "migration" : "migrations"}: run \`${cliCommand("migrate")}\`.`,
    );
}

async function connectOnce(settings: DataSourceSettings): Promise<DataSource> {
  const dataSource = createDataSource(settings);
  await dataSource.initialize();
  try {
    await checkDatabase(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/**
 * Migrated and accepting writes; waits for a database that is away.
 * @throws DatabaseRefusedError if it must not be used; refusals by the server (a wrong password) unchanged.
 */
export async function connectDatabase(
  settings: DataSourceSettings,
  { log, patienceMs = Infinity }: ConnectOptions,
): Promise<DataSource> {
  const begin = performance.now();
  for (let tries = 0; ; tries++) {
    try {
      return await connectOnce(settings);
    } catch (error) {
      const advice = certificateAdvice(error, "Postgres");
      if (advice !== null) throw new DatabaseRefusedError(advice);
      const away = error instanceof ReadOnlyError || isDatabaseOutage(error);
      if (!away || performance.now() - begin > patienceMs) throw error;
      const reason = error instanceof Error ? error.message || error.name : String(error);
      if (tries % 10 === 0) log.warn({ reason }, "database: waiting for a connection");
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
