import { Heartbeat } from "../../entities/heartbeat";
import type { CommandContext } from "../context";
import { writeHeartbeat, writeWatchHeartbeat } from "./queries";

/** A process as others see it. */
export interface Instance {
  instanceId: string;
  /** The app's name. */
  worker: string;
}

const EVERY_MS = 5_000;

/** Says that this process lives, by the database's clock, and what it counted so far. */
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
 * Says so every five seconds, until the answered function is called: it says goodbye. A database that is away is
 * waited for.
 */
export function keepBeating(
  ctx: CommandContext,
  instance: Instance,
  snapshot: () => Promise<unknown[]>,
): () => Promise<void> {
  let last: Promise<void> | null = null;
  const beatOnce = (): void => {
    // One at a time: a database that hangs must not get more and more calls.
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
