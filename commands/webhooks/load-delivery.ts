import type { CommandContext } from "../context";
import { loadDeliveries, type LoadedDelivery } from "./attempt-queries";
import { batch } from "../../database/batch";
import { inTime } from "../../database/in-time";
import { perDatabase } from "../../database/per-database";

/** Reads a delivery without locks; null if it is unknown. Simultaneous reads share a statement. */
export async function loadDelivery(ctx: CommandContext, deliveryId: string): Promise<LoadedDelivery | null> {
  return loaderOf(ctx.db)({ ctx, deliveryId });
}

const loaderOf = perDatabase((db) =>
  batch<{ ctx: CommandContext; deliveryId: string }, LoadedDelivery | null>(
    async (asked) => {
      const [first] = asked;
      if (first === undefined) return [];
      const ids = [...new Set(asked.map(({ deliveryId }) => deliveryId))];
      const read = async (): Promise<Map<string, LoadedDelivery>> => {
        const now = await first.ctx.now(db.manager); // taken before the read, so that the data is at least as recent
        const { rows } = await loadDeliveries(db.manager, ids);
        return new Map(rows.map((row) => [row.deliveryId, { ...row, now }]));
      };
      const found = await inTime(read());
      return asked.map(({ deliveryId }) => found.get(deliveryId) ?? null);
    },
    { runsAtOnce: 2 },
  ),
);
