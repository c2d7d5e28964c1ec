import type { RatePolicy } from "../domain/rate-policy";
import { openSharedCounts, type Counter, type RateLimitsOptions } from "./rate-limits";

const MINUTES = 60;
const HOURS = 60 * MINUTES;

/**
 * How often one may try to come in. They cannot be switched off. An account is not closed by whoever tries it from
 * elsewhere, until very many tries: its user has another address, and a passkey is not counted for the account.
 */
export const LOGIN_POLICIES = {
  /** Every try of one address, for whomever. */
  address: { name: "login-address", limit: 100, windowSeconds: 15 * MINUTES },
  /** Tries of one address for one account. */
  pair: { name: "login-pair", limit: 10, windowSeconds: 15 * MINUTES },
  /** Tries for one account from everywhere. */
  account: { name: "login-account", limit: 100, windowSeconds: HOURS },
  /** Wrong codes of one user, whose password is known to whoever tries: three of a million are right. */
  secondFactor: { name: "second-factor", limit: 20, windowSeconds: 6 * HOURS },
  /** Mails that anybody can have sent to one account. */
  mail: { name: "reset-mail", limit: 3, windowSeconds: HOURS },
  /** People whom one user can have mails sent to, with a store's name of that user's choice in them. */
  invitation: { name: "invitation", limit: 30, windowSeconds: HOURS },
} as const satisfies Record<string, RatePolicy>;

export interface LoginLimit {
  /** Counts a try, before it is looked at. Null, or in how many seconds to try again. */
  take(sender: string): Promise<number | null>;
  /** After a success. */
  forget(sender: string): Promise<void>;
}

export type LoginLimits = Record<keyof typeof LOGIN_POLICIES, LoginLimit> & { close(): void };

function limitOf(policy: RatePolicy, { take, forget }: Counter): LoginLimit {
  return {
    async take(sender) {
      const { consumedPoints, msBeforeNext } = await take(sender, 1);
      return consumedPoints > policy.limit ? Math.max(1, Math.ceil(msBeforeNext / 1_000)) : null;
    },
    forget,
  };
}

/** Connects in the background and never throws. */
export function makeLoginLimits(options: Omit<RateLimitsOptions, "perMinute">): LoginLimits {
  const counts = openSharedCounts(options);
  const limit = (policy: RatePolicy) => limitOf(policy, counts.counter(policy));
  return {
    address: limit(LOGIN_POLICIES.address),
    pair: limit(LOGIN_POLICIES.pair),
    account: limit(LOGIN_POLICIES.account),
    secondFactor: limit(LOGIN_POLICIES.secondFactor),
    mail: limit(LOGIN_POLICIES.mail),
    invitation: limit(LOGIN_POLICIES.invitation),
    close: () => counts.close(),
  };
}
