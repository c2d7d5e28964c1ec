import type { DataSource } from "typeorm";
import type { Log } from "../commands/ports";
import { createDataSource, type DataSourceSettings } from "../entities/data-source";
import { isDatabaseOutage } from "./database-outage";

const OLDEST_MAJOR = 15;
const RETRY_MS = 1_000;
const UNDEFINED_TABLE = "42P01";

/** The database must not be used as it is. The message says how to mend it, without hosts and secrets. */
export class DatabaseRefusedError extends Error {
  override readonly name = "DatabaseRefusedError";
}

class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError";
}

export interface ConnectOptions {
  log: Log;
  /** How long to wait for a database that is away; without it for ever. Then the outage itself is thrown. */
  patienceMs?: number;
}

async function appliedMigrations(dataSource: DataSource): Promise<Set<string>> {
  try {
    const rows = await dataSource.query<{ name: string }[]>("SELECT name FROM migrations");
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === UNDEFINED_TABLE) return new Set();
    throw error;
  }
}

async function checkDatabase(dataSource: DataSource): Promise<void> {
  const [row] = await dataSource.query<{ version: string; readOnly: string }[]>(
    `SELECT current_setting('server_version_num') AS version, current_setting('transaction_read_only') AS "readOnly"`,
  );
  const major = Math.floor(Number(row?.version) / 10_000);
  if (major < OLDEST_MAJOR)
    throw new DatabaseRefusedError(`Postgres ${major} is too old: use Postgres ${OLDEST_MAJOR} or newer.`);
  if (row?.readOnly === "on") throw new ReadOnlyError("the database takes no writes");
  const applied = await appliedMigrations(dataSource);
  const pending = dataSource.migrations.filter(({ name }) => name !== undefined && !applied.has(name));
  if (pending.length > 0)
    throw new DatabaseRefusedError(
      `The database lacks ${pending.length} ${pending.length === 1 ? "migration" : "migrations"}: run \`npm run -s cli -- migrate\`.`,
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
 * Connects to a database that is migrated and takes writes; waits for one that is away, and says so.
 * @throws DatabaseRefusedError for one that must not be used as it is; what the server refuses (a wrong password) as it came.
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
      const away = error instanceof ReadOnlyError || isDatabaseOutage(error);
      if (!away || performance.now() - begin > patienceMs) throw error;
      const reason = error instanceof Error ? error.message || error.name : String(error);
      if (tries % 10 === 0) log.warn({ reason }, "waiting for the database");
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
