import { IsNull, MoreThan, Not } from "typeorm";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { ChainBlock } from "../../entities/chain-block";
import { Heartbeat } from "../../entities/heartbeat";
import { Lease } from "../../entities/lease";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import type { CommandContext } from "../context";
import { OPEN_DELIVERIES } from "./metrics-queries";
import { SILENT_SECONDS } from "../server/queries";

export interface PaymentMethodInfo {
  type: PaymentMethodType;
  synchronized: boolean;
  nodeHeight: number | null;
  /** Processed; null before the first. */
  height: number | null;
  lagBlocks: number | null;
  /** Since the last complete check began. */
  lagSeconds: number | null;
  /** Without hosts and secrets. */
  problem: string | null;
}

/** For merchants: nothing that belongs to the operator, as the node's money, and no host. */
export async function readServerInfo(ctx: CommandContext) {
  const { version, network, explorerTxUrl } = ctx.settings;
  const rails = (await readMethods(ctx, SERVERS)).map(withoutMoney);
  return { version, network, explorerTxUrl, paymentMethods: rails.map(({ type }) => type), rails };
}

/** By the node that the store's payments come to: its own LND, or the server's. */
export async function readMethodsOfStore(ctx: CommandContext, storeId: string): Promise<PaymentMethodInfo[]> {
  const methods = await ctx.db.manager.find(StorePaymentMethod, {
    where: { storeId },
    order: { type: "ASC" },
  });
  return (await readMethods(ctx, methods)).map(withoutMoney);
}

const withoutMoney = ({ receivableSats: _, ...info }: MethodState): PaymentMethodInfo => info;

const NEVER_CHECKED: Record<PaymentMethodType, string> = {
  "BTC-CHAIN": "The chain has not been checked yet.",
  "BTC-LN": "LND has not been checked yet.",
};

type MethodOf = Pick<StorePaymentMethod, "type" | "lightningNodeId">;
const SERVERS: readonly MethodOf[] = [
  { type: "BTC-CHAIN", lightningNodeId: null },
  { type: "BTC-LN", lightningNodeId: SERVER_NODE_ID },
];

/** Without those that are not configured. */
async function readMethods(
  { chain, lightning, db, now }: CommandContext,
  methods: readonly MethodOf[],
): Promise<MethodState[]> {
  const { manager } = db;
  const states: MethodState[] = [];
  const add = async (type: PaymentMethodType, row: Checked | null, height: number | null): Promise<void> => {
    const { synchronized = false, nodeHeight = null, caughtUpTo = null, receivableSats = null } = row ?? {};
    states.push({
      type,
      synchronized,
      nodeHeight,
      height,
      lagBlocks: nodeHeight === null || height === null ? null : Math.max(0, nodeHeight - height),
      lagSeconds: caughtUpTo && secondsBetween(caughtUpTo, await now(manager)),
      problem: row === null ? NEVER_CHECKED[type] : row.problem,
      receivableSats,
    });
  };
  for (const { type, lightningNodeId } of methods) {
    const id = lightningNodeId ?? SERVER_NODE_ID;
    if (type === "BTC-CHAIN" && chain !== null) {
      const sync = await manager.findOneBy(PaymentMethodSync, { type });
      const checked = sync && { ...sync, receivableSats: null };
      await add(type, checked, await manager.maximum(ChainBlock, "height"));
    }
    if (type === "BTC-LN" && (lightning.server || id !== SERVER_NODE_ID))
      await add(type, await manager.findOneBy(LightningNode, { id, checkedAt: Not(IsNull()) }), null);
  }
  return states;
}

type Checked = Pick<LightningNode, "synchronized" | "caughtUpTo" | "problem" | "receivableSats"> & {
  nodeHeight?: number | null;
};

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, Math.round((to.getTime() - from.getTime()) / 1_000));
}

/** The operator's; null if not reported. */
type MethodState = PaymentMethodInfo & { receivableSats: bigint | null };

export async function readServerState(ctx: CommandContext) {
  const { manager } = ctx.db;
  const since = new Date((await ctx.now(manager)).getTime() - SILENT_SECONDS * 1_000);
  return {
    processes: await manager.find(Heartbeat, {
      select: { instanceId: true, worker: true, startedAt: true, beatAt: true },
      where: { beatAt: MoreThan(since) },
      order: { worker: "ASC", startedAt: "ASC" },
    }),
    /** Held by workers that run in one process at a time. */
    leases: await manager.find(Lease, {
      select: { name: true, holder: true, expiresAt: true },
      order: { name: "ASC" },
    }),
    rails: await readMethods(ctx, SERVERS),
    openDeliveries: await openDeliveries(ctx),
  };
}

async function openDeliveries({ db }: CommandContext) {
  const counts = { pending: 0, sending: 0 };
  for (const { state, value } of (await OPEN_DELIVERIES.read(db.manager)).rows) counts[state] = value;
  return counts;
}
