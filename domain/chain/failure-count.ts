/** Consecutive failures of one invoice, transaction or block. */
export interface FailureCount {
  failures: number;
  firstFailedAt: Date;
  lastFailedAt: Date;
}

const FAILURES_MIN = 3;
const OVER_MS = 60_000;
/** Retries come every few seconds: after this long without a failure the item had succeeded, or was not tried. */
const FORGOTTEN_AFTER_MS = 300_000;

/** One more failure, at `now`. */
export function countFailure(before: FailureCount | null, now: Date): FailureCount {
  const goesOn = before !== null && now.getTime() - before.lastFailedAt.getTime() < FORGOTTEN_AFTER_MS;
  return goesOn
    ? { failures: before.failures + 1, firstFailedAt: before.firstFailedAt, lastFailedAt: now }
    : { failures: 1, firstFailedAt: now, lastFailedAt: now };
}

/**
 * Whether the item itself fails: at least three times over at least a minute in which other work succeeded.
 * `otherWorkAt`: when something else last succeeded.
 */
export function failsForGood(count: FailureCount, otherWorkAt: Date | null): boolean {
  const { failures, firstFailedAt, lastFailedAt } = count;
  return (
    failures >= FAILURES_MIN &&
    lastFailedAt.getTime() - firstFailedAt.getTime() >= OVER_MS &&
    otherWorkAt !== null &&
    otherWorkAt > firstFailedAt
  );
}
