import {
  assertSchemaCompatibility,
  createPostgresBackend,
  DEFAULT_SCHEMA,
  Queue,
  runMigrations,
  SchemaMigrationRequiredError,
  Worker,
  type BackendFactory,
  type ConnectionOptions,
  type RedisQueueBackend,
} from "bullmq";
import pg from "pg";
import type { Log } from "../../commands/ports";
import { endWhenSilent, STATEMENT_TIMEOUT_MS } from "../../database/data-source";
import { cliCommand } from "../version";
import { QueueRefusedError, type QueueBackend, type StoredJob } from "./backend";

/**
 * Connections of a process in addition to DATABASE_POOL_MAX: for each worker one that waits for notifications, and
 * three that fetch and finish jobs.
 */
export const queueConnections = (workers: number): number => (workers === 0 ? 2 : workers + 3);

// BullMQ's classes are the same for every backend; only their type arguments differ, and ours name the
// default.
const factory = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>;

/** The queues on Postgres: one pool for all queues of the process. */
export function postgresBackend(
  databaseUrl: string,
  { workers, log }: { workers: number; log: Log },
): QueueBackend {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: queueConnections(workers),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: endWhenSilent(),
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "quittance queues",
    // Jobs are hints, which sweeps restore: none waits for the disk (docs/adr/0004).
    options: `-c search_path=${DEFAULT_SCHEMA} -c synchronous_commit=off -c default_transaction_isolation=read\\ committed`,
  });
  pool.setMaxListeners(0); // each queue listens for itself
  pool.on("error", (error) => log.warn({ error: error.message }, "queue: database connection lost"));
  const connection: ConnectionOptions = pool;
  return {
    kind: "postgres",
    name: "The queues' database",
    check: async () => {
      if ((await queueSchemaVersion(pool)) === 0)
        throw new QueueRefusedError(`The queues' tables are missing: run \`${cliCommand("migrate")}\`.`);
    },
    checkWrite: () => Promise.resolve(), // one that refuses writes refuses those of the whole service
    makeQueue: (name) => new Queue<StoredJob, void>(name, { connection }, factory),
    makeWorker: (name, processor, settings) =>
      new Worker<StoredJob, void>(name, processor, { ...settings, connection }, factory),
    close: () => pool.end(),
  };
}

/** The version of the queues' tables; 0 if there are none. */
async function queueSchemaVersion(database: pg.Pool | pg.Client): Promise<number> {
  try {
    return await assertSchemaCompatibility(database);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
}

/**
 * Creates or updates the queues' tables (schema `bullmq`). Idempotent, from several processes at once.
 * @returns the names of the applied migrations, for the command line.
 */
export async function migrateQueues(databaseUrl: string): Promise<string[]> {
  // Statements have no limit: a large table takes long.
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "quittance migrate",
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  client.on("error", () => undefined); // reported by the query's rejection
  await client.connect();
  try {
    const before = await queueSchemaVersion(client);
    const after = await runMigrations(client);
    return before === after ? [] : [`queues-${after}`];
  } finally {
    await client.end();
  }
}
