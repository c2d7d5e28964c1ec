import type { CommandContext } from "../context";
import { loadDeliveries, type LoadedDelivery } from "./attempt-queries";
import { batchedRead } from "../../database/batched-read";
import { inTime } from "../../database/in-time";

/** Reads a delivery without locks; undefined if it is unknown. Simultaneous reads share a statement. */
export const loadDelivery = batchedRead((ctx: CommandContext, ids) => inTime(readThese(ctx, ids)));

async function readThese(
  ctx: CommandContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedDelivery>> {
  const now = await ctx.now(ctx.db.manager); // taken before the read, so that the data is at least as recent
  const { rows } = await loadDeliveries(ctx.db.manager, ids);
  return new Map(rows.map((row) => [row.deliveryId, { ...row, now }]));
}
