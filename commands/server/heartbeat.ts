import { Heartbeat } from "../../entities/heartbeat";
import type { CommandContext } from "../context";
import { writeHeartbeat, writeWatchHeartbeat } from "./queries";

/** A process as it reports itself to others. */
export interface Instance {
  instanceId: string;
  /** The app's name. */
  worker: string;
}

const EVERY_MS = 5_000;

/** Records that this process is alive, by the database's clock, with its counters so far. */
export async function beat(
  ctx: CommandContext,
  { instanceId, worker }: Instance,
  metrics: unknown[] = [],
): Promise<void> {
  const { manager } = ctx.db;
  await writeHeartbeat(manager, instanceId, worker, ctx.startedAt, JSON.stringify(metrics));
  if (worker === "chain-watch") await writeWatchHeartbeat(manager);
}

/**
 * Records a heartbeat every five seconds, until the returned function is called, which removes the process. While
 * the database is away it keeps trying.
 */
export function keepBeating(
  ctx: CommandContext,
  instance: Instance,
  snapshot: () => Promise<unknown[]>,
): () => Promise<void> {
  let last: Promise<void> | null = null;
  const beatOnce = (): void => {
    // One at a time: a database that hangs must not receive more and more calls.
    last ??= snapshot()
      .then((metrics) => beat(ctx, instance, metrics))
      .catch((error: unknown) => ctx.log.warn({ err: error }, "heartbeat failed"))
      .finally(() => (last = null));
  };
  beatOnce();
  const timer = setInterval(beatOnce, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await last;
    await ctx.db.manager.delete(Heartbeat, { instanceId: instance.instanceId });
  };
}
