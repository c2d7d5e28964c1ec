import { connectQueues } from "../../../adapters/queues/connect";
import { inspectRedis, type RedisFacts } from "../../../adapters/queues/inspect-redis";
import { cliCommand } from "../../../adapters/version";
import type { Config, SettingName } from "../../../config/schema";
import { failed, MIGRATE, off, ok, reasonOf, unknown, warning, type Check } from "./check";

const OLDEST = [6, 2] as const;
const NAMES = ["redis-eviction", "redis-persistence"] as const;

/** Each has a second, in which a busy host may not even connect. */
const TRIES = 4;

const ignore = (): void => undefined;

function versionCheck({ version }: RedisFacts): Check {
  if (version === null)
    return warning(
      "queue",
      "Redis does not report its version.",
      `Make sure that it is ${OLDEST.join(".")} or newer.`,
    );
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
    ? ok("queue", `Redis ${version}`)
    : failed("queue", `Redis ${version} is too old.`, `Use Redis ${OLDEST.join(".")} or newer.`);
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
    return [versionCheck(facts), evictionCheck(facts), persistenceCheck(facts)];
  } catch (error) {
    const away = failed(
      "queue",
      `Redis is not reachable: ${reasonOf(error)}`,
      "Does Redis run, and is REDIS_URL right (with its password)? Without REDIS_URL the queues live in Postgres.",
    );
    return [away, ...NAMES.map((name) => unknown(name, "Unknown without Redis."))];
  }
}

/** Null when the queues' database answers. If tables are missing, its reason names the command that creates them. */
async function whyNotReady(queues: ReturnType<typeof connectQueues>): Promise<Check | null> {
  let reason = "";
  for (let tries = 0; tries < TRIES; tries++) {
    const health = await queues.health();
    if (health.status === "ok") return null;
    reason = health.reason ?? "";
    if (reason.includes(cliCommand("migrate"))) return failed("queue", reason, MIGRATE);
  }
  return failed(
    "queue",
    reason,
    "If `database` is well, the database or this host is too busy, or somebody locks the queues' tables: run this again.",
  );
}

async function postgresChecks(databaseUrl: string | undefined): Promise<Check[]> {
  const redisOff = NAMES.map((name) => off(name, "REDIS_URL is not set."));
  if (databaseUrl === undefined) return [unknown("queue", "Unknown without the database."), ...redisOff];
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const queues = connectQueues(
    { REDIS_URL: undefined, DATABASE_URL: databaseUrl },
    { log: silent, worker: false },
  );
  try {
    const check =
      (await whyNotReady(queues)) ??
      ok("queue", "The queues live in Postgres. For many invoices a minute set REDIS_URL.");
    return [check, ...redisOff];
  } finally {
    await queues.close();
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
