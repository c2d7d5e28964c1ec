import type { EntityManager } from "typeorm";

/** How the watcher's words of an LND that gives no answers begin. */
const CANNOT_BE_USED = "Lightning cannot be used: ";
/** It says so anew every few seconds; what it said longer ago may be over. */
const BELIEVED_SECONDS = 20;

/** `why`: of the last failure, without hosts and secrets. */
export function cannotBeUsed(why: string): string {
  return `${CANNOT_BE_USED}${why}.`;
}

/** `isKnownAway` as an expression of SQL. */
export const KNOWN_AWAY = `EXISTS (SELECT 1 FROM rails
  WHERE type = 'BTC-LN' AND NOT synchronized AND starts_with(problem, '${CANNOT_BE_USED}')
    AND checked_at > clock_timestamp() - ${BELIEVED_SECONDS} * interval '1 second')`;

/**
 * Whether the watcher has just found that LND gives no answers. Who asks all the same waits for a deadline, and so does
 * the work behind it; the watcher asks by itself as soon as LND is back.
 */
export async function isKnownAway(manager: EntityManager): Promise<boolean> {
  const [row] = await manager.query<{ away: boolean }[]>(`SELECT ${KNOWN_AWAY} AS away`);
  return row?.away ?? false;
}
