import { In } from "typeorm";
import { Heartbeat } from "../../entities/heartbeat";
import type { CommandContext } from "../context";
import { writeHeartbeats, writeWatchHeartbeat } from "./queries";

/** A worker, or the API, as it reports itself to others. */
export interface Instance {
  instanceId: string;
  worker: string;
}

/** Its counters so far; null where nobody reads them. */
export type Counters = (() => Promise<unknown[]>) | null;

const EVERY_MS = 5_000;

/** Records that these are alive, by the database's clock, with their counters. */
export async function beat(
  ctx: CommandContext,
  ...instances: readonly (Instance & { metrics?: unknown[] | null })[]
): Promise<void> {
  const { manager } = ctx.db;
  const rows = instances.map(({ instanceId, worker, metrics = null }) => ({ instanceId, worker, metrics }));
  await writeHeartbeats(manager, JSON.stringify(rows), ctx.startedAt);
  if (instances.some(({ worker }) => worker === "chain-watch")) await writeWatchHeartbeat(manager);
}

/**
 * Records a heartbeat of each every five seconds, of those added later too, until the returned function is called,
 * which removes them. While the database is away it keeps trying.
 */
export function keepBeating(
  ctx: CommandContext,
  instances: readonly (Instance & { counters: Counters })[],
): () => Promise<void> {
  let last: Promise<void> | null = null;
  const beatAll = async (): Promise<void> => {
    const counted = instances.map(async ({ counters, ...instance }) => ({
      ...instance,
      metrics: (await counters?.()) ?? null,
    }));
    await beat(ctx, ...(await Promise.all(counted)));
  };
  const beatOnce = (): void => {
    // A database that hangs must not receive more and more calls.
    last ??= beatAll()
      .catch((error: unknown) => ctx.log.warn({ err: error }, "heartbeat failed"))
      .finally(() => (last = null));
  };
  beatOnce();
  const timer = setInterval(beatOnce, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await last;
    const ids = instances.map(({ instanceId }) => instanceId);
    await ctx.db.manager.delete(Heartbeat, { instanceId: In(ids) });
  };
}
