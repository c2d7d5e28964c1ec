import { type DataSource, type EntityManager, QueryFailedError } from "typeorm";
import { pipelined, transaction } from "./pipelined";
import { statement } from "./statement";

export const OLDEST_MAJOR = 15;

export interface ServerFacts {
  /** "17.2 (Debian 17.2-1)". */
  version: string;
  major: number;
  takesWrites: boolean;
}

const readServer = statement<[], ServerFacts>(
  "database.read-server",
  `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
          current_setting('transaction_read_only') = 'off' AS "takesWrites"`,
);

export async function readServerFacts(manager: EntityManager): Promise<ServerFacts> {
  const {
    rows: [row],
  } = await readServer(manager);
  if (row === undefined) throw new Error("the database gave no facts of itself");
  return row;
}

const sortInLittleMemory = statement(
  "database.sort-in-little-memory",
  "SELECT set_config('work_mem', '64kB', true)",
);

/** The lines are more than that memory holds, so Postgres puts 344 kB into a temporary file of its own. */
const sortOnDisk = statement(
  "database.sort-on-disk",
  `SELECT count(*)
     FROM (SELECT repeat('x', 64) || n AS line FROM generate_series(1, 4000) n ORDER BY line DESC OFFSET 0) lines`,
);

/** SQLSTATE `disk_full`, and a limit of the server's on what a session may put there. */
const FULL = ["53100", "53400"];

/**
 * On a full disk Postgres still reads, and updates what fits into its pages: everything looks well, and no invoice can
 * be stored.
 */
export async function hasRoom(db: DataSource): Promise<boolean> {
  try {
    await transaction(db, (manager) => pipelined(sortInLittleMemory(manager), sortOnDisk(manager)));
    return true;
  } catch (error) {
    if (
      error instanceof QueryFailedError &&
      FULL.includes(String((error.driverError as { code?: unknown }).code))
    )
      return false;
    throw error;
  }
}

const findTable = statement<[name: string], { found: boolean }>(
  "database.look-for-table",
  "SELECT to_regclass($1) IS NOT NULL AS found",
);

export async function hasTable(manager: EntityManager, name: string): Promise<boolean> {
  const { rows } = await findTable(manager, name);
  return rows.some(({ found }) => found);
}

const readMigrations = statement<[], { name: string }>(
  "database.read-migrations",
  "SELECT name FROM migrations ORDER BY id DESC",
);

/** The last applied first, as TypeORM undoes them; none if never migrated. */
export async function appliedMigrations(manager: EntityManager): Promise<string[]> {
  if (!(await hasTable(manager, "migrations"))) return [];
  return (await readMigrations(manager)).rows.map(({ name }) => name);
}

export interface ConnectionFacts {
  /** For our role, in this database. */
  most: number;
  others: number;
}

export const readConnections = statement<[], ConnectionFacts>(
  "database.read-connections",
  `SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                nullif(role.rolconnlimit, -1), nullif(base.datconnlimit, -1)) AS most,
          (SELECT count(*)::int FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND application_name NOT LIKE 'quittance%') AS others
     FROM pg_roles role, pg_database base
    WHERE role.rolname = current_user AND base.datname = current_database()`,
);

/**
 * Whether a commit waits for any. Every role sees that, unlike for which. A subscriber, and a tool that copies, is
 * none.
 */
export const readStandbys = statement<[], { name: string; synchronous: boolean }>(
  "database.read-standbys",
  `SELECT DISTINCT application_name AS name, current_setting('synchronous_standby_names') <> '' AS synchronous
     FROM pg_stat_replication
    WHERE application_name NOT IN ('pg_basebackup', 'pg_receivewal')
      AND pid NOT IN (SELECT active_pid FROM pg_replication_slots
                       WHERE slot_type = 'logical' AND active_pid IS NOT NULL)
    ORDER BY name`,
);

/** In this database, also unreadable ones. Sessions that only migrate wait for the migration lock. */
export const readOtherSessions = statement<[], { name: string }>(
  "database.read-other-sessions",
  `SELECT DISTINCT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND usesysid IS NOT NULL
      AND coalesce(backend_type, 'client backend') = 'client backend'
      AND application_name NOT IN ('quittance migrate', current_setting('application_name'))
    ORDER BY name`,
);

/** In this database; without those that migrate or only read. */
export const readRunningApps = statement<[], { name: string }>(
  "database.read-running-apps",
  `SELECT DISTINCT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'quittance %'
      AND application_name NOT IN ('quittance migrate', 'quittance doctor', current_setting('application_name'))
    ORDER BY name`,
);

/** Transactions as old as that, or of unknown age: they may hold locks. */
export const readLongTransactions = statement<[ms: number], { name: string }>(
  "database.read-long-transactions",
  `SELECT DISTINCT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND coalesce(backend_type, 'client backend') = 'client backend'
      AND (xact_start < clock_timestamp() - $1::float8 * interval '1 ms'
        OR usesysid <> (SELECT oid FROM pg_roles WHERE rolname = current_user) AND state IS NULL)
    ORDER BY name`,
);
