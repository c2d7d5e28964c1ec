import { once } from "node:events";
import { Queue, Worker } from "bullmq";
import type { Log } from "../../commands/ports";
import { QueueRefusedError, type QueueBackend, type StoredJob } from "./backend";
import {
  checkRedis,
  checkRedisWrite,
  connectRedis,
  infoField,
  leadsToReplica,
  PREFIX,
} from "./redis-connection";

/** Managed Redis often forbids CONFIG; INFO has the same. False when neither answers. */
function checkEviction(info: string): boolean {
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
      const known = checkEviction(await checkRedis(producer));
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
