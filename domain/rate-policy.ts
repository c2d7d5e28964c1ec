export interface RatePolicy {
  name: string;
  limit: number;
  windowSeconds: number;
}

const BURST = 1_000;
const LONGEST_WINDOW_SECONDS = 60;

/** In windows short enough that no more than 1,000 come at once, but not shorter than a second. */
export function ratePolicy(name: string, perMinute: number): RatePolicy {
  const seconds = Math.floor((BURST * 60) / perMinute);
  const windowSeconds = Math.max(1, Math.min(LONGEST_WINDOW_SECONDS, seconds));
  return { name, windowSeconds, limit: Math.floor((perMinute * windowSeconds) / 60) };
}
