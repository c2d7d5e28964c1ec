import type { DataSource, EntityManager } from "typeorm";
import { appliedMigrations, readRunningApps } from "./server-facts";
import { differencesOf, readSchemaObjects, type SchemaObjects } from "./schema-objects";

/** Replaced all earlier ones (docs/adr/0059), and the last of those. */
const INITIAL = { timestamp: 1_795_700_000_001, name: "InitialSchema1795700000001" };
const LAST_BEFORE = "ReportKinds1796000300000";
const LAST_COMMIT = "147cf0d9";
const RENAMES = [
  "ALTER TABLE alerts RENAME told_at TO sent_at",
  "ALTER INDEX alerts_untold RENAME TO alerts_unsent",
  "ALTER TABLE payment_method_syncs RENAME walking_back TO loss_unchecked",
  "ALTER TABLE lightning_cursors RENAME hole_since TO gap_since",
];

const BRING_TO_LAST = `Check out commit ${LAST_COMMIT}, run \`npm ci && npm run build && npm run -s cli -- migrate\` there, then come back to this version and run migrate again. Make a backup first.`;
const MOST_LISTED = 20;

/** The message says what to do. */
export class OldSchemaError extends Error {
  override readonly name = "OldSchemaError";
}

/** Also what a backup names. */
export const areFormer = (migrations: readonly string[]): boolean => migrations.includes(LAST_BEFORE);

/** Last migrated by a version with the former migrations. @throws OldSchemaError when some are missing. */
export async function hasFormerMigrations(db: DataSource): Promise<boolean> {
  const applied = await appliedMigrations(db.manager);
  const [last] = applied;
  if (last === undefined || applied.includes(INITIAL.name)) return false;
  if (last !== LAST_BEFORE)
    throw new OldSchemaError(
      `The last migration of this database is ${last}; this version goes on from ${LAST_BEFORE}. ${BRING_TO_LAST}`,
    );
  return true;
}

/**
 * Renames columns and changes rows of `migrations`: the schema is the same. Returns the initial migration's name.
 * @throws OldSchemaError while apps are connected, or when the schema differs.
 */
export async function adoptSchema(db: DataSource): Promise<string> {
  await db.transaction(async (manager) => {
    await refuseWhileAppsRun(manager);
    for (const rename of RENAMES) await manager.query(rename);
    const differences = differencesOf(await initialObjects(db, manager), await readSchemaObjects(manager));
    if (differences.length > 0) throw new OldSchemaError(sayDifferences(differences));
    await manager.query("DELETE FROM migrations");
    await manager.query("INSERT INTO migrations (timestamp, name) VALUES ($1, $2)", [
      INITIAL.timestamp,
      INITIAL.name,
    ]);
  });
  return INITIAL.name;
}

/** They are of the previous version, without the next migrations. */
async function refuseWhileAppsRun(manager: EntityManager): Promise<void> {
  const { rows: running } = await readRunningApps(manager);
  if (running.length > 0)
    throw new OldSchemaError(
      `Stop all apps before this upgrade, then run migrate again. Connected to the database: ${running.map(({ name }) => name).join(", ")}.`,
    );
}

/** In a schema of its own, which is then dropped. */
async function initialObjects(db: DataSource, manager: EntityManager): Promise<SchemaObjects> {
  const migration = db.migrations.find(({ name }) => name === INITIAL.name);
  const runner = manager.queryRunner;
  if (migration === undefined || runner === undefined) throw new Error(`${INITIAL.name} is not there`);
  await runner.query("SAVEPOINT initial_schema");
  await runner.query("CREATE SCHEMA quittance_initial_schema");
  // The search's extension is in a schema of the database's own.
  await runner.query(
    "SELECT set_config('search_path', 'quittance_initial_schema, ' || current_setting('search_path'), true)",
  );
  await migration.up(runner);
  const objects = await readSchemaObjects(manager);
  await runner.query("ROLLBACK TO SAVEPOINT initial_schema");
  return objects;
}

function sayDifferences(differences: readonly string[]): string {
  const listed = differences.slice(0, MOST_LISTED).map((difference) => `\n  - ${difference}`);
  const more = differences.length > MOST_LISTED ? `\n  and ${differences.length - MOST_LISTED} more` : "";
  return `The tables of this database differ from those that its migrations made; nothing was changed:${listed.join("")}${more}\nSomebody changed them by hand: undo that, then run migrate again.`;
}
