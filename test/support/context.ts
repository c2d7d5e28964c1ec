import { randomBytes } from "node:crypto";
import type { DataSource } from "typeorm";
import { makeBitcoindRpc } from "../../adapters/bitcoind/rpc";
import { makeSecretBox, newStoreId, randomId } from "../../adapters/crypto";
import { SendFailure } from "../../adapters/http/send-failure";
import { makeWebhookClient } from "../../adapters/http/webhook-client";
import { makeDialer } from "../../adapters/lnd/dial";
import { makeLndNodes } from "../../adapters/lnd/lnd-nodes";
import { makeVisitNode } from "../../adapters/lnd/visit";
import { makePasskeys } from "../../adapters/passkeys";
import { makePasswords } from "../../adapters/passwords";
import { makeFixedRates } from "../../adapters/rates/fixed";
import type { CommandContext, CommandSettings } from "../../commands/context";
import type { Enqueue, EnqueueOptions, JobName, Jobs } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { parseAllowedCidrs } from "../../domain/webhook/address";

export const TEST_APP_SECRET = "a test secret of more than 32 characters";

/** As little as Argon2 takes: hundreds of tests log in, and each would take a hundred times as long. */
const CHEAP_PASSWORDS = { memoryCost: 8, timeCost: 2, parallelism: 1 };

const TEST_PUBLIC_URL = "http://127.0.0.1:3000";

/** For a worker that must be able to go on: ends the test run. */
export function failNow(error: Error): never {
  throw error;
}

/** The database's clock, shifted or frozen, as `ctx.now` reads it; SQL that reads the clock itself is not affected. */
export interface TestClock {
  /** Also backwards, by a negative number. */
  advance(ms: number): void;
  /** Shows this instant from now on, however long the test takes; `advance` still moves it. */
  freeze(at: Date): void;
}

export interface LogLine {
  level: "debug" | "info" | "warn" | "error";
  fields: Record<string, unknown>;
  message: string;
}

export interface RecordedJob {
  queue: JobName;
  payload: Jobs[JobName];
  options: EnqueueOptions;
}

export interface TestContext extends CommandContext {
  clock: TestClock;
  /** What commands asked for, in order. Empty when `enqueue` is given. */
  jobs: RecordedJob[];
  /** The payloads that were asked of one queue. */
  jobsOf<N extends JobName>(queue: N): Jobs[N][];
  /** What commands logged. */
  lines: LogLine[];
}

export interface TestContextOptions extends Partial<Omit<CommandContext, "settings">> {
  db: DataSource;
  settings?: Partial<CommandSettings>;
}

export function recordingLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine["level"]) =>
    (fields: Record<string, unknown>, message: string): void =>
      void lines.push({ level, fields, message });
  return { lines, log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
}

/** A machine's name servers may answer for any name. */
const resolveLocalhost = (host: string): Promise<string[]> =>
  host === "localhost"
    ? Promise.resolve(["127.0.0.1", "::1"])
    : Promise.reject(new SendFailure("dns-failed"));

export const testDialer = makeDialer({
  allowedCidrs: parseAllowedCidrs(["127.0.0.0/8", "::1/128"]),
  torProxy: null,
  resolve: resolveLocalhost,
});

/**
 * A command context of real parts on a test database: secrets that encrypt, a webhook client that sends (to loopback
 * too), fixed rates for USD and EUR, and the database's clock with a shift. Jobs are recorded, not run. Any part can be
 * given instead.
 */
export async function testContext(options: TestContextOptions): Promise<TestContext> {
  const jobs: RecordedJob[] = [];
  const { log, lines } = recordingLog();
  let shiftMs = 0;
  let frozen: Date | null = null;
  const enqueue: Enqueue = (queue, payloads, given = {}) => {
    jobs.push(...payloads.map((payload) => ({ queue, payload, options: given })));
    return Promise.resolve();
  };
  const now: CommandContext["now"] = async (manager) => {
    if (frozen !== null) return frozen;
    const rows: { now: Date }[] = await manager.query(
      "SELECT clock_timestamp() + $1 * interval '1 millisecond' AS now",
      [shiftMs],
    );
    if (!rows[0]) throw new Error("the database gave no time");
    return rows[0].now;
  };
  const network = options.settings?.network ?? "regtest";
  const client = makeWebhookClient({
    network,
    allowedCidrs: parseAllowedCidrs(["127.0.0.0/8", "::1/128"]),
    resolve: resolveLocalhost,
    metrics: { webhook: () => undefined },
  });
  const { settings, ...parts } = options;
  return {
    actor: { kind: "cli", id: null },
    now,
    enqueue,
    newId: randomId,
    newStoreId,
    randomBytes,
    secrets: makeSecretBox({ appSecret: TEST_APP_SECRET }),
    passwords: makePasswords(CHEAP_PASSWORDS),
    passkeys: makePasskeys(options.settings?.publicUrl ?? TEST_PUBLIC_URL),
    sendMail: null,
    alertChannels: null,
    // Of a node that is configured, and away.
    chain: makeBitcoindRpc({ url: "http://test:test@127.0.0.1:1", deadlineMs: 1_000 }),
    lightning: makeLndNodes(null, testDialer),
    visitNode: makeVisitNode(testDialer),
    sendWebhook: client.sendWebhook,
    checkWebhookUrl: client.checkWebhookUrl,
    rates: makeFixedRates(
      new Map([
        ["USD", "60000"],
        ["EUR", "55000"],
      ]),
    ),
    log,
    startedAt: await now(options.db.manager),
    ...parts,
    settings: {
      network,
      version: "0.0.0-test",
      publicUrl: TEST_PUBLIC_URL,
      explorerTxUrl: null,
      expiryHoldMinutes: 60,
      minPeers: 0,
      requireSecondFactor: false,
      storeCreation: "admins",
      maxStoresPerUser: 20,
      maxWebhooksPerStore: 20,
      maxKeysPerStore: 50,
      storeLightning: "everyone",
      maxLightningNodes: 1_000,
      userAgent: "Quittance/test",
      ...settings,
    },
    clock: {
      advance(ms) {
        shiftMs += ms;
        if (frozen !== null) frozen = new Date(frozen.getTime() + ms);
      },
      freeze: (at) => void (frozen = at),
    },
    jobs,
    jobsOf: <N extends JobName>(queue: N) =>
      jobs.filter((job) => job.queue === queue).map((job) => job.payload as Jobs[N]),
    lines,
  };
}
