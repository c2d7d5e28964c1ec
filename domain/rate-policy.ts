/** The number of requests in each window. */
export interface RatePolicy {
  name: string;
  limit: number;
  windowSeconds: number;
}

/** How many requests may come at once. */
const BURST = 1_000;
const LONGEST_WINDOW_SECONDS = 60;

/**
 * `perMinute` requests in windows that are short enough that no more than 1,000 come at once (6,000 a minute are 1,000
 * in 10 s), but not shorter than a second.
 */
export function ratePolicy(name: string, perMinute: number): RatePolicy {
  const seconds = Math.floor((BURST * 60) / perMinute);
  const windowSeconds = Math.max(1, Math.min(LONGEST_WINDOW_SECONDS, seconds));
  return { name, windowSeconds, limit: Math.floor((perMinute * windowSeconds) / 60) };
}
