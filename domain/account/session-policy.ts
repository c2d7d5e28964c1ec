const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Without a request. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** However busy it is. */
export const SESSION_LIFETIME_MS = 7 * 24 * HOUR_MS;
export const SECOND_FACTOR_MS = 5 * MINUTE_MS;
/** From a login or a fresh proof, for sensitive changes. */
export const SUDO_MS = 10 * MINUTE_MS;
/** After this many wrong codes the password is required again. */
export const SECOND_FACTOR_FAILURES = 5;
export const LAST_SEEN_PRECISION_MS = MINUTE_MS;

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
