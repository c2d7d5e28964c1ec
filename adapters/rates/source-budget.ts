const MINUTE_MS = 60_000;
/** `new`: of a pair that never had a price. */
export type RateRequestKind = "new" | "refresh";

/** Refreshes: enough for all currencies there are before their prices are too old. */
const PER_MINUTE: Readonly<Record<RateRequestKind, number>> = { new: 20, refresh: 60 };

/**
 * Limits the requests to a source, however many currencies one client names: an exchange that refuses or blocks this
 * host leaves all stores without its rates. Pairs in use do not compete with new ones.
 */
export interface SourceBudget {
  /** Takes one request; false when this minute's of the kind are used up. */
  take(kind: RateRequestKind, nowMs: number): boolean;
}

export function makeSourceBudget(): SourceBudget {
  let beganMs = -Infinity;
  let taken = { new: 0, refresh: 0 };
  return {
    take(kind, nowMs) {
      if (Math.abs(nowMs - beganMs) >= MINUTE_MS) {
        beganMs = nowMs;
        taken = { new: 0, refresh: 0 };
      }
      if (taken[kind] >= PER_MINUTE[kind]) return false;
      taken[kind] += 1;
      return true;
    },
  };
}

/** The age at which a price is refreshed when its source has so many pairs in use. */
export function refreshAfterMs(pairsInUse: number, leastMs: number): number {
  return Math.max(leastMs, (pairsInUse * MINUTE_MS) / PER_MINUTE.refresh);
}
