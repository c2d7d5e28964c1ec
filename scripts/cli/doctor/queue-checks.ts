import { certificateAdvice } from "../../../adapters/certificate-advice";
import { QueueRefusedError } from "../../../adapters/queues/backend";
import { OLDEST } from "../../../adapters/queues/redis-connection";
import { inspectRedis, type RedisFacts } from "../../../adapters/queues/inspect-redis";
import { openStore } from "../../../adapters/queues/store";
import type { Config, SettingName } from "../../../config/schema";
import { withDeadline } from "../../../database/with-deadline";
import { failed, MIGRATE, off, ok, reasonOf, unknown, warning, type Check } from "./check";

const NAMES = ["redis-eviction", "redis-persistence"] as const;

/** A busy host may need more than a second to connect. */
const ANSWER_WITHIN_MS = 5_000;

const ignore = (): void => undefined;

function queueCheck({ version, refusal }: RedisFacts): Check {
  if (refusal !== null)
    return failed(
      "queue",
      refusal,
      "Until then no job is processed: webhooks, confirmations and expiries wait.",
    );
  if (version === null)
    return warning(
      "queue",
      "Redis does not report its version.",
      `Make sure that it is ${OLDEST.join(".")} or newer.`,
    );
  return ok("queue", `Redis ${version}`);
}

function evictionCheck({ maxmemoryPolicy }: RedisFacts): Check {
  const name = "redis-eviction";
  const fix =
    "Set maxmemory-policy to noeviction (CONFIG SET maxmemory-policy noeviction, and the same in redis.conf).";
  if (maxmemoryPolicy === null) return warning(name, "Redis does not report its maxmemory-policy.", fix);
  return maxmemoryPolicy === "noeviction"
    ? ok(name, "noeviction")
    : failed(name, `Redis may evict jobs: its maxmemory-policy is ${maxmemoryPolicy}.`, fix);
}

function persistenceCheck({ appendOnly }: RedisFacts): Check {
  const name = "redis-persistence";
  const fix = "Set appendonly to yes (CONFIG SET appendonly yes, and the same in redis.conf).";
  if (appendOnly === null)
    return warning(name, "Redis does not report whether its append-only file is on.", fix);
  return appendOnly
    ? ok(name, "The append-only file is on.")
    : warning(name, "The append-only file is off: after a crash of Redis jobs wait for the next sweep.", fix);
}

async function redisChecks(url: string): Promise<Check[]> {
  try {
    const facts = await inspectRedis(url);
    return [queueCheck(facts), evictionCheck(facts), persistenceCheck(facts)];
  } catch (error) {
    const away = failed(
      "queue",
      `Redis is not reachable: ${reasonOf(error)}`,
      certificateAdvice(error, "Redis") ??
        "Does Redis run, and is REDIS_URL right (with its password)? Without REDIS_URL the queues live in Postgres.",
    );
    return [away, ...NAMES.map((name) => unknown(name, "Unknown without Redis."))];
  }
}

async function postgresChecks(databaseUrl: string | undefined): Promise<Check[]> {
  const redisOff = NAMES.map((name) => off(name, "REDIS_URL is not set."));
  if (databaseUrl === undefined) return [unknown("queue", "Unknown without the database."), ...redisOff];
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const store = openStore({ REDIS_URL: undefined, DATABASE_URL: databaseUrl }, { log: silent });
  const backend = store.backend();
  try {
    await withDeadline(ANSWER_WITHIN_MS, () => backend.check());
    return [
      ok("queue", "The queues live in Postgres. For many invoices a minute set REDIS_URL."),
      ...redisOff,
    ];
  } catch (error) {
    const check =
      error instanceof QueueRefusedError
        ? failed("queue", error.message, MIGRATE)
        : failed(
            "queue",
            `${backend.name} does not answer.`,
            "If `database` is well, the database or this host is too busy, or somebody locks the queues' tables: run this again.",
          );
    return [check, ...redisOff];
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
  return ["queue", ...NAMES].map((name) => unknown(name, "REDIS_URL is wrong."));
}
