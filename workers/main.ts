import {
  asWorker,
  buildContext,
  closeInfrastructure,
  connectInfrastructure,
  type Infrastructure,
} from "../adapters/context";
import { DatabaseRefusedError } from "../adapters/database";
import { makeLogger } from "../adapters/logger";
import { QueueRefusedError } from "../adapters/queues/backend";
import { checkInstallation, WrongInstallationError } from "../commands/installation/check-installation";
import type { CommandContext } from "../commands/context";
import { keepBeating } from "../commands/server/heartbeat";
import type { JobName } from "../commands/jobs";
import type { Log } from "../commands/ports";
import { ConfigError, loadConfig } from "../config/load";
import type { RunningWorker, StartWorker } from "./worker";

/** Each app loads only its own code. */
const WORKERS: Readonly<Record<string, () => Promise<StartWorker>>> = {
  "chain-watch": async () => (await import("./chain-watch.js")).startChainWatch,
  "lightning-watch": async () => (await import("./lightning-watch.js")).startLightningWatch,
  invoices: async () => (await import("./invoices.js")).startInvoices,
  confirmations: async () => (await import("./confirmations.js")).startConfirmations,
  "invoice-expiry": async () => (await import("./invoice-expiry.js")).startInvoiceExpiry,
  "webhook-delivery": async () => (await import("./webhook-delivery.js")).startWebhookDelivery,
  reconcile: async () => (await import("./reconcile.js")).startReconcile,
};
/** The app that runs all of them in one process. Its pool may be as large as all of theirs: none waits for another. */
const ALL = "workers";
const POOLS_OF_ALL = 7;
/** The others work whether or not a queue answers: the sweep enqueues what they find. */
const isQueue = (name: string): name is JobName =>
  !["chain-watch", "lightning-watch", "reconcile"].includes(name);

/** Less than PM2's kill_timeout. A request to a shop plugin's webhook takes 30 s at most. */
const shutdownMs = (name: string): number => ([ALL, "webhook-delivery"].includes(name) ? 38_000 : 18_000);
/** What waits for a database that vanished would last longer, and others wait for the restart. */
const FATAL_SHUTDOWN_MS = 18_000;

const REFUSALS = [DatabaseRefusedError, QueueRefusedError, WrongInstallationError];

/** What was started so far. */
interface Running {
  ctx: CommandContext;
  workers: RunningWorker[];
  stopHeartbeat: () => Promise<void>;
}

async function start(
  infrastructure: Infrastructure,
  names: readonly string[],
  { onRunning, onFatal }: { onRunning: (running: Running) => void; onFatal: (error: Error) => void },
): Promise<void> {
  const { secretBox, config } = infrastructure;
  const shared = names.length > 1;
  const ctx = await buildContext(infrastructure, { pools: shared ? POOLS_OF_ALL : 1 });
  await checkInstallation(ctx.db, { network: config.NETWORK, ...secretBox });
  const beating = shared ? [infrastructure] : [];
  const workers: RunningWorker[] = [];
  const startOne = async (name: string): Promise<void> => {
    const parts = shared ? await asWorker(infrastructure, ctx, name) : { ...infrastructure, ctx };
    if (isQueue(name)) await parts.queues.waitUntilReady();
    const startWorker = await WORKERS[name]?.();
    if (startWorker === undefined) throw new Error(`there is no worker ${name}`);
    workers.push(await startWorker({ ...parts, onFatal }));
    beating.push(parts);
  };
  const starting = Promise.all(names.map(startOne));
  if (!shared) await starting;
  onRunning({ ctx, workers, stopHeartbeat: keepBeating(ctx, beating) });
  await starting;
}

function logFatal(log: Log, error: unknown): void {
  if (error instanceof Error && REFUSALS.some((Refusal) => error instanceof Refusal))
    log.error({}, error.message);
  else log.error({ err: error }, "process: fatal error");
}

function die(log: Log, error: unknown): never {
  logFatal(log, error);
  process.exit(1);
}

/** In this order: accept nothing new and let work in progress end, remove the heartbeat, close the connections. */
async function stop({ workers, ctx, stopHeartbeat }: Running, infrastructure: Infrastructure): Promise<void> {
  await Promise.all(workers.map((worker) => worker.close()));
  await stopHeartbeat();
  await closeInfrastructure(infrastructure, ctx);
}

/** By a signal, or where one of several workers cannot continue: the work in progress ends first. */
function makeEnd(infrastructure: Infrastructure, running: () => Running | null): (code: number) => void {
  const { log } = infrastructure;
  let ending = false;
  return (code) => {
    if (ending) return;
    ending = true;
    const now = running();
    if (now === null) process.exit(code);
    const withinMs = code === 0 ? shutdownMs(infrastructure.worker) : FATAL_SHUTDOWN_MS;
    setTimeout(() => {
      log.error({}, `process: not stopped within ${withinMs / 1_000} s, aborting the work in progress`);
      process.exit(1);
    }, withinMs).unref();
    stop(now, infrastructure).then(
      () => {
        log.info({}, "stopped");
        process.exit(code);
      },
      (error: unknown) => die(log, error),
    );
  };
}

function configure(name: string, names: readonly string[]): Infrastructure {
  try {
    const queuesTaken = names.filter(isQueue).length;
    return connectInfrastructure(loadConfig(), { worker: name, queuesTaken });
  } catch (error) {
    const log = makeLogger({ level: "info", worker: name, instance: "" });
    if (!(error instanceof ConfigError)) return die(log, error);
    log.error({ problems: error.problems }, error.message);
    process.exit(1);
  }
}

async function main(name = ""): Promise<void> {
  const names = name === ALL ? Object.keys(WORKERS) : [name];
  if (!names.every((each) => each in WORKERS)) {
    process.stderr.write(`usage: node dist/workers/main.js ${[...Object.keys(WORKERS), ALL].join("|")}\n`);
    process.exit(1);
  }
  const infrastructure = configure(name, names);
  const { log } = infrastructure;
  process.on("unhandledRejection", (error) => die(log, error));
  process.on("uncaughtException", (error) => die(log, error));
  let running: Running | null = null;
  const end = makeEnd(infrastructure, () => running);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      log.info({ signal }, "stopping");
      end(0);
    });
  await start(infrastructure, names, {
    onRunning: (now) => (running = now),
    onFatal: (error) => {
      if (names.length === 1) die(log, error);
      logFatal(log, error);
      end(1);
    },
  });
  log.info({ version: infrastructure.version }, "ready");
  process.send?.("ready");
}

void main(process.argv[2]);
