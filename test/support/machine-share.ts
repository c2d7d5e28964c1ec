import os from "node:os";
import { Worker } from "node:worker_threads";

const BUSY_MS = 1_000;
const BUSY = `const until = performance.now() + ${BUSY_MS}; while (performance.now() < until);`;

/** How much of all cores this process gets when it wants all: 1 on a quiet machine, 0.5 where others want as much. */
async function machineShare(): Promise<number> {
  const cores = os.availableParallelism();
  const before = process.cpuUsage();
  const start = performance.now();
  const busy = (): Promise<unknown> =>
    new Promise((resolve, reject) =>
      new Worker(BUSY, { eval: true }).once("exit", resolve).once("error", reject),
    );
  await Promise.all(Array.from({ length: cores }, busy));
  const { user, system } = process.cpuUsage(before);
  const elapsedMs = performance.now() - start;
  return Math.min(1, (user + system) / 1_000 / (elapsedMs * cores));
}

/** What may take so long on a quiet machine, on this one. */
export interface AllowedMs {
  /** By the last measurement. */
  ms: number;
  /** Whether it took no longer. Other work may have come since: a wait that took longer has the machine measured again. */
  allows(tookMs: number): Promise<boolean>;
}

/** Measures how many cores other work takes away: a wait grows faster than what is left of them shrinks. */
export async function allowedHereMs(quietMs: number): Promise<AllowedMs> {
  const measure = async (): Promise<number> => Math.round(quietMs / (await machineShare()) ** 2);
  const allowed: AllowedMs = {
    ms: await measure(),
    async allows(tookMs) {
      if (tookMs >= allowed.ms) allowed.ms = Math.max(allowed.ms, await measure());
      return tookMs < allowed.ms;
    },
  };
  return allowed;
}
