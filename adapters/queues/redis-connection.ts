import { Redis } from "ioredis";
import { QueueUnwritableError } from "./backend";

/** The keys of the queues begin with it. */
export const PREFIX = "quittance";
/** BullMQ's keys have a queue's name here. */
const WRITTEN_KEY = `${PREFIX}:written`;

/** Redis' codes of refused writes that an operator can end. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  OOM: "its memory is used up. Raise its maxmemory, or find what fills it",
  MISCONF: "it cannot save to its disk. Make room on that disk; the log of Redis says more",
  READONLY: "it is a read-only replica. Let REDIS_URL lead to the primary, or promote it (REPLICAOF NO ONE)",
  NOREPLICAS: "it has too few replicas (min-replicas-to-write). Bring them back",
};

/** `reconnectOnError`: after a failover the same address may lead to the new primary. The command itself fails. */
export const leadsToReplica = ({ message }: Error): boolean => message.includes("READONLY");

/** Writes a key that expires. @throws QueueUnwritableError if Redis answers that it does not write */
export async function checkRedisWrite(redis: Redis): Promise<void> {
  try {
    await redis.set(WRITTEN_KEY, "1", "EX", 60);
  } catch (error) {
    const [, code] = /^([A-Z]+) /.exec(error instanceof Error ? error.message : "") ?? [];
    if (code === undefined) throw error;
    throw new QueueUnwritableError(
      `Redis refuses writes: ${WHAT_TO_DO[code] ?? `${code}. The log of Redis says more`}.`,
    );
  }
}

/** A connection that fails at once while Redis is away, and reconnects. Its owner listens for "error". */
export function connectRedis(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    reconnectOnError: leadsToReplica,
    retryStrategy: (tries) => Math.min(100 * 2 ** tries, 2_000),
  });
}

/** One value of INFO's answer; null when it is missing. */
export function infoField(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*)$`, "m").exec(info)?.[1]?.trim() ?? null;
}
