import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { freePort } from "../devnet/free-port";
import { removeEmbeddedPostgres, startEmbeddedPostgres } from "../embedded-postgres";
import { spawnRedis } from "../redis-server";

/** The databases of a run. */
export interface Servers {
  adminUrl: string;
  urlOf(database: string): string;
  /** Null: there is no Redis here. */
  redisUrl: string | null;
  /** Their first processes. */
  pids: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export async function queryOnce<T>(url: string, sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as T[];
  } finally {
    await client.end();
  }
}

/** With what it needs to end. */
type Started<T> = T & { pids: Servers["pids"]; stop(): Promise<void> };

async function ownPostgres(): Promise<Started<Pick<Servers, "adminUrl" | "urlOf">>> {
  const dir = mkdtempSync("/var/tmp/quittance-bench-");
  // As an operator would on such a machine; durability stays as it is by default.
  const settings = ["shared_buffers=512MB", "max_wal_size=4GB", "track_io_timing=on"];
  const postgres = await startEmbeddedPostgres({ dir, settings });
  return {
    adminUrl: postgres.adminUrl,
    urlOf: (database) => postgres.urlOf(database),
    pids: { postgres: postgres.pid },
    stop: () => removeEmbeddedPostgres(postgres, dir),
  };
}

/** Without persistence, on a free port of loopback. */
async function ownRedis(): Promise<Started<{ url: string }> | null> {
  if (spawnSync("redis-server", ["--version"]).status !== 0) return null;
  const port = await freePort();
  const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-bench-redis-"));
  const child = spawnRedis(port, dir);
  const killNow = (): void => void child.kill("SIGKILL");
  process.once("exit", killNow);
  return {
    url: `redis://127.0.0.1:${port}`,
    pids: { redis: child.pid ?? 0 },
    stop: async () => {
      process.removeListener("exit", killNow);
      child.kill("SIGTERM");
      await once(child, "exit");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Forgets every job and count. */
export async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushdb();
  redis.disconnect();
}

/** Some of our own, that are gone afterwards. */
export async function startServers({ withRedis = true } = {}): Promise<Servers> {
  const postgres = await ownPostgres();
  const redis = withRedis ? await ownRedis() : null;
  return {
    adminUrl: postgres.adminUrl,
    urlOf: postgres.urlOf,
    redisUrl: redis?.url ?? null,
    pids: { ...postgres.pids, ...redis?.pids },
    stop: async () => {
      await redis?.stop();
      await postgres.stop();
    },
  };
}
