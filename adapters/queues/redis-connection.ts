import { Redis } from "ioredis";

/** A connection that fails at once while Redis is away, and comes back by itself. Whoever opens it listens for "error". */
export function connectRedis(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries) => Math.min(100 * 2 ** tries, 2_000),
  });
}

/** One value of what INFO answers; null where it does not tell it. */
export function infoField(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*)$`, "m").exec(info)?.[1]?.trim() ?? null;
}
