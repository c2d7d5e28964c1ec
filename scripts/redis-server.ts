import { spawn, type ChildProcess } from "node:child_process";

/** A private Redis on loopback, without persistence: for tests and benchmarks. */
export function spawnRedis(port: number, dir: string, settings: readonly string[] = []): ChildProcess {
  const nowhere = ["--save", "", "--appendonly", "no", "--dir", dir];
  return spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", ...nowhere, ...settings], {
    stdio: "ignore",
  });
}
