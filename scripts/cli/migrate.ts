import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { makeSecretBox } from "../../adapters/crypto";
import { DatabaseRefusedError } from "../../adapters/database";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { checkInstallation, type InstallationFacts } from "../../commands/installation/check-installation";
import { createDataSource } from "../../database/data-source";
import { lockMigrations, unlockMigrations } from "../../database/migration-lock";
import {
  appliedMigrations,
  hasTable,
  readLongTransactions,
  readRunningApps,
} from "../../database/server-facts";
import { Installation } from "../../entities/installation";
import { configFor } from "./context";
import { postgresCode } from "./failure";
import { answering, type Terminal } from "./terminal";

type Database = ReturnType<typeof createDataSource>;
/**
 * A migration that waits for a table, for example because of a backup, has every app wait behind it. After this time it
 * lets them pass.
 */
const LOCK_TIMEOUT_MS = 3_000;
const TRY_AGAIN_MS = 1_000;
/** Its `migrate` accepts databases of earlier checkouts. */
const LAST_ADOPTING = "c56e6010";
/** lock_not_available and deadlock_detected. What is not in a transaction continues where it was. */
const LOCK_CODES: readonly string[] = ["55P03", "40P01"];

/** A database that was made for something else must not even be migrated. */
async function checkIfInstalled(db: Database, facts: InstallationFacts): Promise<void> {
  const installed = await hasTable(db.manager, "installation");
  if (installed && (await db.manager.existsBy(Installation, { singleton: true })))
    await checkInstallation(db, facts);
}

function connect(databaseUrl: string, lastMigration?: string): Promise<Database> {
  const settings = { poolMax: 2, applicationName: "quittance migrate", unlimited: true };
  return createDataSource({
    databaseUrl,
    ...settings,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    ...(lastMigration === undefined ? {} : { lastMigration }),
  }).initialize();
}

/** One migration or undo at a time; others wait for it. */
async function withDatabase<T>(databaseUrl: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await connect(databaseUrl);
  try {
    const lock = db.createQueryRunner();
    await lockMigrations(lock.manager);
    const done = await work(db);
    await unlockMigrations(lock.manager);
    await lock.release();
    return done;
  } finally {
    await db.destroy();
  }
}

/** How a migration waits for others. */
interface Patience {
  /** Counted from the first try that failed since a migration was applied. */
  giveUpAfterMs: number;
  /** Says who is waited for. */
  report(text: string): void;
}

const GIVE_UP_AFTER_MS = 60_000;

/**
 * Does again what could not get a lock in time.
 * @throws DatabaseRefusedError with the names of who may have it
 */
async function retryOnLockTimeout(
  db: Database,
  { giveUpAfterMs, report }: Patience,
  work: () => Promise<unknown>,
): Promise<void> {
  let [until, applied] = [0, -1];
  for (; ; await sleep(TRY_AGAIN_MS))
    try {
      return void (await work());
    } catch (error) {
      if (!LOCK_CODES.includes(postgresCode(error))) throw error;
      const { length } = await appliedMigrations(db.manager);
      if (length !== applied) [until, applied] = [performance.now() + giveUpAfterMs, length];
      const { rows } = await readLongTransactions(db.manager, LOCK_TIMEOUT_MS);
      const names = rows.map(({ name }) => name || "a session without a name").join(", ") || "none now";
      if (performance.now() >= until)
        throw new DatabaseRefusedError(
          `Another session uses a table that is to be changed, and all apps would wait behind the migration. Let it end, and run this again: it continues where it was. Long transactions: ${names}.`,
          { cause: error },
        );
      report(`A table is in use, tried again every few seconds. Long transactions: ${names}.\n`);
    }
}

/** The initial migration replaced theirs (docs/adr/0059). @throws DatabaseRefusedError */
function refuseOfEarlierCheckout({ migrations }: Database, applied: readonly string[]): void {
  if (applied.length === 0 || migrations.some(({ name = "" }) => applied.includes(name))) return;
  throw new DatabaseRefusedError(
    `The last migration of this database is ${applied[0] ?? ""}, of an earlier checkout. Stop all apps and make a backup. Check out commit ${LAST_ADOPTING}, run \`npm ci && npm run build && npm run -s cli -- migrate\` there, then come back to this version and run migrate again.`,
  );
}

/**
 * Migrates tables and queues and records the installation. Returns the names of the applied migrations.
 * @throws WrongInstallationError
 * @throws DatabaseRefusedError when a table is in use for long, or the database is of an earlier checkout
 */
export async function migrateDatabase(
  databaseUrl: string,
  facts: InstallationFacts,
  { giveUpAfterMs = GIVE_UP_AFTER_MS, report = () => undefined }: Partial<Patience> = {},
): Promise<string[]> {
  return withDatabase(databaseUrl, async (db) => {
    const before = await appliedMigrations(db.manager);
    refuseOfEarlierCheckout(db, before);
    await checkIfInstalled(db, facts);
    await retryOnLockTimeout(db, { giveUpAfterMs, report }, () => db.runMigrations());
    const applied = (await appliedMigrations(db.manager))
      .filter((name) => !before.includes(name))
      .toReversed();
    const queues = await migrateQueues(databaseUrl);
    await checkInstallation(db, facts);
    return [...applied, ...queues];
  });
}

/** @throws DatabaseRefusedError */
async function refuseWhileAppsRun(db: Database): Promise<void> {
  const { rows: running } = await readRunningApps(db.manager);
  if (running.length > 0)
    throw new DatabaseRefusedError(
      `Stop all apps first, on all hosts. Connected to the database: ${running.map(({ name }) => name).join(", ")}.`,
    );
}

/**
 * For a return to an older version: undoes the migrations after `keep`, the last first, each in a transaction. What only
 * they can store is deleted. The queues' tables stay. Returns the names of those that were undone.
 * @throws DatabaseRefusedError while apps are connected, or when one of them is unknown to this version
 * @throws WrongInstallationError
 */
export async function undoMigrations(
  databaseUrl: string,
  facts: InstallationFacts,
  keep: string,
  report: Patience["report"] = () => undefined,
): Promise<string[]> {
  return withDatabase(databaseUrl, async (db) => {
    await checkIfInstalled(db, facts);
    const applied = await appliedMigrations(db.manager);
    const at = applied.indexOf(keep);
    if (at === -1)
      throw new DatabaseRefusedError(
        `${keep} is not applied. Name the last migration of the version that you go back to, one of these: ${applied.join(", ")}.`,
      );
    const after = applied.slice(0, at);
    const unknown = after.filter((name) => !db.migrations.some((known) => known.name === name));
    if (unknown.length > 0)
      throw new DatabaseRefusedError(
        `This version does not know ${unknown.join(", ")}. Undo with the version that migrated the database, before the older one is installed.`,
      );
    // After the checks of the name, so that nobody stops the apps for a wrong one.
    await refuseWhileAppsRun(db);
    for (const _ of after) {
      // One that waited for its next try may have connected meanwhile.
      await refuseWhileAppsRun(db);
      await retryOnLockTimeout(db, { giveUpAfterMs: GIVE_UP_AFTER_MS, report }, () => db.undoLastMigration());
    }
    return after;
  });
}

export function addMigrateCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("migrate")
    .description("create and update the tables of the database and its queues; safe to run again")
    .option(
      "--undo-to <migration>",
      "undo the migrations after this one, to go back to an older version; make a backup first",
    )
    .action(
      answering(terminal, async ({ undoTo }: { undoTo?: string }) => {
        const config = configFor(terminal, ["APP_SECRET"]);
        const facts = {
          network: config.NETWORK,
          ...makeSecretBox({ appSecret: config.APP_SECRET, appSecretOld: config.APP_SECRET_OLD }),
        };
        if (undoTo !== undefined) {
          const undone = await undoMigrations(config.DATABASE_URL, facts, undoTo, (text) =>
            terminal.err(text),
          );
          return { json: { undone }, text: listed("Undone", undone) };
        }
        const applied = await migrateDatabase(config.DATABASE_URL, facts, {
          report: (text) => terminal.err(text),
        });
        return { json: { applied }, text: listed("Applied", applied) };
      }),
    );
}

function listed(what: string, names: readonly string[]): string {
  return names.length === 0 ? "Nothing to do." : `${what}:\n  ${names.join("\n  ")}`;
}
