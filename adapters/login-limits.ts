import type { RatePolicy } from "../domain/rate-policy";
import { openSharedCounts, type Counter, type RateLimitsOptions } from "./rate-limits";

const MINUTES = 60;
const HOURS = 60 * MINUTES;

/**
 * Limits of login tries. They cannot be switched off. Tries for an account from elsewhere do not lock it for a
 * browser that logged in before (`device`), nor for a passkey, which cannot be guessed.
 */
export const LOGIN_POLICIES = {
  /** Every try from one address, for any account. */
  address: { name: "login-address", limit: 100, windowSeconds: 15 * MINUTES },
  /**
   * Every try from an IPv6 /48, since one customer may have all of its 65,536 networks, each of which counts as an
   * address.
   */
  network: { name: "login-network", limit: 500, windowSeconds: 15 * MINUTES },
  /** Tries from one address for one account. */
  pair: { name: "login-pair", limit: 10, windowSeconds: 15 * MINUTES },
  /** Tries for one account from everywhere, except from browsers that are known. */
  account: { name: "login-account", limit: 100, windowSeconds: HOURS },
  /**
   * Tries from one browser that logged in to this account before, in place of `pair` and `account`. Successes count
   * too.
   */
  device: { name: "login-device", limit: 20, windowSeconds: 15 * MINUTES },
  /** Wrong codes for one user, whose password is known by then: three of a million are right. */
  secondFactor: { name: "second-factor", limit: 20, windowSeconds: 6 * HOURS },
  /** Wrong passwords and codes in proofs during a session. */
  sudo: { name: "sudo", limit: 10, windowSeconds: 15 * MINUTES },
  /** Refusals written to the audit log of one user; the log contains all of them. */
  refusalNotes: { name: "refusal-notes", limit: 20, windowSeconds: HOURS },
  /** Mails to one account, which anybody can request. */
  mail: { name: "reset-mail", limit: 3, windowSeconds: HOURS },
  /** People to whom one user can have mails sent, with a store name of the user's choice. */
  invitation: { name: "invitation", limit: 30, windowSeconds: HOURS },
} as const satisfies Record<string, RatePolicy>;

/** A try above the limit. */
export interface TooMany {
  retryAfterSeconds: number;
  /** Whether it is the first of this window. */
  first: boolean;
}

export interface LoginLimit {
  /** Counts a try before it is checked. Null when it is allowed. */
  take(sender: string): Promise<TooMany | null>;
  /** Called after a success. */
  forget(sender: string): Promise<void>;
}

export type LoginLimits = Record<keyof typeof LOGIN_POLICIES, LoginLimit> & { close(): void };

function limitOf(policy: RatePolicy, { take, forget }: Counter): LoginLimit {
  return {
    async take(sender) {
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
