import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { DataSource } from "typeorm";
import type { Log } from "../commands/ports";
import { withDeadline } from "../database/with-deadline";
import { type RatePolicy, ratePolicy } from "../domain/rate-policy";
import { connectRedis } from "./queues/redis-connection";

export type RateLimiter = ReturnType<typeof inBlocks>;

export type RateLimits = NonNullable<ReturnType<typeof makeRateLimits>>;

export interface RateLimitsOptions {
  perMinute: number;
  redisUrl: string | undefined;
  /** Null until the database has been reached. */
  db: () => DataSource | null;
  log: Log;
  /** The shared count delays no longer; default: 500. */
  deadlineMs?: number;
}

const ADDRESS_PER_MINUTE = 6_000;
const PREFIX = "quittance:rate";
const DEADLINE_MS = 500;
const ALONE_MS = 5_000;
/** The shared count is updated once per block. */
const BLOCKS_IN_A_LIMIT = 100;

export type Counter = ReturnType<typeof makeCounter>;

/** Connects in the background and never throws. */
export function openSharedCounts(options: Omit<RateLimitsOptions, "perMinute">) {
  const redis = options.redisUrl === undefined ? null : connectRedis(options.redisUrl);
  redis?.on("error", () => undefined); // reported when a count fails
  const shared = (policy: RatePolicy): RateLimiterAbstract | null => {
    const common = {
      keyPrefix: `${PREFIX}:${policy.name}`,
      points: policy.limit,
      duration: policy.windowSeconds,
    };
    if (redis !== null) return new RateLimiterRedis({ ...common, storeClient: redis });
    const db = options.db();
    const table = { storeType: "typeorm", tableName: "rate_limits", tableCreated: true };
    return db === null ? null : new RateLimiterPostgres({ ...common, ...table, storeClient: db });
  };
  return {
    counter: (policy: RatePolicy) => makeCounter(policy, () => shared(policy), options),
    close: () => redis?.disconnect(),
  };
}

/** All processes count together. Null: no limit. Connects in the background and never throws. */
export function makeRateLimits(options: RateLimitsOptions) {
  if (options.perMinute === 0) return null;
  const counts = openSharedCounts(options);
  const limiter = (name: string, perMinute: number) => {
    const policy = ratePolicy(name, perMinute);
    return inBlocks(policy, counts.counter(policy).take);
  };
  return {
    /** All keys of a store together. */
    store: limiter("store", options.perMinute),
    /** For the dashboard: a viewer must not use up the limit of the store's shop. */
    user: limiter("user", options.perMinute),
    address: limiter("address", ADDRESS_PER_MINUTE),
    close: () => counts.close(),
  };
}

/** Alone while the shared store is away: a limit must not cause an outage. */
function makeCounter(
  policy: RatePolicy,
  open: () => RateLimiterAbstract | null,
  { log, deadlineMs = DEADLINE_MS }: Pick<RateLimitsOptions, "log" | "deadlineMs">,
) {
  const alone = new RateLimiterMemory({ points: policy.limit, duration: policy.windowSeconds });
  let shared: RateLimiterAbstract | null = null;
  let aloneUntil = 0;
  const inShared = async <T>(work: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> => {
    shared ??= open();
    const together = shared;
    if (together === null || performance.now() < aloneUntil) return work(alone);
    try {
      return await withDeadline(deadlineMs, () => work(together));
    } catch (error) {
      if (aloneUntil === 0 || performance.now() > aloneUntil + ALONE_MS)
        log.warn(
          { err: error, limit: policy.name },
          "rate limit: shared counter unavailable, counting locally",
        );
      aloneUntil = performance.now() + ALONE_MS;
      return work(alone);
    }
  };
  return {
    take: (sender: string, points: number) => inShared((limiter) => consume(limiter, sender, points)),
    async forget(sender: string): Promise<void> {
      await inShared((limiter) => limiter.delete(sender));
    },
  };
}

/** A window that ends too late was dated by a clock that was ahead: the sender would be refused for as long. */
async function consume(
  limiter: RateLimiterAbstract,
  sender: string,
  points: number,
): Promise<RateLimiterRes> {
  const result = await consumeOnce(limiter, sender, points);
  if (result.msBeforeNext <= 2 * limiter.duration * 1_000) return result;
  await limiter.delete(sender);
  return consumeOnce(limiter, sender, points);
}

/** The library rejects with its result at the limit. */
async function consumeOnce(
  limiter: RateLimiterAbstract,
  sender: string,
  points: number,
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(sender, points);
  } catch (result) {
    if (result instanceof RateLimiterRes) return result;
    throw result;
  }
}

interface Block {
  /** Counted in advance, not used yet. */
  left: number;
  /** At the last read of the shared count. */
  remaining: number;
  /** By performance.now(). */
  until: number;
}

/** Most requests need no query. A block's rest is lost at the end of its window. */
function inBlocks(policy: RatePolicy, take: Counter["take"]) {
  const block = Math.max(1, Math.floor(policy.limit / BLOCKS_IN_A_LIMIT));
  const held = new Map<string, Block>();
  const refilling = new Map<string, Promise<void>>();

  async function refill(sender: string, points: number): Promise<void> {
    const before = held.get(sender);
    const taken = Math.max(block, points);
    const { consumedPoints, remainingPoints, msBeforeNext } = await take(sender, taken);
    const now = performance.now();
    const until = now + Math.max(1, msBeforeNext);
    const granted = Math.max(0, Math.min(taken, taken + policy.limit - consumedPoints));
    const kept = before !== undefined && before.until > now ? before.left : 0;
    const entry = { left: granted + kept, remaining: remainingPoints, until };
    held.set(sender, entry);
    setTimeout(() => held.get(sender) === entry && held.delete(sender), msBeforeNext).unref();
  }

  return {
    policy,
    /** Ordinary requests cost 1. Never more than the limit is taken. */
    async take(sender: string, wished = 1) {
      const points = Math.min(wished, policy.limit);
      for (;;) {
        const entry = held.get(sender);
        const leftMs = entry === undefined ? 0 : entry.until - performance.now();
        if (entry !== undefined && leftMs > 0 && (entry.left >= points || entry.remaining === 0)) {
          const allowed = entry.left >= points;
          if (allowed) entry.left -= points;
          const remaining = entry.left + entry.remaining;
          return { allowed, remaining, resetSeconds: Math.ceil(leftMs / 1_000) };
        }
        const under = refilling.get(sender) ?? refill(sender, points).finally(() => refilling.delete(sender));
        refilling.set(sender, under);
        await under;
      }
    },
  };
}
