import { certificateAdvice } from "../../../adapters/certificate-advice";
import { QueueRefusedError } from "../../../adapters/queues/backend";
import { OLDEST } from "../../../adapters/queues/redis-connection";
import { inspectRedis, type RedisFacts } from "../../../adapters/queues/inspect-redis";
import { openStore } from "../../../adapters/queues/store";
import type { Config, SettingName } from "../../../config/schema";
import { withDeadline } from "../../../database/with-deadline";
import {
  type Check,
  failed,
  type Finding,
  listed,
  MIGRATE,
  named,
  off,
  ok,
  reasonOf,
  unknown,
  warning,
} from "./check";

const NAMES = ["queue", "redis-eviction", "redis-persistence"] as const;

/** A busy host may need more than a second to connect. */
const ANSWER_WITHIN_MS = 5_000;

const ignore = (): void => undefined;

function queueCheck({ version, refusal }: RedisFacts): Finding {
  if (refusal !== null)
    return failed(refusal, "Until then no job is processed: webhooks, confirmations and expiries wait.");
  if (version === null)
    return warning(
      "Redis does not report its version.",
      `Make sure that it is ${OLDEST.join(".")} or newer.`,
    );
  return ok(`Redis ${version}`);
}

function evictionCheck({ maxmemoryPolicy }: RedisFacts): Finding {
  const fix =
    "Set maxmemory-policy to noeviction (CONFIG SET maxmemory-policy noeviction, and the same in redis.conf).";
  if (maxmemoryPolicy === null) return warning("Redis does not report its maxmemory-policy.", fix);
  return maxmemoryPolicy === "noeviction"
    ? ok("noeviction")
    : failed(`Redis may evict jobs: its maxmemory-policy is ${maxmemoryPolicy}.`, fix);
}

function persistenceCheck({ appendOnly }: RedisFacts): Finding {
  const fix = "Set appendonly to yes (CONFIG SET appendonly yes, and the same in redis.conf).";
  if (appendOnly === null) return warning("Redis does not report whether its append-only file is on.", fix);
  return appendOnly
    ? ok("The append-only file is on.")
    : warning("The append-only file is off: after a crash of Redis jobs wait for the next sweep.", fix);
}

async function redisChecks(url: string): Promise<Check[]> {
  try {
    const facts = await inspectRedis(url);
    return named({
      queue: queueCheck(facts),
      "redis-eviction": evictionCheck(facts),
      "redis-persistence": persistenceCheck(facts),
    });
  } catch (error) {
    const away = failed(
      `Redis is not reachable: ${reasonOf(error)}`,
      certificateAdvice(error, "Redis") ??
        "Does Redis run, and is REDIS_URL right (with its password)? Without REDIS_URL the queues live in Postgres.",
    );
    return listed(NAMES, [away], unknown("Unknown without Redis."));
  }
}

async function postgresChecks(databaseUrl: string | undefined): Promise<Check[]> {
  const found = (queue: Finding): Check[] => listed(NAMES, [queue], off("REDIS_URL is not set."));
  if (databaseUrl === undefined) return found(unknown("Unknown without the database."));
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const store = openStore({ REDIS_URL: undefined, DATABASE_URL: databaseUrl }, { log: silent });
  const backend = store.backend();
  try {
    await withDeadline(ANSWER_WITHIN_MS, () => backend.check());
    return found(ok("The queues live in Postgres. For many invoices a minute set REDIS_URL."));
  } catch (error) {
    return found(
      error instanceof QueueRefusedError
        ? failed(error.message, MIGRATE)
        : failed(
            `${backend.name} does not answer.`,
            "If `database` is well, the database or this host is too busy, or somebody locks the queues' tables: run this again.",
          ),
    );
  } finally {
    await store.close();
  }
}

/** `configured`: whether a setting is given, be it right or wrong. */
export async function queueChecks(
  config: Partial<Config>,
  configured: (name: SettingName) => boolean,
): Promise<Check[]> {
  if (config.REDIS_URL !== undefined) return redisChecks(config.REDIS_URL);
  if (!configured("REDIS_URL")) return postgresChecks(config.DATABASE_URL);
  return listed(NAMES, [], unknown("REDIS_URL is wrong."));
}
