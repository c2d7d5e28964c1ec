import type { Command } from "commander";
import { makeSecretBox } from "../../adapters/crypto";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { checkInstallation, type InstallationFacts } from "../../commands/server/check-installation";
import { adoptSchema, hasFormerMigrations } from "../../database/adopt-schema";
import { createDataSource } from "../../database/data-source";
import { lockMigrations, unlockMigrations } from "../../database/migration-lock";
import { hasTable } from "../../database/server-facts";
import { Installation } from "../../entities/installation";
import { configFor } from "./context";
import { answering, type Terminal } from "./terminal";

type Database = ReturnType<typeof createDataSource>;

/** A database that was made for something else must not even be migrated. */
async function checkIfInstalled(db: Database, facts: InstallationFacts): Promise<void> {
  const installed = await hasTable(db.manager, "installation");
  if (installed && (await db.manager.existsBy(Installation, { singleton: true })))
    await checkInstallation(db, facts);
}

/**
 * Migrates tables and queues and records the installation. Parallel migrations wait for each other. Returns the names
 * of the applied ones.
 * @throws WrongInstallationError
 * @throws OldSchemaError
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
    const lock = db.createQueryRunner();
    await lockMigrations(lock.manager);
    const former = await hasFormerMigrations(db);
    await checkIfInstalled(db, facts);
    const adopted = former ? [await adoptSchema(db)] : [];
    const applied = (await db.runMigrations()).map(({ name }) => name);
    const queues = await migrateQueues(databaseUrl);
    await checkInstallation(db, facts);
    await unlockMigrations(lock.manager);
    await lock.release();
    return [...adopted, ...applied, ...queues];
  } finally {
    await db.destroy();
  }
}

export function addMigrateCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("migrate")
    .description("create and update the tables of the database and its queues; safe to run again")
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
