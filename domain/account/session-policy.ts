const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A session ends after this long without a request. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** A session ends then, however busy it is. */
export const SESSION_LIFETIME_MS = 7 * 24 * HOUR_MS;
/** How long the second factor is waited for. */
export const SECOND_FACTOR_MS = 5 * MINUTE_MS;
/** How long after a password, a code or a passkey one may change what an intruder would. */
export const SUDO_MS = 10 * MINUTE_MS;
/** After so many wrong codes the password is required again. */
export const SECOND_FACTOR_FAILURES = 5;
/** How exactly it is known when a session was last used. */
export const LAST_SEEN_PRECISION_MS = MINUTE_MS;

/** Whether its user gave a proof lately enough for what asks for one. */
export function isSudo(authenticatedAt: Date, now: Date): boolean {
  return now.getTime() - authenticatedAt.getTime() < SUDO_MS;
}

interface SessionTimes {
  lastSeenAt: Date;
  expiresAt: Date;
}

export function sessionEnded({ lastSeenAt, expiresAt }: SessionTimes, now: Date): boolean {
  return now >= expiresAt || now.getTime() - lastSeenAt.getTime() >= SESSION_IDLE_MS;
}
