import { IsNull, Not } from "typeorm";
import { hasRoom } from "../../database/server-facts";
import type { Network } from "../../domain/network";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import type { CommandContext } from "../context";
import { PROCESSES } from "./metrics-queries";
import { isRecent, SILENT_SECONDS } from "../server/queries";
import { countSetAside, describeSetAside } from "../chain/set-aside";

/** The reason of `workers` when they are well: the app `workers` runs. */
const IN_ONE = "They run in one process (PROCESSES=few).";
/** lightning-watch: for stores' nodes, also where the server has none. */
const WORKERS = [
  "lightning-watch",
  "invoices",
  "confirmations",
  "invoice-expiry",
  "webhook-delivery",
  "reconcile",
];

export type HealthStatus = "ok" | "degraded" | "down" | "off";

export interface Check {
  status: HealthStatus;
  /** Without hosts and secrets. */
  reason?: string;
}

export interface Health {
  status: Exclude<HealthStatus, "off">;
  version: string;
  network: Network;
  /** The nodes of all configured payment methods are caught up. */
  synchronized: boolean;
  checks: Record<"database" | "queue" | "bitcoin" | "lightning" | "workers", Check>;
}

export interface Surroundings {
  version: string;
  network: Network;
  bitcoinConfigured: boolean;
  /** The server's node: a store's is that store's alert. */
  lightningConfigured: boolean;
  queue: Check;
  /** About this process's configuration; degrades nothing. */
  remark?: string | null;
}

const OK: Check = { status: "ok" };
const OFF: Check = { status: "off" };
/** Stores have wallets, but BITCOIND_RPC_URL is not set. */
const WALLETS_WITHOUT_NODE = "wallets-without-node";
const FULL: Check = { status: "down", reason: "Its disk is full: nothing can be stored." };
const UNKNOWN: Check = { status: "degraded", reason: "Unknown while the database is unavailable." };

/** By the reports of watchers and workers. Rejects when the database is away: then use `healthWithoutDatabase`. */
export async function readHealth(
  ctx: Pick<CommandContext, "db">,
  surroundings: Surroundings,
): Promise<Health> {
  const { bitcoinConfigured, lightningConfigured } = surroundings;
  const bitcoin = bitcoinConfigured ? await bitcoinHealth(ctx) : await withoutBitcoin(ctx);
  const lightning = lightningConfigured ? await lightningHealth(ctx) : NOT_CONFIGURED;
  const setAside = await countSetAside(ctx.db);
  return health(
    surroundings,
    {
      database: (await hasRoom(ctx.db)) ? OK : FULL,
      bitcoin: withSetAside(bitcoin.check, setAside),
      lightning: lightning.check,
      workers: await workers(ctx, surroundings),
    },
    bitcoin.synchronized && lightning.synchronized,
  );
}

function withSetAside(check: Check, count: number): Check {
  const words = describeSetAside(count);
  return check.status === "ok" && words !== null ? { status: "degraded", reason: words } : check;
}

export function healthWithoutDatabase(surroundings: Surroundings): Health {
  const bitcoin = surroundings.bitcoinConfigured ? UNKNOWN : OFF;
  const lightning = surroundings.lightningConfigured ? UNKNOWN : OFF;
  const database: Check = { status: "down", reason: "The database does not answer." };
  return health(surroundings, { database, bitcoin, lightning, workers: UNKNOWN }, false);
}

function health(
  { version, network, queue, remark = null }: Surroundings,
  known: Omit<Health["checks"], "queue">,
  synchronized: boolean,
): Health {
  const { database, bitcoin, lightning } = known;
  const workers = remark === null ? known.workers : withRemark(known.workers, remark);
  const checks = { database, queue, bitcoin, lightning, workers };
  const degraded = Object.values(checks).some(
    ({ status, reason }) => (status !== "ok" && status !== "off") || reason === WALLETS_WITHOUT_NODE,
  );
  const status = database.status === "down" ? "down" : degraded ? "degraded" : "ok";
  return { status, version, network, synchronized, checks };
}

function withRemark({ status, reason }: Check, remark: string): Check {
  return { status, reason: reason === undefined ? remark : `${reason} ${remark}` };
}

/** Harmless if no store has a wallet. */
async function withoutBitcoin({ db }: Pick<CommandContext, "db">): Promise<MethodHealth> {
  const wallet = await db.manager.existsBy(StorePaymentMethod, {
    type: "BTC-CHAIN",
    walletId: Not(IsNull()),
  });
  return wallet ? { check: { ...OFF, reason: WALLETS_WITHOUT_NODE }, synchronized: false } : NOT_CONFIGURED;
}

interface MethodHealth {
  check: Check;
  synchronized: boolean;
}
const NOT_CONFIGURED: MethodHealth = { check: OFF, synchronized: true };

interface MethodWords {
  silent: string;
  behind: string;
  remarks: boolean;
}
const BITCOIN: MethodWords = {
  silent: `The chain was not checked for ${SILENT_SECONDS} s: chain-watch is not running.`,
  behind: "The node is still syncing.",
  remarks: false,
};
const LIGHTNING: MethodWords = {
  silent: `LND was not checked for ${SILENT_SECONDS} s: lightning-watch is not running.`,
  behind: "LND has not caught up.",
  remarks: true,
};

async function bitcoinHealth({ db }: Pick<CommandContext, "db">): Promise<MethodHealth> {
  const sync = await db
    .createQueryBuilder(PaymentMethodSync, "sync")
    .where("sync.type = 'BTC-CHAIN'")
    .andWhere(isRecent("sync.checkedAt"))
    .getOne();
  return healthOf(sync, BITCOIN);
}

async function lightningHealth({ db }: Pick<CommandContext, "db">): Promise<MethodHealth> {
  const node = await db
    .createQueryBuilder(LightningNode, "node")
    .where("node.id = :id", { id: SERVER_NODE_ID })
    .andWhere(isRecent("node.checkedAt"))
    .getOne();
  return healthOf(node, LIGHTNING);
}

function healthOf(
  row: Pick<PaymentMethodSync, "synchronized" | "problem"> | null,
  words: MethodWords,
): MethodHealth {
  if (row === null) return { check: { status: "degraded", reason: words.silent }, synchronized: false };
  const { synchronized, problem } = row;
  if (synchronized && problem === null) return { check: OK, synchronized };
  if (synchronized && words.remarks) return { check: { ...OK, reason: problem ?? "" }, synchronized };
  return { check: { status: "degraded", reason: problem ?? words.behind }, synchronized };
}

async function workers(
  { db }: Pick<CommandContext, "db">,
  { bitcoinConfigured }: Surroundings,
): Promise<Check> {
  const { rows } = await PROCESSES.read(db.manager);
  const alive = new Set(rows.map(({ worker }) => worker));
  const expected = [...(bitcoinConfigured ? ["chain-watch"] : []), ...WORKERS];
  const away = expected.filter((worker) => !alive.has(worker));
  if (away.length > 0) return { status: "degraded", reason: `Away: ${away.join(", ")}.` };
  return alive.has("workers") ? { ...OK, reason: IN_ONE } : OK;
}
