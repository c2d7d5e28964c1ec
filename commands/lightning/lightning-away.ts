import type { EntityManager } from "typeorm";
import { readAway } from "./queries";

/**
 * Whether the watcher has just found that LND gives no answers. Who asks all the same waits for a deadline, and so does
 * the work behind it; the watcher asks by itself as soon as LND is back.
 */
export async function isKnownAway(manager: EntityManager): Promise<boolean> {
  return (await readAway(manager)).rows[0]?.away ?? false;
}
