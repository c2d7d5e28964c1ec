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
  queue: Check;
}

const OK: Check = { status: "ok" };
const OFF: Check = { status: "off" };
const UNKNOWN: Check = { status: "degraded", reason: "Not known while the database is away." };

/** Health by what watchers and workers wrote. Rejects when the database is away: then `healthWithoutDatabase` holds. */
export async function readHealth(
  ctx: Pick<CommandContext, "db">,
  surroundings: Surroundings,
): Promise<Health> {
  const bitcoin = surroundings.bitcoinConfigured
    ? await bitcoinRail(ctx)
    : { check: OFF, synchronized: true };
  return health(
    surroundings,
    { database: OK, bitcoin: bitcoin.check, workers: await workers(ctx, surroundings) },
    bitcoin.synchronized,
  );
}

export function healthWithoutDatabase(surroundings: Surroundings): Health {
  const bitcoin = surroundings.bitcoinConfigured ? UNKNOWN : OFF;
  const database: Check = { status: "down", reason: "The database does not answer." };
  return health(surroundings, { database, bitcoin, workers: UNKNOWN }, false);
}

function health(
  { version, network, queue }: Surroundings,
  known: Record<"database" | "bitcoin" | "workers", Check>,
  synchronized: boolean,
): Health {
  const { database, bitcoin, workers } = known;
  const checks = { database, queue, bitcoin, lightning: OFF, workers };
  const degraded = Object.values(checks).some(({ status }) => status !== "ok" && status !== "off");
  const status = database.status === "down" ? "down" : degraded ? "degraded" : "ok";
  return { status, version, network, synchronized, checks };
}

async function bitcoinRail({
  db,
}: Pick<CommandContext, "db">): Promise<{ check: Check; synchronized: boolean }> {
  const rail = await db
    .createQueryBuilder(Rail, "rail")
    .where("rail.type = 'BTC-CHAIN'")
    .andWhere(`rail.checkedAt > clock_timestamp() - ${SILENT_SECONDS} * interval '1 second'`)
    .getOne();
  if (rail === null)
    return {
      check: {
        status: "degraded",
        reason: `The chain was not looked at for ${SILENT_SECONDS} s: chain-watch is away.`,
      },
      synchronized: false,
    };
  const { synchronized, problem } = rail;
  if (synchronized && problem === null) return { check: OK, synchronized };
  return {
    check: { status: "degraded", reason: problem ?? "The node is still synchronising." },
    synchronized,
  };
}

async function workers(
  { db }: Pick<CommandContext, "db">,
  { bitcoinConfigured }: Surroundings,
): Promise<Check> {
  const rows = await db.query<{ worker: string }[]>(
    `SELECT DISTINCT worker FROM heartbeats WHERE beat_at > clock_timestamp() - $1 * interval '1 second'`,
    [SILENT_SECONDS],
  );
  const alive = new Set(rows.map(({ worker }) => worker));
  const expected = bitcoinConfigured ? ["chain-watch", ...QUEUE_WORKERS] : QUEUE_WORKERS;
  const away = expected.filter((worker) => !alive.has(worker));
  return away.length === 0 ? OK : { status: "degraded", reason: `Away: ${away.join(", ")}.` };
}
