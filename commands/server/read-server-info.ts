import { MoreThan } from "typeorm";
import type { Network } from "../../domain/network";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { ChainBlock } from "../../entities/chain-block";
import { Heartbeat } from "../../entities/heartbeat";
import { Lease } from "../../entities/lease";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import type { CommandContext } from "../context";
import { OPEN_DELIVERIES } from "./metrics-queries";
import { SILENT_SECONDS } from "./queries";

/** How far a payment method's node is, and how far it was read. */
export interface PaymentMethodInfo {
  type: PaymentMethodType;
  synchronized: boolean;
  nodeHeight: number | null;
  /** The last block that was processed. */
  height: number | null;
  lagBlocks: number | null;
  /** Seconds since the start of the last complete check of the node. */
  lagSeconds: number | null;
  /** A description without hosts and secrets. */
  problem: string | null;
}

export interface ServerInfo {
  version: string;
  network: Network;
  /** The payment methods that this server supports. A store offers those that were set up for it. */
  paymentMethods: PaymentMethodType[];
  /** For each payment method. The field's name is that of the REST API. */
  rails: PaymentMethodInfo[];
}

/** What merchants may see of the server: nothing that belongs to its operator, and no host. */
export async function readServerInfo(ctx: CommandContext): Promise<ServerInfo> {
  const { version, network } = ctx.settings;
  const rails = [
    ...(ctx.chain === null ? [] : [await bitcoin(ctx)]),
    ...(ctx.lightning === null ? [] : [await lightning(ctx)]),
  ];
  return { version, network, paymentMethods: rails.map(({ type }) => type), rails };
}

async function bitcoin({ db, now }: CommandContext): Promise<PaymentMethodInfo> {
  const sync = await db.manager.findOneBy(PaymentMethodSync, { type: "BTC-CHAIN" });
  const height = await db.manager.maximum(ChainBlock, "height");
  const nodeHeight = sync?.nodeHeight ?? null;
  return {
    type: "BTC-CHAIN",
    synchronized: sync?.synchronized ?? false,
    nodeHeight,
    height,
    lagBlocks: nodeHeight === null || height === null ? null : Math.max(0, nodeHeight - height),
    lagSeconds: await age(sync, { db, now }),
    problem: sync === null ? "The chain has not been checked yet." : sync.problem,
  };
}

/** Nothing about the node's money and channels, which are the operator's. */
async function lightning({ db, now }: CommandContext): Promise<PaymentMethodInfo> {
  const sync = await db.manager.findOneBy(PaymentMethodSync, { type: "BTC-LN" });
  return {
    type: "BTC-LN",
    synchronized: sync?.synchronized ?? false,
    nodeHeight: null,
    height: null,
    lagBlocks: null,
    lagSeconds: await age(sync, { db, now }),
    problem: sync === null ? "LND has not been checked yet." : sync.problem,
  };
}

/** In seconds. */
async function age(
  sync: PaymentMethodSync | null,
  { db, now }: Pick<CommandContext, "db" | "now">,
): Promise<number | null> {
  if (!sync?.caughtUpTo) return null;
  const at = await now(db.manager);
  return Math.max(0, Math.round((at.getTime() - sync.caughtUpTo.getTime()) / 1_000));
}

/** For server admins only. */
export interface ServerState {
  processes: Pick<Heartbeat, "instanceId" | "worker" | "startedAt" | "beatAt">[];
  /** The leaders of those workers that run in one process at a time. */
  leases: Pick<Lease, "name" | "holder" | "expiresAt">[];
  /** Includes what the node can receive; null if it does not report that. */
  rails: (PaymentMethodInfo & { receivableSats: bigint | null })[];
  openDeliveries: { pending: number; sending: number };
}

export async function readServerState(ctx: CommandContext): Promise<ServerState> {
  const { manager } = ctx.db;
  const since = new Date((await ctx.now(manager)).getTime() - SILENT_SECONDS * 1_000);
  const { rails } = await readServerInfo(ctx);
  const receivable = new Map(
    (await manager.find(PaymentMethodSync)).map((sync) => [sync.type, sync.receivableSats]),
  );
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
    rails: rails.map((info) => ({ ...info, receivableSats: receivable.get(info.type) ?? null })),
    openDeliveries: await openDeliveries(ctx),
  };
}

async function openDeliveries({ db }: CommandContext): Promise<ServerState["openDeliveries"]> {
  const counts = { pending: 0, sending: 0 };
  for (const { state, value } of (await OPEN_DELIVERIES.read(db.manager)).rows) counts[state] = value;
  return counts;
}
