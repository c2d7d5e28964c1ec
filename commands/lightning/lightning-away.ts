import type { EntityManager } from "typeorm";
import { readAway } from "./queries";

/**
 * Whether the watcher has just found that LND does not answer. A call would last until its deadline, and so would
 * the work that waits for it; the watcher calls as soon as LND is back.
 */
export async function isKnownAway(manager: EntityManager): Promise<boolean> {
  return (await readAway(manager)).rows[0]?.away ?? false;
}
