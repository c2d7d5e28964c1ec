import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseOutage } from "../adapters/database-outage";
import { serveMetrics, type MetricsServer } from "../adapters/metrics/serve";
import { advanceConfirmations } from "../commands/chain/advance-confirmations";
import { PRUNE_FOLLOWED } from "../commands/chain/payment-queries";
import { decideDue } from "../commands/invoices/decide-due";
import { endRatesAlerts } from "../commands/stores/end-rates-alerts";
import { alertHeldExpiries } from "../commands/invoices/held-expiries";
import { membersOf } from "../commands/mails/alert-notices";
import { PRUNE_NOTICES } from "../commands/mails/queries";
import { PRUNE_RECEIPTS } from "../commands/mails/receipt-queries";
import { sendNotices } from "../commands/mails/send-notices";
import { sendReceipts } from "../commands/mails/send-receipts";
import { interruptStuckAttempts } from "../commands/webhooks/interrupt-stuck-attempts";
import { sweepDeliveries } from "../commands/webhooks/release";
import { prune } from "../commands/installation/prune";
import { readMetrics, readProcessMetrics } from "../commands/installation/read-metrics";
import { compareLatest } from "../commands/chain/rescan-chain";
import { reencryptSecrets } from "../commands/installation/reencrypt-secrets";
import { makeSendAlerts, ownersOf } from "../commands/server/send-alerts";
import { watchAccess } from "../commands/accounts/watch-access";
import { forgetUsers } from "../commands/accounts/forget-users";
import { makeWatchQueue } from "../commands/installation/watch-queue";
import { watchCertificates } from "../commands/lightning/watch-certificates";
import { checkDestinations } from "../commands/wallets/check-destinations";
import { watchGapLimits } from "../commands/wallets/watch-gap-limits";
import { runAsLeader } from "./leader";
import type { StartWorker, WorkerParts } from "./worker";

const SECOND = 1_000;

/** What it does again and again; the returned number is for the log. */
interface Task {
  everyMs: number;
  run: () => Promise<number>;
}

function tasksOf({ ctx, config, queues }: WorkerParts): Readonly<Record<string, Task>> {
  const decide = async (): Promise<number> => {
    // A failure of one must not stop the others; the task then fails as a whole.
    try {
      return await decideDue(ctx);
    } finally {
      await alertHeldExpiries(ctx);
    }
  };
  const deliver = async (): Promise<number> =>
    (await interruptStuckAttempts(ctx)) + (await sweepDeliveries(ctx));
  const forget = async (): Promise<number> =>
    (await prune(ctx, {
      keptDays: config.RETENTION_DAYS,
      others: [...PRUNE_FOLLOWED, ...PRUNE_NOTICES, PRUNE_RECEIPTS],
    })) + (await forgetUsers(ctx, config.RETENTION_DAYS));
  const reencrypt = async (): Promise<number> => (await reencryptSecrets(ctx)) + (await watchAccess(ctx));
  const channels = [...(ctx.alertChannels ?? []), ...ownersOf(ctx), ...membersOf(ctx)];
  return {
    "decide-due": { everyMs: 5 * SECOND, run: decide },
    "send-forgotten-deliveries": { everyMs: 5 * SECOND, run: deliver },
    "confirm-payments": { everyMs: 5 * SECOND, run: () => advanceConfirmations(ctx) },
    "send-alerts": { everyMs: 5 * SECOND, run: makeSendAlerts(ctx, channels) },
    "send-notices": { everyMs: 10 * SECOND, run: () => sendNotices(ctx) },
    "send-receipts": { everyMs: 10 * SECOND, run: () => sendReceipts(ctx) },
    "watch-queue": { everyMs: 5 * SECOND, run: makeWatchQueue(ctx, queues.health) },
    "end-rates-alerts": { everyMs: 60 * SECOND, run: () => endRatesAlerts(ctx) },
    "watch-gap-limits": { everyMs: 600 * SECOND, run: () => watchGapLimits(ctx) },
    "watch-certificates": { everyMs: 3_600 * SECOND, run: () => watchCertificates(ctx) },
    "compare-with-chain": { everyMs: 3_600 * SECOND, run: () => compareLatest(ctx) },
    "check-destinations": { everyMs: 24 * 3_600 * SECOND, run: () => checkDestinations(ctx) },
    retention: { everyMs: 3_600 * SECOND, run: forget },
    "reencrypt-secrets": { everyMs: 3_600 * SECOND, run: reencrypt },
  };
}

/** At once, and again when its interval has passed and the last run has ended, until `signal` is aborted. */
async function repeat(
  { log }: WorkerParts,
  [task, { everyMs, run }]: [name: string, task: Task],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const beganAt = performance.now();
    try {
      log.debug({ task, count: await run() }, "reconcile: done");
    } catch (error) {
      if (isDatabaseOutage(error)) log.warn({ task }, "reconcile: interrupted, database unavailable");
      else log.error({ task, err: error }, "reconcile: failed");
    }
    const restMs = Math.max(0, everyMs - (performance.now() - beganAt));
    await sleep(restMs, undefined, { signal }).catch(() => undefined);
  }
}

/** One process serves the metrics of all: from the database, the queues, and each process's heartbeat. */
function metricsOf({ ctx, config, queues, log }: WorkerParts): MetricsServer | null {
  const { HOST: host, METRICS_PORT: port } = config;
  if (port === undefined) return null;
  return serveMetrics({
    host,
    port,
    log,
    readNumbers: () => readMetrics(ctx),
    readProcesses: () => readProcessMetrics(ctx),
    readQueues: () => Promise.all([queues.stats(), queues.ages()]),
  });
}

/** Of several copies one leads. It needs no queue: what it finds for one that is away it finds again. */
export const startReconcile: StartWorker = (parts) => {
  const { ctx, queues, instanceId, onFatal } = parts;
  queues.waitUntilReady().catch(onFatal);
  const leading = runAsLeader(ctx, {
    name: "reconcile",
    holder: instanceId,
    onStuck: onFatal,
    lead: async (_, signal) => {
      setMaxListeners(0, signal); // of each task's timer: Node warns of more than ten
      await Promise.all(Object.entries(tasksOf(parts)).map((task) => repeat(parts, task, signal)));
    },
  });
  const metrics = metricsOf(parts);
  return {
    close: async () => {
      metrics?.close();
      await leading.close();
    },
  };
};
