import { Redis } from "ioredis";
import { QueueRefusedError, QueueUnwritableError } from "./backend";
import { checkRedis, checkRedisWrite, infoField } from "./redis-connection";

const DEADLINE_MS = 5_000;

export interface RedisFacts {
  version: string | null;
  maxmemoryPolicy: string | null;
  appendOnly: boolean | null;
  /** Why the queues cannot live there and what to do; null if they can. */
  refusal: string | null;
}

/**
 * Connects once; rejects when Redis cannot be reached or refuses us. Managed Redis often forbids CONFIG; INFO has the
 * same.
 */
export async function inspectRedis(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: DEADLINE_MS,
    commandTimeout: DEADLINE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | null = null;
  redis.on("error", (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    const info = await redis.info();
    const aof = infoField(info, "aof_enabled");
    return {
      version: infoField(info, "redis_version"),
      maxmemoryPolicy: infoField(info, "maxmemory_policy"),
      appendOnly: aof === null ? null : aof === "1",
      refusal: await refusalOf(redis),
    };
  } catch (error) {
    // connect() says only "Connection is closed."; the event before it has the reason.
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

async function refusalOf(redis: Redis): Promise<string | null> {
  try {
    await checkRedis(redis);
    await checkRedisWrite(redis);
    return null;
  } catch (error) {
    if (error instanceof QueueRefusedError || error instanceof QueueUnwritableError) return error.message;
    throw error;
  }
}
