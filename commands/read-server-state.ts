import { MoreThan } from "typeorm";
import { Heartbeat } from "../entities/heartbeat";
import { Lease } from "../entities/lease";
import { Rail } from "../entities/rail";
import type { CommandContext } from "./context";
import { readServerInfo, type RailInfo } from "./read-server-info";

/** A process that was not heard of for so long has ended. */
const SILENT_MS = 30_000;

/** What only those who run the server may know. */
export interface ServerState {
  processes: Pick<Heartbeat, "instanceId" | "worker" | "startedAt" | "beatAt">[];
  /** Who leads where one process alone works. */
  leases: Pick<Lease, "name" | "holder" | "expiresAt">[];
  /** Rails with what their node could receive; null where it does not say. */
  rails: (RailInfo & { receivableSats: bigint | null })[];
  openDeliveries: { pending: number; sending: number };
}

export async function readServerState(ctx: CommandContext): Promise<ServerState> {
  const { manager } = ctx.db;
  const since = new Date((await ctx.now(manager)).getTime() - SILENT_MS);
  const { rails } = await readServerInfo(ctx);
  const receivable = new Map((await manager.find(Rail)).map((rail) => [rail.type, rail.receivableSats]));
  return {
    processes: await manager.find(Heartbeat, {
      select: { instanceId: true, worker: true, startedAt: true, beatAt: true },
      where: { beatAt: MoreThan(since) },
      order: { worker: "ASC", startedAt: "ASC" },
    }),
    leases: await manager.find(Lease, {
      select: { name: true, holder: true, expiresAt: true },
      order: { name: "ASC" },
    }),
    rails: rails.map((rail) => ({ ...rail, receivableSats: receivable.get(rail.type) ?? null })),
    openDeliveries: await openDeliveries(ctx),
  };
}

async function openDeliveries({ db }: CommandContext): Promise<ServerState["openDeliveries"]> {
  const rows = await db.query<{ state: "pending" | "sending"; count: number }[]>(
    `SELECT state, count(*)::int AS count FROM webhook_deliveries
      WHERE state IN ('pending', 'sending') GROUP BY state`,
  );
  const counts = { pending: 0, sending: 0 };
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}
