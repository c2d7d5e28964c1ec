import { certificateAdvice } from "../../../adapters/certificate-advice";
import { makeSecretBox } from "../../../adapters/crypto";
import type { Config } from "../../../config/schema";
import { createDataSource, databaseNow } from "../../../database/data-source";
import {
  appliedMigrations,
  hasRoom,
  OLDEST_MAJOR,
  readConnections,
  readServerFacts,
  readStandbys,
} from "../../../database/server-facts";
import { Installation, UNFINISHED_RESTORE } from "../../../entities/installation";
import {
  type Check,
  type Database,
  failed,
  type Finding,
  listed,
  MIGRATE,
  ok,
  reasonOf,
  unknown,
  warning,
} from "./check";
import { chainGapsCheck } from "./chain-gaps";
import { accessCheck, destinationsCheck } from "./destinations";
import { gapLimitCheck } from "./gap-limit";
import { poolerCheck } from "./pooler";
import { setAsideCheck } from "./set-aside";
import { storeNodesCheck } from "./store-nodes";

const POOL_AT_DEFAULTS = 5;
/** Of all apps at the defaults, with the queues in Postgres, and how many times DATABASE_POOL_MAX is in it. */
const CONNECTIONS = { each: { atDefaults: 80, pools: 8 }, few: { atDefaults: 60, pools: 8 } } as const;
const CLOCK_WARNING_SECONDS = 2;
const CLOCK_FAILED_SECONDS = 60;

async function versionCheck(db: Database): Promise<Finding> {
  const { version, major, takesWrites } = await readServerFacts(db.manager);
  if (major < OLDEST_MAJOR)
    return failed(`Postgres ${version} is too old.`, `Use Postgres ${OLDEST_MAJOR} or newer.`);
  if (!takesWrites)
    return failed("The database is read-only.", "Point DATABASE_URL to the primary, not to a replica.");
  if (!(await hasRoom(db)))
    return failed(
      "The database's disk is full: nothing can be stored.",
      "Make room where Postgres keeps its data (PM2's logs may be there, too), or enlarge that disk, and start Postgres again if it has stopped. The service continues by itself.",
    );
  return ok(`Postgres ${version}`);
}

async function migrationsCheck(db: Database): Promise<Finding> {
  const applied = new Set(await appliedMigrations(db.manager));
  const all = db.migrations.map((migration) => migration.name ?? "");
  const pending = all.filter((migration) => !applied.has(migration));
  if (pending.length > 0) return failed(`Not applied yet: ${pending.join(", ")}.`, MIGRATE);
  const foreign = [...applied].filter((migration) => !all.includes(migration));
  if (foreign.length > 0)
    return failed(
      `The database is newer than this version: it has ${foreign.join(", ")}.`,
      "Start the version that migrated it, or a newer one.",
    );
  return ok(`All ${all.length} applied.`);
}

async function installationCheck(db: Database, config: Partial<Config>): Promise<Finding> {
  const row = await db.manager.findOneBy(Installation, { singleton: true });
  if (row === null) return failed("The database has no network recorded yet.", MIGRATE);
  if (row.network === UNFINISHED_RESTORE)
    return failed(
      "A restore into this database did not finish.",
      "Create an empty database, set DATABASE_URL to it, and run the restore again.",
    );
  if (config.NETWORK === undefined) return unknown(`Made for ${row.network}; NETWORK is missing or wrong.`);
  if (row.network !== config.NETWORK)
    return failed(
      `The database was made for ${row.network}, but NETWORK is ${config.NETWORK}.`,
      `Set NETWORK=${row.network}, or use another database.`,
    );
  return ok(`Made for ${row.network}.`);
}

async function secretCheck(db: Database, config: Partial<Config>): Promise<Finding> {
  const row = await db.manager.findOneBy(Installation, { singleton: true });
  if (config.APP_SECRET === undefined)
    return failed(
      "APP_SECRET is missing or too short.",
      row === null
        ? "Make one with `openssl rand -hex 32`."
        : "Set the one that this database was made with.",
    );
  if (row === null) return unknown("The database has none recorded yet.");
  const { APP_SECRET: appSecret, APP_SECRET_OLD: appSecretOld } = config;
  return makeSecretBox({ appSecret, appSecretOld }).checkValueMatches(row.secretCheck)
    ? ok("It is the one that this database was made with.")
    : failed(
        "It is not the one that this database was made with.",
        "Set the former one (a copy should be apart from your backups), or give it as APP_SECRET_OLD while you change it.",
      );
}

async function clockCheck(db: Database): Promise<Finding> {
  const before = Date.now();
  const now = await databaseNow(db.manager);
  const middle = (before + Date.now()) / 2;
  const offSeconds = Math.abs(now.getTime() - middle) / 1_000;
  const message = `The database's clock and this host's are ${offSeconds.toFixed(1)} s apart.`;
  const fix =
    "Synchronise both with NTP (chrony or systemd-timesyncd): invoices expire by the database's clock.";
  if (offSeconds > CLOCK_FAILED_SECONDS) return failed(message, fix);
  return offSeconds > CLOCK_WARNING_SECONDS ? warning(message, fix) : ok(message);
}

async function connectionsCheck(db: Database, config: Partial<Config>): Promise<Finding> {
  const { rows } = await readConnections(db.manager);
  const { most = 0, others = 0 } = rows[0] ?? {};
  const poolMax = config.DATABASE_POOL_MAX ?? POOL_AT_DEFAULTS;
  const processes = config.PROCESSES ?? "each";
  const { atDefaults, pools } = CONNECTIONS[processes];
  const need = atDefaults + pools * (poolMax - POOL_AT_DEFAULTS);
  const message = `${most} are available, all apps together (PROCESSES=${processes}) need up to ${need}, others hold ${others} now.`;
  return most - others >= need
    ? ok(message)
    : warning(
        message,
        "Raise max_connections (or the role's or database's limit), or lower DATABASE_POOL_MAX.",
      );
}

/** A failover to one that the commits do not wait for loses the last of them. */
async function standbysCheck(db: Database): Promise<Finding> {
  const { rows } = await readStandbys(db.manager);
  if (rows.length === 0) return ok("No standby is connected.");
  const standbys = rows.map((standby) => standby.name || "without a name").join(", ");
  return rows.some(({ synchronous }) => synchronous)
    ? ok(`Commits wait for a standby: ${standbys}.`)
    : warning(
        `No commit waits for a standby (${standbys}): after a failover to it, addresses may be given out twice and webhooks sent twice.`,
        "Set synchronous_standby_names on the primary, or never fail over to it without the steps in docs/operations/recovery.md (failover to a standby).",
      );
}

type Look = (db: Database, config: Partial<Config>) => Promise<Finding>;

const LOOKS: readonly (readonly [string, Look])[] = [
  ["database", versionCheck],
  ["database-pooler", poolerCheck],
  ["database-connections", connectionsCheck],
  ["database-standbys", standbysCheck],
  ["clock", clockCheck],
  ["migrations", migrationsCheck],
  ["installation", installationCheck],
  ["app-secret", secretCheck],
  ["gap-limit", gapLimitCheck],
  ["chain-gaps", chainGapsCheck],
  ["set-aside", setAsideCheck],
  ["destinations", destinationsCheck],
  ["access", accessCheck],
  ["store-nodes", storeNodesCheck],
];

function away(message: string, fix: string): Check[] {
  const names = LOOKS.map(([name]) => name);
  return listed(names, [failed(message, fix)], unknown("Unknown without the database."));
}

function howToReach(error: unknown): string {
  const advice = certificateAdvice(error, "Postgres");
  if (advice !== null) return advice;
  return reasonOf(error).includes("unsupported startup parameter")
    ? "Connect directly, or let PgBouncer pass: ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options (and pool_mode = session)."
    : "Does Postgres run, may this host and user connect (pg_hba.conf), and is DATABASE_URL right?";
}

/** All checks of the database; each separately, so that one that fails hides no other. */
export async function databaseChecks(config: Partial<Config>): Promise<Check[]> {
  const { DATABASE_URL: databaseUrl } = config;
  if (databaseUrl === undefined)
    return away(
      "DATABASE_URL is missing or wrong.",
      "Set it to a Postgres database, postgres://user:password@host/name.",
    );
  const db = createDataSource({ databaseUrl, poolMax: 4, applicationName: "quittance doctor" });
  try {
    await db.initialize();
  } catch (error) {
    return away(`The database is not reachable: ${reasonOf(error)}`, howToReach(error));
  }
  try {
    const checks: Check[] = [];
    for (const [name, look] of LOOKS) checks.push({ name, ...(await look(db, config).catch(unanswered)) });
    return checks;
  } finally {
    await db.destroy();
  }
}

/** Tables that a pending migration makes are missing: that check says so, and what to do. */
function unanswered(error: unknown): Finding {
  return unknown(`The database did not answer: ${reasonOf(error)}`);
}
