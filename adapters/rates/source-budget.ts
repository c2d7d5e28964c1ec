const MINUTE_MS = 60_000;
/** For pairs that have no price. */
const NEW_PER_MINUTE = 20;
/** For pairs in use. Enough to refresh all currencies there are before their prices are too old. */
const REFRESHES_PER_MINUTE = 60;

/**
 * Limits the requests to a source, however many currencies one client names: an exchange that refuses or blocks this
 * host leaves all stores without its rates. Pairs in use do not compete with new ones.
 */
export interface SourceBudget {
  /** Takes one request for a pair without a price; false when this minute's are used up. */
  takeNew(nowMs: number): boolean;
}

export function makeSourceBudget(): SourceBudget {
  let beganMs = -Infinity;
  let taken = 0;
  return {
    takeNew(nowMs) {
      if (Math.abs(nowMs - beganMs) >= MINUTE_MS) {
        beganMs = nowMs;
        taken = 0;
      }
      if (taken >= NEW_PER_MINUTE) return false;
      taken += 1;
      return true;
    },
  };
}

/** The age at which a price is refreshed when its source has so many pairs in use. */
export function refreshAfterMs(pairsInUse: number, leastMs: number): number {
  return Math.max(leastMs, (pairsInUse * MINUTE_MS) / REFRESHES_PER_MINUTE);
}
