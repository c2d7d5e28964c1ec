import type { DataSource } from "typeorm";

/**
 * Entries that these indexes have given since the database is there, as far as the connection that asks has read them:
 * for a `testDatabase(1)`.
 */
export async function entriesRead(db: DataSource, ...indexes: string[]): Promise<number> {
  await db.query("SELECT pg_stat_force_next_flush()");
  const [row] = await db.query<{ read: number }[]>(
    "SELECT sum(idx_tup_read)::int AS read FROM pg_stat_user_indexes WHERE indexrelname = ANY($1)",
    [indexes],
  );
  return row?.read ?? NaN;
}
