import { randomBytes } from "node:crypto";
import type { DataSource } from "typeorm";
import type { CommandContext } from "../commands/context";
import type { AlertChannel, RatesPort } from "../commands/ports";
import { parseRatesSources } from "../config/rates-sources";
import { type Config, minPeersOf } from "../config/schema";
import { databaseNow } from "../database/data-source";
import { parseAllowedCidrs } from "../domain/webhook/address";
import { makeAlertMail } from "./alert-mail";
import { makeBitcoindRpc } from "./bitcoind/rpc";
import { makeSecretBox, newStoreId, randomId } from "./crypto";
import { connectDatabase } from "./database";
import { makeAlertClient } from "./http/alert-client";
import { makeWebhookClient } from "./http/webhook-client";
import { makeDialer } from "./lnd/dial";
import { makeLndNodes } from "./lnd/lnd-nodes";
import { lndSettings } from "./lnd/settings";
import { makeVisitNode } from "./lnd/visit";
import { makeLogger } from "./logger";
import { openMail } from "./mail";
import { makeProcessMetrics } from "./metrics/process-metrics";
import { makePasskeys } from "./passkeys";
import { makePasswords } from "./passwords";
import { connectQueues } from "./queues/connect";
import { makeExchangeRates } from "./rates/exchanges";
import { makeFixedRates } from "./rates/fixed";
import { readVersion } from "./version";

export interface ProcessOptions {
  worker: string;
  /** How many queues' jobs this process takes. Default: none. */
  queuesTaken?: number;
  /** Default: standard output, which the command line uses for its results. */
  logTo?: { write(line: string): void };
}

export type Infrastructure = ReturnType<typeof connectInfrastructure>;

function identityOf(
  { LOG_LEVEL: level, METRICS_PORT }: Config,
  worker: string,
  { ofNode, logTo }: { ofNode: boolean; logTo?: ProcessOptions["logTo"] },
) {
  const instanceId = randomId("ins");
  const destination = logTo === undefined ? {} : { destination: logTo };
  const metrics = makeProcessMetrics({ worker, instanceId, ofNode });
  return {
    worker,
    instanceId,
    log: makeLogger({ level, worker, instance: instanceId, ...destination }),
    metrics,
    counters: METRICS_PORT === undefined ? null : () => metrics.snapshot(),
  };
}

/** A worker of a process that runs several: it shares their connections, and reports itself under its own name. */
export async function asWorker(
  process: Infrastructure,
  { db }: CommandContext,
  worker: string,
): Promise<Infrastructure & { ctx: CommandContext }> {
  const infrastructure = { ...process, ...identityOf(process.config, worker, { ofNode: false }) };
  return { ...infrastructure, ctx: await contextOn(db, infrastructure) };
}

/** Nothing waits or fails because a server is away. */
export function connectInfrastructure(config: Config, { worker, queuesTaken = 0, logTo }: ProcessOptions) {
  const identity = identityOf(config, worker, { ofNode: true, logTo });
  const dialer = makeDialer({
    allowedCidrs: parseAllowedCidrs(config.LIGHTNING_ALLOWED_CIDRS),
    torProxy: config.TOR_PROXY ?? null,
  });
  return {
    config,
    ...identity,
    version: readVersion(),
    queues: connectQueues(config, { log: identity.log, workers: queuesTaken }),
    chain:
      config.BITCOIND_RPC_URL === undefined
        ? null
        : makeBitcoindRpc({ url: config.BITCOIND_RPC_URL, cookieFile: config.BITCOIND_COOKIE_FILE }),
    lightning: makeLndNodes(lndSettings(config), dialer),
    /** To stores' nodes. */
    dialer,
    secretBox: makeSecretBox({ appSecret: config.APP_SECRET, appSecretOld: config.APP_SECRET_OLD }),
  };
}

function ratesOf({ config, version, log, metrics }: Infrastructure): RatesPort {
  const from = parseRatesSources(config.RATES_SOURCES);
  if (from.kind === "fixed") return makeFixedRates(from.rates);
  return makeExchangeRates({ sources: from.names, userAgent: `Quittance/${version}`, log, metrics });
}

function alertChannelsOf({ ALERT_URL, SMTP_URL, PUBLIC_URL }: Config): AlertChannel[] {
  return [
    ...(ALERT_URL === undefined ? [] : [makeAlertClient(ALERT_URL)]),
    ...(SMTP_URL === undefined ? [] : [makeAlertMail(SMTP_URL, PUBLIC_URL)]),
  ];
}

async function contextOn(db: DataSource, infrastructure: Infrastructure): Promise<CommandContext> {
  const { config, secretBox } = infrastructure;
  const client = makeWebhookClient({
    network: config.NETWORK,
    allowedCidrs: parseAllowedCidrs(config.WEBHOOK_ALLOWED_CIDRS),
    metrics: infrastructure.metrics,
  });
  return {
    actor:
      infrastructure.worker === "cli"
        ? { kind: "cli", id: null }
        : { kind: "system", id: infrastructure.worker },
    db,
    now: databaseNow,
    enqueue: infrastructure.queues.enqueue,
    newId: randomId,
    newStoreId,
    randomBytes,
    secrets: secretBox,
    passwords: makePasswords(),
    passkeys: makePasskeys(config.PUBLIC_URL),
    sendMail: config.SMTP_URL === undefined ? null : openMail(config.SMTP_URL).send,
    alertChannels: alertChannelsOf(config),
    chain: infrastructure.chain,
    lightning: infrastructure.lightning,
    visitNode: makeVisitNode(infrastructure.dialer),
    sendWebhook: client.sendWebhook,
    checkWebhookUrl: client.checkWebhookUrl,
    rates: ratesOf(infrastructure),
    log: infrastructure.log,
    settings: {
      network: config.NETWORK,
      version: infrastructure.version,
      publicUrl: config.PUBLIC_URL,
      explorerTxUrl: config.EXPLORER_TX_URL ?? null,
      expiryHoldMinutes: config.EXPIRY_HOLD_MINUTES,
      minPeers: minPeersOf(config),
      requireSecondFactor: config.REQUIRE_SECOND_FACTOR === "owners-and-admins",
      storeCreation: config.STORE_CREATION,
      maxStoresPerUser: config.MAX_STORES_PER_USER,
      maxWebhooksPerStore: config.MAX_WEBHOOKS_PER_STORE,
      maxKeysPerStore: config.MAX_KEYS_PER_STORE,
      storeLightning: config.STORE_LIGHTNING,
      maxLightningNodes: config.MAX_LIGHTNING_NODES,
      userAgent: `Quittance/${infrastructure.version}`,
    },
    startedAt: await databaseNow(db.manager),
  };
}

/**
 * Waits for the database (`patienceMs` at most). `unlimited`: statements have no time limit; `pools`: how many times
 * DATABASE_POOL_MAX.
 * @throws DatabaseRefusedError
 */
export async function buildContext(
  infrastructure: Infrastructure,
  {
    unlimited = false,
    applicationName = `quittance ${infrastructure.worker}`,
    pools = 1,
    ...options
  }: { patienceMs?: number; applicationName?: string; unlimited?: boolean; pools?: number } = {},
): Promise<CommandContext> {
  const { config, log } = infrastructure;
  const settings = {
    databaseUrl: config.DATABASE_URL,
    poolMax: pools * config.DATABASE_POOL_MAX,
    applicationName,
    unlimited,
  };
  return contextOn(await connectDatabase(settings, { log, ...options }), infrastructure);
}

/** When no work is in progress any more. */
export async function closeInfrastructure(
  infrastructure: Infrastructure,
  ctx: CommandContext | null,
): Promise<void> {
  await infrastructure.queues.close();
  infrastructure.lightning.close();
  if (ctx?.db.isInitialized) await ctx.db.destroy();
}
