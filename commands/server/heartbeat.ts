import { Heartbeat } from "../../entities/heartbeat";
import type { CommandContext } from "../context";
import { writeHeartbeat, writeWatchHeartbeat } from "./queries";

export interface Instance {
  instanceId: string;
  worker: string;
}

const EVERY_MS = 5_000;

/** By the database's clock, with its counters so far. */
export async function beat(
  ctx: CommandContext,
  { instanceId, worker }: Instance,
  metrics: unknown[] = [],
): Promise<void> {
  const { manager } = ctx.db;
  await writeHeartbeat(manager, instanceId, worker, ctx.startedAt, JSON.stringify(metrics));
  if (worker === "chain-watch") await writeWatchHeartbeat(manager);
}

/** Every five seconds, until the returned function removes the process. Keeps trying while the database is away. */
export function keepBeating(
  ctx: CommandContext,
  instance: Instance,
  snapshot: () => Promise<unknown[]>,
): () => Promise<void> {
  let last: Promise<void> | null = null;
  const beatOnce = (): void => {
    // A database that hangs must not receive more and more calls.
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
