/** A time in which payments may have been missed, until that is made up for. */
export interface Gap {
  beganAt: Date;
  /** Null while it lasts. */
  endedAt: Date | null;
}

interface InvoiceTime {
  createdAt: Date;
  expiresAt: Date;
}

/** What limits how long an expiry may be held. */
export interface HoldLimits {
  holdMinutes: number;
  /** The last start of chain-watch after at least a minute without it; null where none is known. */
  watchStartedAt: Date | null;
  /** When the deciding process started. */
  processStartedAt: Date;
}

/** No expiry waits for longer, however often processes restart. */
export const HOLD_MAX_MS = 24 * 3_600_000;
/** How long a process that has just started waits for chain-watch, which may be starting at the same time. */
export const START_GRACE_MS = 60_000;

/** From when an expiry no longer waits for anything. */
export function holdExpiryUntil(expiresAt: Date, limits: HoldLimits): Date {
  const { holdMinutes, watchStartedAt, processStartedAt } = limits;
  const expiry = expiresAt.getTime();
  const from = Math.max(expiry, watchStartedAt?.getTime() ?? expiry);
  const until = Math.max(from + holdMinutes * 60_000, processStartedAt.getTime() + START_GRACE_MS);
  return new Date(Math.min(until, expiry + HOLD_MAX_MS));
}

/** Whether the invoice's time, from its creation to its expiry, overlaps one of the gaps. */
export function overlapsGap({ createdAt, expiresAt }: InvoiceTime, gaps: readonly Gap[]): boolean {
  return lastsInto(
    createdAt,
    gaps.filter(({ beganAt }) => beganAt <= expiresAt),
  );
}

/** Whether one of the gaps goes on past the instant: what came after it may be missing. */
export function lastsInto(instant: Date, gaps: readonly Gap[]): boolean {
  return gaps.some(({ endedAt }) => endedAt === null || endedAt >= instant);
}
