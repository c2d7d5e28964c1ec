import { Redis } from "ioredis";

/** A connection that fails at once while Redis is away, and comes back by itself. Whoever opens it listens for "error". */
export function connectRedis(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries) => Math.min(100 * 2 ** tries, 2_000),
  });
}
