import type { RatePolicy } from "../domain/rate-policy";
import { openSharedCounts, type Counter, type RateLimitsOptions } from "./rate-limits";

const MINUTES = 60;
const HOURS = 60 * MINUTES;

/**
 * They cannot be switched off. A browser that logged in before (`device`), and a passkey, are not locked out by tries
 * from elsewhere.
 */
export const LOGIN_POLICIES = {
  address: { name: "login-address", limit: 100, windowSeconds: 15 * MINUTES },
  /** A customer may have an IPv6 /48: 65,536 networks, each of which counts as an address. */
  network: { name: "login-network", limit: 500, windowSeconds: 15 * MINUTES },
  pair: { name: "login-pair", limit: 10, windowSeconds: 15 * MINUTES },
  /** From everywhere, except from known browsers. */
  account: { name: "login-account", limit: 100, windowSeconds: HOURS },
  /** A known browser, in place of `pair` and `account`. Successes count too. */
  device: { name: "login-device", limit: 20, windowSeconds: 15 * MINUTES },
  /** The password is known by then: three of a million codes are right. */
  secondFactor: { name: "second-factor", limit: 20, windowSeconds: 6 * HOURS },
  sudo: { name: "sudo", limit: 10, windowSeconds: 15 * MINUTES },
  /** In a user's audit log; the log has all. */
  refusalNotes: { name: "refusal-notes", limit: 20, windowSeconds: HOURS },
  /** Anybody can request one. */
  mail: { name: "reset-mail", limit: 3, windowSeconds: HOURS },
  /** With a store name of the user's choice. */
  invitation: { name: "invitation", limit: 30, windowSeconds: HOURS },
} as const satisfies Record<string, RatePolicy>;

export type LoginLimit = ReturnType<typeof limitOf>;

export type LoginLimits = Record<keyof typeof LOGIN_POLICIES, LoginLimit> & { close(): void };

function limitOf(policy: RatePolicy, { take, forget }: Counter) {
  return {
    async take(sender: string) {
      const { consumedPoints, msBeforeNext } = await take(sender, 1);
      if (consumedPoints <= policy.limit) return null;
      return {
        retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
        first: consumedPoints === policy.limit + 1,
      };
    },
    forget,
  };
}

/** Connects in the background and never throws. */
export function makeLoginLimits(options: Omit<RateLimitsOptions, "perMinute">): LoginLimits {
  const counts = openSharedCounts(options);
  const limits = Object.entries(LOGIN_POLICIES).map(([name, policy]) => [
    name,
    limitOf(policy, counts.counter(policy)),
  ]);
  return {
    ...(Object.fromEntries(limits) as Omit<LoginLimits, "close">),
    close: () => counts.close(),
  };
}
