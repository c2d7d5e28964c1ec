import { Redis, ReplyError } from "ioredis";
import { QueueRefusedError, QueueUnwritableError } from "./backend";

/** The keys of the queues begin with it. */
export const PREFIX = "quittance";
export const OLDEST = [6, 2] as const;
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

export function infoField(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*)$`, "m").exec(info)?.[1]?.trim() ?? null;
}

/** The queues need one server's memory: the keys of a job belong together, which a cluster does not allow. */
const CLUSTER =
  "Redis runs in cluster mode, in which no job could be processed. Use a Redis with cluster mode off (one primary, with replicas if you like).";

/**
 * Whether the queues can live in this Redis; the answer of INFO.
 * @throws QueueRefusedError
 */
export async function checkRedis(redis: Redis): Promise<string> {
  const info = await redis.info();
  const version = infoField(info, "redis_version");
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  if (version !== null && (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])))
    throw new QueueRefusedError(`Redis ${version} is too old: use Redis ${OLDEST.join(".")} or newer.`);
  if (infoField(info, "cluster_enabled") === "1" || infoField(info, "redis_mode") === "cluster")
    throw new QueueRefusedError(CLUSTER);
  await checkNumber(redis);
  return info;
}

/** A client that is refused its database goes on in database 0, where another installation may live. */
async function checkNumber(redis: Redis): Promise<void> {
  const { db = 0 } = redis.options;
  if (db === 0) return;
  try {
    await redis.select(db);
  } catch (error) {
    if (error instanceof ReplyError)
      throw new QueueRefusedError(
        `Redis has no database ${db}. Use one that is there in REDIS_URL, or raise its setting databases.`,
      );
    throw error;
  }
}
