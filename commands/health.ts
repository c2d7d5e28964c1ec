import type { DataSource } from "typeorm";
import type { PaymentMethodType } from "../domain/invoice/status";
import type { Network } from "../domain/network";
import { Rail } from "../entities/rail";
import type { CommandContext } from "./context";

/** A watcher or worker that was silent for so long is away. */
const SILENT_SECONDS = 30;
const QUEUE_WORKERS = ["invoices", "confirmations", "invoice-expiry", "webhook-delivery", "reconcile"];

export type HealthStatus = "ok" | "degraded" | "down" | "off";

export interface Check {
  status: HealthStatus;
  /** In words, without hosts and secrets. */
  reason?: string;
}

export interface Health {
  status: Exclude<HealthStatus, "off">;
  version: string;
  network: Network;
  /** Whether every rail that is configured is. */
  synchronized: boolean;
  checks: Record<"database" | "queue" | "bitcoin" | "lightning" | "workers", Check>;
}

/** What health tells beside what the database knows. */
export interface Surroundings {
  version: string;
  network: Network;
  bitcoinConfigured: boolean;
  lightningConfigured: boolean;
  queue: Check;
  /** Of the read replica; null where there is none. Rejects when the primary is away. */
  replicaHealth: ((primary: DataSource) => Promise<Check>) | null;
}

const OK: Check = { status: "ok" };
const OFF: Check = { status: "off" };
const UNKNOWN: Check = { status: "degraded", reason: "Not known while the database is away." };

/** Health by what watchers and workers wrote. Rejects when the database is away: then `healthWithoutDatabase` holds. */
export async function readHealth(
  ctx: Pick<CommandContext, "db">,
  surroundings: Surroundings,
): Promise<Health> {
  const { bitcoinConfigured, lightningConfigured } = surroundings;
  const bitcoin = bitcoinConfigured ? await railOf(ctx, BITCOIN) : NOT_CONFIGURED;
  const lightning = lightningConfigured ? await railOf(ctx, LIGHTNING) : NOT_CONFIGURED;
  return health(
    surroundings,
    {
      database: await databaseCheck(ctx, surroundings),
      bitcoin: bitcoin.check,
      lightning: lightning.check,
      workers: await workers(ctx, surroundings),
    },
    bitcoin.synchronized && lightning.synchronized,
  );
}

/** The primary answers: what is wrong with the replica makes things slower, no more. */
async function databaseCheck(
  { db }: Pick<CommandContext, "db">,
  { replicaHealth }: Surroundings,
): Promise<Check> {
  const { status, reason = "" } = (await replicaHealth?.(db)) ?? OK;
  return status === "ok" ? OK : { status, reason: `The primary is read in the replica's place: ${reason}` };
}

export function healthWithoutDatabase(surroundings: Surroundings): Health {
  const bitcoin = surroundings.bitcoinConfigured ? UNKNOWN : OFF;
  const lightning = surroundings.lightningConfigured ? UNKNOWN : OFF;
  const database: Check = { status: "down", reason: "The database does not answer." };
  return health(surroundings, { database, bitcoin, lightning, workers: UNKNOWN }, false);
}

function health(
  { version, network, queue }: Surroundings,
  known: Omit<Health["checks"], "queue">,
  synchronized: boolean,
): Health {
  const { database, bitcoin, lightning, workers } = known;
  const checks = { database, queue, bitcoin, lightning, workers };
  const degraded = Object.values(checks).some(({ status }) => status !== "ok" && status !== "off");
  const status = database.status === "down" ? "down" : degraded ? "degraded" : "ok";
  return { status, version, network, synchronized, checks };
}

interface RailHealth {
  check: Check;
  synchronized: boolean;
}
const NOT_CONFIGURED: RailHealth = { check: OFF, synchronized: true };

interface RailWords {
  type: PaymentMethodType;
  silent: string;
  behind: string;
  /** What is told of a rail that is caught up takes nothing from it. */
  remarks: boolean;
}
const BITCOIN: RailWords = {
  type: "BTC-CHAIN",
  silent: `The chain was not looked at for ${SILENT_SECONDS} s: chain-watch is away.`,
  behind: "The node is still synchronising.",
  remarks: false,
};
const LIGHTNING: RailWords = {
  type: "BTC-LN",
  silent: `LND was not looked at for ${SILENT_SECONDS} s: lightning-watch is away.`,
  behind: "LND is not caught up.",
  remarks: true,
};

async function railOf({ db }: Pick<CommandContext, "db">, words: RailWords): Promise<RailHealth> {
  const rail = await db
    .createQueryBuilder(Rail, "rail")
    .where("rail.type = :type", { type: words.type })
    .andWhere(`rail.checkedAt > clock_timestamp() - ${SILENT_SECONDS} * interval '1 second'`)
    .getOne();
  if (rail === null) return { check: { status: "degraded", reason: words.silent }, synchronized: false };
  const { synchronized, problem } = rail;
  if (synchronized && problem === null) return { check: OK, synchronized };
  if (synchronized && words.remarks) return { check: { ...OK, reason: problem ?? "" }, synchronized };
  return { check: { status: "degraded", reason: problem ?? words.behind }, synchronized };
}

async function workers(
  { db }: Pick<CommandContext, "db">,
  { bitcoinConfigured, lightningConfigured }: Surroundings,
): Promise<Check> {
  const rows = await db.query<{ worker: string }[]>(
    `SELECT DISTINCT worker FROM heartbeats WHERE beat_at > clock_timestamp() - $1 * interval '1 second'`,
    [SILENT_SECONDS],
  );
  const alive = new Set(rows.map(({ worker }) => worker));
  const expected = [
    ...(bitcoinConfigured ? ["chain-watch"] : []),
    ...(lightningConfigured ? ["lightning-watch"] : []),
    ...QUEUE_WORKERS,
  ];
  const away = expected.filter((worker) => !alive.has(worker));
  return away.length === 0 ? OK : { status: "degraded", reason: `Away: ${away.join(", ")}.` };
}
