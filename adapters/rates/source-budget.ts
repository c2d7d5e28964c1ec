const MINUTE_MS = 60_000;
/** `new`: never had a price. */
export type RateRequestKind = "new" | "refresh";

/** Refreshes suffice for all currencies there are. */
const PER_MINUTE: Readonly<Record<RateRequestKind, number>> = { new: 20, refresh: 60 };

export type SourceBudget = ReturnType<typeof makeSourceBudget>;

/** An exchange that blocks this host leaves all stores without rates. Pairs in use do not compete with new ones. */
export function makeSourceBudget() {
  let beganMs = -Infinity;
  let taken = { new: 0, refresh: 0 };
  return {
    /** False when this minute's are used up. */
    take(kind: RateRequestKind, nowMs: number): boolean {
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

export function refreshAfterMs(pairsInUse: number, leastMs: number): number {
  return Math.max(leastMs, (pairsInUse * MINUTE_MS) / PER_MINUTE.refresh);
}
