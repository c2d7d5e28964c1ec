import type { CommandContext } from "../context";
import { loadDeliveries, type LoadedDelivery } from "./attempt-queries";
import { batchedRead } from "../../database/batched-read";
import { inTime } from "../../database/in-time";

const read = (ctx: CommandContext, ids: readonly string[]): Promise<ReadonlyMap<string, LoadedDelivery>> =>
  inTime(readThese(ctx, ids));

/** Reads a delivery without locks; undefined if it is unknown. Simultaneous reads share a statement. */
export const loadDelivery = batchedRead(read);

/**
 * For jobs that were added as `unproven`. A worker takes hundreds of jobs before it begins the first, and what is read
 * together is begun together: those to other endpoints are not to wait for all of these.
 */
export const loadUnproven = batchedRead(read, { runsAtOnce: 2, atMost: 50 });

async function readThese(
  ctx: CommandContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedDelivery>> {
  const now = await ctx.now(ctx.db.manager); // taken before the read, so that the data is at least as recent
  const { rows } = await loadDeliveries(ctx.db.manager, ids);
  return new Map(rows.map((row) => [row.deliveryId, { ...row, now }]));
}
