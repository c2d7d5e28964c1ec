import { serveMetrics, type MetricsServer } from "../adapters/metrics/serve";
import { endRestoreHold } from "../commands/backup/end-hold";
import { advanceConfirmations } from "../commands/chain/advance-confirmations";
import { PRUNE_FOLLOWED } from "../commands/chain/payment-queries";
import { decideDue } from "../commands/invoices/decide-due";
import { endRatesAlerts } from "../commands/stores/end-rates-alerts";
import { alertHeldExpiries } from "../commands/invoices/held-expiries";
import { interruptStuckAttempts } from "../commands/webhooks/interrupt-stuck-attempts";
import type { JobOutcome, ReconcileTask } from "../commands/jobs";
import { sweepDeliveries } from "../commands/webhooks/release";
import { prune } from "../commands/server/prune";
import { readMetrics, readProcessMetrics } from "../commands/server/read-metrics";
import { compareWithChain } from "../commands/chain/compare-with-chain";
import { reencryptSecrets } from "../commands/server/reencrypt-secrets";
import { makeSendAlerts, ownersOf } from "../commands/server/send-alerts";
import { watchAccess } from "../commands/accounts/watch-access";
import { forgetUsers } from "../commands/accounts/forget-users";
import { makeWatchQueue } from "../commands/server/watch-queue";
import { watchGapLimits } from "../commands/wallets/watch-gap-limits";
import type { StartWorker, WorkerParts } from "./worker";

const SECOND = 1_000;
const EVERY_MS: Readonly<Record<ReconcileTask, number>> = {
  "decide-due": 5 * SECOND,
  "send-forgotten-deliveries": 5 * SECOND,
  "confirm-payments": 5 * SECOND,
  "end-rates-alerts": 60 * SECOND,
  "watch-gap-limits": 600 * SECOND,
  "send-alerts": 5 * SECOND,
  // Once a day, according to the last report: after a failure it is tried again within the hour.
  "reconciliation-report": 3_600 * SECOND,
  retention: 3_600 * SECOND,
  "reencrypt-secrets": 3_600 * SECOND,
};
/** A queue that lost everything has lost the schedulers too. */
const RESCHEDULE_MS = 10 * SECOND;
const WATCH_QUEUE_MS = 5 * SECOND;

/** What each task does; the returned number is for the log. */
function tasksOf(parts: WorkerParts): Record<ReconcileTask, () => Promise<number>> {
  const { ctx, config } = parts;
  return {
    "decide-due": async () => {
      // A failure of one must not stop the others; the job then fails as a whole.
      try {
        return await decideDue(ctx);
      } finally {
        await alertHeldExpiries(ctx);
      }
    },
    "send-forgotten-deliveries": async () =>
      (await interruptStuckAttempts(ctx)) + (await sweepDeliveries(ctx)) + (await endRestoreHold(ctx)),
    "confirm-payments": () => advanceConfirmations(ctx),
    "end-rates-alerts": () => endRatesAlerts(ctx),
    "watch-gap-limits": () => watchGapLimits(ctx),
    "send-alerts": makeSendAlerts(ctx, [...(ctx.alertChannels ?? []), ...ownersOf(ctx)]),
    "reconciliation-report": () => compareWithChain(ctx),
    retention: async () =>
      (await prune(ctx, { keptDays: config.RETENTION_DAYS, others: PRUNE_FOLLOWED })) +
      (await forgetUsers(ctx, config.RETENTION_DAYS)),
    "reencrypt-secrets": async () => (await reencryptSecrets(ctx)) + (await watchAccess(ctx)),
  };
}

/** A task that takes longer than its interval continues; its next job finds it running and skips it. */
function oneAtATime(
  tasks: Record<ReconcileTask, () => Promise<number>>,
): (task: ReconcileTask) => Promise<JobOutcome> {
  const running = new Set<ReconcileTask>();
  return async (task) => {
    if (running.has(task)) return { kind: "done", reason: "still running" };
    running.add(task);
    try {
      return { kind: "done", reason: `${task}: ${await tasks[task]()}` };
    } finally {
      running.delete(task);
    }
  };
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

/** Without jobs, since none runs while the queue is unusable. */
function watchQueue({ ctx, queues }: WorkerParts, sendAlerts: () => Promise<unknown>): NodeJS.Timeout {
  const watch = makeWatchQueue(ctx, { readQueue: queues.health, sendAlerts });
  let running = false;
  const watchOnce = (): void => {
    if (running) return;
    running = true;
    watch()
      .catch((error: unknown) => ctx.log.warn({ err: error }, "reconcile: queue not checked"))
      .finally(() => (running = false));
  };
  watchOnce();
  return setInterval(watchOnce, WATCH_QUEUE_MS);
}

/** It waits for the queue itself, to alert the operator if that takes long. */
export const startReconcile: StartWorker = async (parts) => {
  const { ctx, queues, onFatal } = parts;
  const run = oneAtATime(tasksOf(parts));
  const queueTimer = watchQueue(parts, () => run("send-alerts"));
  await queues.waitUntilReady();
  const schedule = (): Promise<void> =>
    queues
      .schedule(EVERY_MS)
      .catch((error: unknown) => ctx.log.warn({ err: error }, "reconcile: schedulers not renewed"));
  await schedule();
  // After a change of APP_SECRET; the schedule that the queue knows may begin in an hour.
  run("reencrypt-secrets").catch((error: unknown) =>
    ctx.log.warn({ err: error }, "reconcile: secrets not encrypted again yet"),
  );
  const worker = queues.startWorker("reconcile", ({ task }) => run(task), {
    concurrency: Object.keys(EVERY_MS).length,
    onFatal,
  });
  const timer = setInterval(() => void schedule(), RESCHEDULE_MS);
  const metrics = metricsOf(parts);
  return {
    close: async () => {
      clearInterval(queueTimer);
      clearInterval(timer);
      metrics?.close();
      await worker.close();
    },
  };
};
