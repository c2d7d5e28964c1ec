import type { DataSource, MigrationInterface, QueryRunner } from "typeorm";

/** Not in every database; it says why, and what to do. */
interface UndoableMigration extends MigrationInterface {
  whyNotDown?(queryRunner: QueryRunner): Promise<string | null>;
}

/** Null: all can be. */
export async function whyNotUndone(db: DataSource, names: readonly string[]): Promise<string | null> {
  const runner = db.createQueryRunner();
  try {
    for (const migration of db.migrations as UndoableMigration[]) {
      if (!names.includes(migration.name ?? "")) continue;
      const reason = await migration.whyNotDown?.(runner);
      if (reason) return reason;
    }
    return null;
  } finally {
    await runner.release();
  }
}
