import { Redis } from "ioredis";

/** A connection that fails at once while Redis is away, and reconnects. Its owner listens for "error". */
export function connectRedis(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries) => Math.min(100 * 2 ** tries, 2_000),
  });
}

/** One value of INFO's answer; null when it is missing. */
export function infoField(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*)$`, "m").exec(info)?.[1]?.trim() ?? null;
}
