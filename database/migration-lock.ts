import { setTimeout as sleep } from "node:timers/promises";
import type { EntityManager } from "typeorm";
import { statement } from "./statement";

/** An arbitrary constant: one migration at a time in a database. */
const LOCK = 7_391_540_226;
const ASK_AGAIN_MS = 100;

const tryLock = statement<[lock: number], { mine: boolean }>(
  "database.try-migration-lock",
  "SELECT pg_try_advisory_lock($1) AS mine",
);
const unlock = statement<[lock: number], unknown>(
  "database.end-migration-lock",
  "SELECT pg_advisory_unlock($1)",
);

/**
 * Waits for another migration. The lock belongs to the session of the manager's connection, and ends with it in any
 * case. It polls: a statement that waited for the lock would be a transaction, and an index that is created
 * CONCURRENTLY waits for the end of every transaction: both would wait for ever.
 */
export async function lockMigrations(manager: EntityManager): Promise<void> {
  for (;;) {
    const { rows } = await tryLock(manager, LOCK);
    if (rows[0]?.mine === true) return;
    await sleep(ASK_AGAIN_MS);
  }
}

export async function unlockMigrations(manager: EntityManager): Promise<void> {
  await unlock(manager, LOCK);
}
