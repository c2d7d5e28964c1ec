import { spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Redis } from "ioredis";
import { freePort } from "../../scripts/devnet/free-port";
import { spawnRedis } from "../../scripts/redis-server";
import { eventually } from "./eventually";

export interface TestRedis {
  url: string;
  /** A client beside the code under test. */
  admin: Redis;
  /** Kills it as a power cut would; what it held is gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Whether a Redis can be started here. Without `redis-server` on the PATH its tests are skipped and say so; in CI
 * (`CI` is set) that is an error, so that they cannot be lost quietly.
 */
export function redisAvailable(): boolean {
  if (spawnSync("redis-server", ["--version"]).status === 0) return true;
  if (process.env.CI)
    throw new Error(
      "redis-server is not on the PATH: install Redis 6.2 or newer, CI must run the Redis tests",
    );
  process.stderr.write(
    "\n*** redis-server is not on the PATH: the tests of the queues on Redis are SKIPPED. Install Redis 6.2 or newer to run them. ***\n\n",
  );
  return false;
}

/** A private Redis on a free port of loopback, without persistence. `started: false`: only its address is known yet. */
export async function testRedis({
  started = true,
  settings = [] as readonly string[],
} = {}): Promise<TestRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-redis-"));
  const admin = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: null });
  admin.on("error", () => undefined);
  let child: ChildProcess | null = null;
  const killNow = (): void => void child?.kill("SIGKILL");
  process.once("exit", killNow);

  async function start(): Promise<void> {
    child = spawnRedis(port, dir, settings);
    await eventually(async () => (await admin.ping()) === "PONG");
  }
  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  if (started) await start();
  return {
    url,
    admin,
    start,
    kill,
    async stop() {
      admin.disconnect();
      await kill();
      process.removeListener("exit", killNow);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
