import path from "node:path";
import { buildContext, closeOutside, openOutside, type Outside } from "../adapters/context";
import { randomId } from "../adapters/crypto";
import { DatabaseRefusedError } from "../adapters/database";
import { makeTestCustomer } from "../adapters/http/test-customer";
import { makeLoginLimits, type LoginLimits } from "../adapters/login-limits";
import { makeNotifications } from "../adapters/notifications";
import { makeRateLimits, type RateLimits } from "../adapters/rate-limits";
import { QueueRefusedError } from "../adapters/queues/backend";
import { checkInstallation, WrongInstallationError } from "../commands/check-installation";
import { parseTrustedProxies } from "../domain/client-address";
import type { CommandContext } from "../commands/context";
import type { Log } from "../commands/ports";
import { CHANGES_CHANNEL } from "../commands/tell-change";
import { keepBeating } from "../commands/heartbeat";
import { ConfigError, loadConfig, readEnvironment, retiredSettings } from "../config/load";
import type { Config } from "../config/schema";
import { createApp } from "./app";
import { readCheckoutFiles } from "./checkout/checkout-files";
import { readModalScript } from "./checkout/modal-script";
import { readDashboard } from "./dashboard-files";
import { makeChangeWatch, type ChangeWatch } from "./change-watch";
import { listen, type Listening } from "./listen";

/** Everything of one process of the API. */
interface Running {
  outside: Outside;
  listening: Listening;
  ctx: CommandContext | null;
  stopping: AbortController;
  limits: RateLimits | null;
  logins: LoginLimits;
  changes: ChangeWatch;
  stopBeating: () => Promise<void>;
}

function readConfig(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}

/** `npm run build` puts the pages here; who runs the source alone has none. */
const WEB = path.join(__dirname, "..", "web");

function changesOf({ DATABASE_URL: databaseUrl }: Config, log: Log): ChangeWatch {
  const applicationName = "quittance api changes";
  const channel = CHANGES_CHANNEL;
  return makeChangeWatch({
    listen: (listener) => makeNotifications({ databaseUrl, applicationName, channel, log }, listener),
    log,
  });
}

/** Listens before the database is there: a monitor can tell a process that waits from one that is dead. */
async function start(config: Config): Promise<Running> {
  const outside = openOutside(config, { worker: "api", takesJobs: false });
  const { log, metrics, version, queues, replica, chain, lightning } = outside;
  const stopping = new AbortController();
  const counted = { redisUrl: config.REDIS_URL, db: () => running.ctx?.db ?? null, log };
  const limits = makeRateLimits({ perMinute: config.RATE_LIMIT_PER_MINUTE, ...counted });
  const logins = makeLoginLimits(counted);
  const changes = changesOf(config, log);
  const app = createApp({
    context: () => running.ctx,
    log,
    metrics,
    newId: randomId,
    version,
    network: config.NETWORK,
    publicUrl: config.PUBLIC_URL,
    bitcoinConfigured: chain !== null,
    lightningConfigured: lightning !== null,
    queueHealth: () => queues.health(),
    replicaHealth: replica === null ? null : (primary) => replica.health(primary),
    queueStats: () => queues.stats(),
    queueBoard: queues.board,
    dashboard: readDashboard(path.join(WEB, "dashboard")),
    checkout: readCheckoutFiles(path.join(WEB, "checkout")),
    modal: readModalScript(path.join(WEB, "modal")),
    testCustomer: config.TEST_CUSTOMER_URL === undefined ? null : makeTestCustomer(config.TEST_CUSTOMER_URL),
    limits,
    logins,
    trustedProxies: parseTrustedProxies(config.TRUST_PROXY),
    stopping: stopping.signal,
    changes,
  });
  const { HOST: host, PORT: port } = config;
  const listening = await listen(app.callback(), { host, port });
  const running: Running = {
    outside,
    listening,
    ctx: null,
    stopping,
    limits,
    logins,
    changes,
    stopBeating: () => Promise.resolve(),
  };
  for (const line of retiredSettings(readEnvironment())) log.warn({}, line);
  log.info({ host, port: listening.port, version }, "listening");
  return running;
}

/** Waits for the database. One that must not be used ends the process, with a line that says how to mend it. */
async function reachDatabase({ outside }: Running): Promise<CommandContext> {
  try {
    const ctx = await buildContext(outside);
    await checkInstallation(ctx.db, { network: outside.config.NETWORK, ...outside.secretBox });
    return ctx;
  } catch (error) {
    const refused = error instanceof DatabaseRefusedError || error instanceof WrongInstallationError;
    if (refused) outside.log.error({}, error.message);
    else outside.log.error({ err: error }, "the database refused us");
    return process.exit(1);
  }
}

/** A queue that is away is waited for, in the background: all is served without it. One that must not be used ends the process. */
async function refuseWrongQueue({ outside: { queues, log } }: Running): Promise<void> {
  try {
    await queues.waitUntilReady();
  } catch (error) {
    if (!(error instanceof QueueRefusedError)) throw error;
    log.error({}, error.message);
    process.exit(1);
  }
}

/** Requests under way finish, then the connections close. A second signal ends it at once. */
async function stop(running: Running, signal: NodeJS.Signals): Promise<void> {
  const { outside, listening, stopping, limits, logins, changes, stopBeating } = running;
  outside.log.info({ signal }, "stopping: requests under way finish");
  stopping.abort();
  await listening.close();
  limits?.close();
  logins.close();
  await changes.close();
  await stopBeating();
  await closeOutside(outside, running.ctx);
  process.exit(0);
}

async function main(): Promise<void> {
  const running = await start(readConfig());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop(running, signal));
  const { outside } = running;
  running.ctx = await reachDatabase(running);
  running.stopBeating = keepBeating(running.ctx, outside, () => outside.metrics.snapshot());
  void refuseWrongQueue(running);
  outside.log.info({}, "ready");
  process.send?.("ready");
}

void main();
