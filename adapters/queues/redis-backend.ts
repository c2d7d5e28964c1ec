import { once } from "node:events";
import { Queue, Worker } from "bullmq";
import type { Log } from "../../commands/ports";
import { QueueRefusedError, type QueueBackend, type StoredJob } from "./backend";
import { checkRedisWrite, connectRedis, infoField, leadsToReplica, PREFIX } from "./redis-connection";

const OLDEST = [6, 2] as const;

/** Managed Redis often forbids CONFIG; INFO has the same. False when neither answers. */
function checkInfo(info: string): boolean {
  const version = infoField(info, "redis_version");
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  if (version !== null && (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])))
    throw new QueueRefusedError(`Redis ${version} is too old: use Redis ${OLDEST.join(".")} or newer.`);
  const policy = infoField(info, "maxmemory_policy");
  if (policy !== null && policy !== "noeviction")
    throw new QueueRefusedError(
      `Redis may evict jobs: its maxmemory-policy is ${policy}. Set it to noeviction (CONFIG SET maxmemory-policy noeviction, and the same in redis.conf).`,
    );
  return policy !== null;
}

/** The queues on Redis. */
export function redisBackend(url: string, log: Log): QueueBackend {
  // Producers fail at once while Redis is away; workers wait for it on connections of their own.
  const producer = connectRedis(url);
  let away = false;
  let warned = false;
  producer.on("error", (error: Error) => {
    if (!away) log.warn({ error: error.message }, "redis: connection lost");
    away = true;
  });
  producer.on("ready", () => {
    if (away) log.info({}, "redis: connected again");
    away = false;
  });
  /** Just after the start it is not away, but not connected yet. Callers limit the wait. */
  const connected = async (): Promise<void> => {
    while (producer.status !== "ready") await once(producer, "ready");
  };
  return {
    kind: "redis",
    name: "Redis",
    check: async () => {
      await connected();
      const known = checkInfo(await producer.info());
      if (!known && !warned) log.warn({}, "redis: maxmemory-policy unknown, must be noeviction");
      warned = true;
    },
    checkWrite: async () => {
      await connected();
      await checkRedisWrite(producer);
    },
    makeQueue: (name) => new Queue<StoredJob, void>(name, { connection: producer, prefix: PREFIX }),
    makeWorker: (name, processor, settings) =>
      new Worker<StoredJob, void>(name, processor, {
        ...settings,
        connection: {
          url,
          maxRetriesPerRequest: null,
          reconnectOnError: leadsToReplica,
          retryStrategy: (tries) => Math.min(100 * 2 ** tries, 2_000),
        },
        prefix: PREFIX,
      }),
    close: () => {
      producer.disconnect();
      return Promise.resolve();
    },
  };
}
