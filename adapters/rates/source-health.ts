const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;
/** A source's own request. */
const LONGEST_WISH_MS = 600_000;

export type SourceHealth = ReturnType<typeof makeSourceHealth>;

/** After a failure: 5 s, then twice as long each time, up to 5 min. */
export function makeSourceHealth() {
  let failures = 0;
  let failedMs = 0;
  let notBeforeMs = 0;
  // A clock that was set back must not make the pause longer.
  const mayAsk = (nowMs: number): boolean => nowMs >= notBeforeMs || nowMs < failedMs;
  return {
    mayAsk,
    /** Returns the consecutive failures; 0 if requested before the pause began. `leastMs`: the source's own request. */
    fail(nowMs: number, leastMs = 0): number {
      const wishedMs = nowMs + Math.min(leastMs, LONGEST_WISH_MS);
      if (!mayAsk(nowMs)) {
        notBeforeMs = Math.max(notBeforeMs, wishedMs);
        return 0;
      }
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
      failedMs = nowMs;
      notBeforeMs = Math.max(nowMs + pauseMs, wishedMs);
      return (failures += 1);
    },
    succeed(): number {
      const ended = failures;
      failures = 0;
      notBeforeMs = 0;
      return ended;
    },
  };
}
