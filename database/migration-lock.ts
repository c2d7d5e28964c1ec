import { setTimeout as sleep } from "node:timers/promises";
import type { EntityManager } from "typeorm";
import { statement } from "./statement";

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
 * Ends with the manager's session. Polls: a waiting statement would be a transaction, for whose end CREATE INDEX
 * CONCURRENTLY waits.
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
