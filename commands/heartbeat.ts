import { Heartbeat } from "../entities/heartbeat";
import type { CommandContext } from "./context";

/** A process as others see it. */
export interface Instance {
  instanceId: string;
  /** The app's name. */
  worker: string;
}

/** Says that this process lives, by the database's clock. */
export async function beat(ctx: CommandContext, { instanceId, worker }: Instance): Promise<void> {
  await ctx.db.query(
    `INSERT INTO heartbeats (instance_id, worker, started_at, beat_at) VALUES ($1, $2, $3, clock_timestamp())
     ON CONFLICT (instance_id) DO UPDATE SET beat_at = excluded.beat_at`,
    [instanceId, worker, ctx.startedAt],
  );
}

/** Says that this process stopped on purpose. */
export async function stopBeating(ctx: CommandContext, { instanceId }: Instance): Promise<void> {
  await ctx.db.manager.delete(Heartbeat, { instanceId });
}
