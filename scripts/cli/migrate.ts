import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { makeSecretBox } from "../../adapters/crypto";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { checkInstallation, type InstallationFacts } from "../../commands/check-installation";
import { createDataSource } from "../../entities/data-source";
import { Installation } from "../../entities/installation";
import { configFor } from "./context";
import { answering, type Terminal } from "./terminal";

/** Any number that is always the same: one migration at a time in a database. */
const LOCK = 7_391_540_226;
const ASK_AGAIN_MS = 100;

type Database = ReturnType<typeof createDataSource>;

/**
 * Waits for who migrates now. It asks again and again: a statement that waited for the lock would be a transaction for
 * whose end an index that is made CONCURRENTLY waits, and so both for ever.
 */
async function lockMigrations(lock: ReturnType<Database["createQueryRunner"]>): Promise<void> {
  for (;;) {
    const [row] = await lock.manager.query<{ mine: boolean }[]>("SELECT pg_try_advisory_lock($1) AS mine", [
      LOCK,
    ]);
    if (row?.mine === true) return;
    await sleep(ASK_AGAIN_MS);
  }
}

/** A database that was made for something else must not even be migrated. */
async function checkIfInstalled(db: Database, facts: InstallationFacts): Promise<void> {
  const [found] = await db.query<{ table: string | null }[]>(
    `SELECT to_regclass('installation')::text AS "table"`,
  );
  if (found?.table && (await db.manager.existsBy(Installation, { singleton: true })))
    await checkInstallation(db, facts);
}

/**
 * Brings tables and queues up to date and says what the database is for. Others that migrate wait for each other.
 * Answers the names of what was applied.
 * @throws WrongInstallationError
 */
export async function migrateDatabase(databaseUrl: string, facts: InstallationFacts): Promise<string[]> {
  const db = createDataSource({
    databaseUrl,
    poolMax: 2,
    applicationName: "quittance migrate",
    unlimited: true,
  });
  await db.initialize();
  try {
    // The lock belongs to this connection's session, and goes with it whatever happens.
    const lock = db.createQueryRunner();
    await lockMigrations(lock);
    await checkIfInstalled(db, facts);
    const applied = await db.runMigrations();
    const queues = await migrateQueues(databaseUrl);
    await checkInstallation(db, facts);
    await lock.query("SELECT pg_advisory_unlock($1)", [LOCK]);
    await lock.release();
    return [...applied.map(({ name }) => name), ...queues];
  } finally {
    await db.destroy();
  }
}

export function addMigrateCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("migrate")
    .description("bring the database's tables, and those of its queues, up to date; safe to run again")
    .action(
      answering(terminal, async () => {
        const config = configFor(terminal, ["APP_SECRET"]);
        const applied = await migrateDatabase(config.DATABASE_URL, {
          network: config.NETWORK,
          ...makeSecretBox({ appSecret: config.APP_SECRET, appSecretOld: config.APP_SECRET_OLD }),
        });
        const text = applied.length === 0 ? "Nothing to do." : `Applied:\n  ${applied.join("\n  ")}`;
        return { json: { applied }, text };
      }),
    );
}
