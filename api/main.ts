import path from "node:path";
import {
  buildContext,
  closeInfrastructure,
  connectInfrastructure,
  type Infrastructure,
} from "../adapters/context";
import { randomId } from "../adapters/crypto";
import { DatabaseRefusedError } from "../adapters/database";
import { makeTestCustomer } from "../adapters/http/test-customer";
import { makeLoginLimits, type LoginLimits } from "../adapters/login-limits";
import { makeNotifications } from "../adapters/notifications";
import { makeRateLimits, type RateLimits } from "../adapters/rate-limits";
import { QueueRefusedError } from "../adapters/queues/backend";
import { hasNoUser } from "../commands/accounts/create-user";
import { checkInstallation, WrongInstallationError } from "../commands/installation/check-installation";
import { parseTrustedProxies } from "../domain/client-address";
import type { CommandContext } from "../commands/context";
import type { Log } from "../commands/ports";
import { CHANGES_CHANNEL } from "../commands/server/notify-changes";
import { keepBeating } from "../commands/server/heartbeat";
import { ConfigError, loadConfig } from "../config/load";
import type { Config } from "../config/schema";
import { createApp } from "./app";
import { readCheckoutFiles } from "./checkout/checkout-files";
import { readDashboard } from "./dashboard/dashboard-files";
import { makeChangeWatch, type ChangeWatch } from "./live/change-watch";
import { listen, type Listening } from "./listen";
import { readFiles } from "./http/built-files";
import { watchProxies } from "./http/proxy-watch";

interface Running {
  infrastructure: Infrastructure;
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

/** Built by `npm run build`; a run from the sources has none. */
const WEB = path.join(__dirname, "..", "web");

function changesOf({ DATABASE_URL: databaseUrl }: Config, log: Log): ChangeWatch {
  const applicationName = "quittance api changes";
  const channel = CHANGES_CHANNEL;
  return makeChangeWatch({
    listen: (listener) => makeNotifications({ databaseUrl, applicationName, channel, log }, listener),
    log,
  });
}

const PORT_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is used by another process: end that one, or set PORT to another",
  EACCES: "may not be used by this user: set PORT above 1023",
  EADDRNOTAVAIL: "is of an address that this machine has not: set HOST to one that it has",
};

function refusePort(log: Log, { host, port }: { host: string; port: number }, error: unknown): never {
  const { code = "" } = error as { code?: string };
  const problem = PORT_PROBLEMS[code];
  if (problem === undefined) throw error;
  log.error(
    { setting: code === "EADDRNOTAVAIL" ? "HOST" : "PORT", host, port, code },
    `process: port ${port} ${problem}`,
  );
  process.exit(1);
}

/** Before the database is reached: a monitor distinguishes a waiting process from a dead one. */
async function start(config: Config): Promise<Running> {
  const infrastructure = connectInfrastructure(config, { worker: "api" });
  const { log, metrics, version, queues, chain, lightning } = infrastructure;
  const stopping = new AbortController();
  const counted = { redisUrl: config.REDIS_URL, db: () => running.ctx?.db ?? null, log };
  const limits = makeRateLimits({ perMinute: config.RATE_LIMIT_PER_MINUTE, ...counted });
  const logins = makeLoginLimits(counted);
  const changes = changesOf(config, log);
  const trustedProxies = parseTrustedProxies(config.TRUST_PROXY);
  const app = createApp({
    context: () => running.ctx,
    log,
    metrics,
    newId: randomId,
    version,
    network: config.NETWORK,
    publicUrl: config.PUBLIC_URL,
    hstsSubdomains: config.HSTS_INCLUDE_SUBDOMAINS === "on",
    bitcoinConfigured: chain !== null,
    lightningConfigured: lightning.server,
    queueHealth: () => queues.health(),
    queueStats: () => queues.stats(),
    queueBoard: queues.board,
    dashboard: readDashboard(path.join(WEB, "dashboard")),
    checkout: readCheckoutFiles(path.join(WEB, "checkout")),
    modal: readFiles(path.join(WEB, "modal")).get("modal.js") ?? null,
    btcpayModal: readFiles(path.join(WEB, "btcpay-modal")).get("btcpay.js") ?? null,
    testCustomer: config.TEST_CUSTOMER_URL === undefined ? null : makeTestCustomer(config.TEST_CUSTOMER_URL),
    limits,
    logins,
    trustedProxies,
    proxies: watchProxies({ publicUrl: config.PUBLIC_URL, trustedProxies, log }),
    stopping: stopping.signal,
    changes,
  });
  const { HOST: host, PORT: port } = config;
  const listening = await listen(app.callback(), { host, port }).catch((error: unknown) =>
    refusePort(log, { host, port }, error),
  );
  const running: Running = {
    infrastructure,
    listening,
    ctx: null,
    stopping,
    limits,
    logins,
    changes,
    stopBeating: () => Promise.resolve(),
  };
  log.info({ host, port: listening.port, version }, "listening");
  return running;
}

/** If the database must not be used, the process ends with a line that says how to fix it. */
async function reachDatabase({ infrastructure }: Running): Promise<CommandContext> {
  try {
    const ctx = await buildContext(infrastructure);
    await checkInstallation(ctx.db, { network: infrastructure.config.NETWORK, ...infrastructure.secretBox });
    return ctx;
  } catch (error) {
    const refused = error instanceof DatabaseRefusedError || error instanceof WrongInstallationError;
    if (refused) infrastructure.log.error({}, error.message);
    else infrastructure.log.error({ err: error }, "database: connection refused");
    return process.exit(1);
  }
}

/** In the background: everything else is served meanwhile. If the queue must not be used, the process ends. */
async function refuseWrongQueue({ infrastructure: { queues, log } }: Running): Promise<void> {
  try {
    await queues.waitUntilReady();
  } catch (error) {
    if (!(error instanceof QueueRefusedError)) throw error;
    log.error({}, error.message);
    process.exit(1);
  }
}

/** Not on the login page: anonymous visitors must not learn that a server is new. */
async function nameFirstStep({ ctx, infrastructure: { log } }: Running): Promise<void> {
  if (ctx === null) return;
  try {
    if (await hasNoUser(ctx))
      log.info(
        { command: "npm run -s cli -- user create --email you@shop.example --admin" },
        "users: there is none yet, so that nobody can log in",
      );
  } catch (err) {
    log.warn({ err }, "users: not counted");
  }
}

/** A second signal ends the process at once. */
async function stop(running: Running, signal: NodeJS.Signals): Promise<void> {
  const { infrastructure, listening, stopping, limits, logins, changes, stopBeating } = running;
  infrastructure.log.info({ signal }, "stopping: requests in progress finish");
  stopping.abort();
  await listening.close();
  limits?.close();
  logins.close();
  await changes.close();
  await stopBeating();
  await closeInfrastructure(infrastructure, running.ctx);
  process.exit(0);
}

async function main(): Promise<void> {
  const running = await start(readConfig());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop(running, signal));
  const { infrastructure } = running;
  running.ctx = await reachDatabase(running);
  running.stopBeating = keepBeating(running.ctx, [infrastructure]);
  void refuseWrongQueue(running);
  infrastructure.log.info({}, "ready");
  void nameFirstStep(running);
  process.send?.("ready");
}

void main();
