import { expect } from "chai";
import type { DataSource } from "typeorm";
import { randomId } from "../../adapters/crypto";
import { makeLoginLimits } from "../../adapters/login-limits";
import type { RateLimits } from "../../adapters/rate-limits";
import { ratePolicy } from "../../domain/rate-policy";
import { makeNotifications } from "../../adapters/notifications";
import { makeProcessMetrics } from "../../adapters/metrics/process-metrics";
import { makeChangeWatch } from "../../api/live/change-watch";
import { createApp } from "../../api/app";
import { listen, type Listening } from "../../api/listen";
import { watchProxies } from "../../api/http/proxy-watch";
import type { AppDependencies } from "../../api/app";
import { createApiKey } from "../../commands/stores/api-key";
import { CHANGES_CHANNEL } from "../../commands/server/notify-changes";
import { createStore } from "../../commands/stores/create-store";
import { checkAnswer } from "./check-answer";
import { testDatabase } from "../support/database";
import { testContext, type TestContext } from "../support/context";

/** BIP 84's test vector as a testnet account. */
export const TPUB =
  "tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVMvcRbvFcAHGkMD5Kx8koh4GquNGNTfohfk7pgjhaPCdXpoba";

/** The members that tests look into by name; an answer has those of its kind. All others are compared as a whole. */
const CHANGES = "test changes";
/**
 * SQL, of pg_stat_activity: sessions that listen to changes. Not by their last statement: every 15 seconds they make sure
 * that the database still answers.
 */
export const LISTENS = `datname = current_database() AND application_name = '${CHANGES}' AND query <> ''`;

export interface AnswerJson extends Record<string, unknown> {
  invoiceId: string;
  webhookId: string;
  deliveryId: string;
  secret: string;
  createdAt: string;
  expiresAt: string;
  paymentMethods: [{ destination: string }];
  payments: [AnswerJson];
  attempts: [AnswerJson];
  checks: Record<
    "database" | "queue" | "bitcoin" | "lightning" | "workers",
    { status: string; reason?: string }
  >;
  data: [AnswerJson, ...AnswerJson[]];
  nextCursor: string | null;
  code: string;
  requestId: string;
  errors: { pointer: string; message: string }[];
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: AnswerJson;
}

export const pointers = ({ json }: Answer): string[] => json.errors.map(({ pointer }) => pointer);

export interface TestStore {
  storeId: string;
  apiKey: string;
}

export interface TestApi {
  ctx: TestContext;
  db: DataSource;
  base: string;
  listening: Listening;
  /** A store with a wallet and a key. */
  store(): Promise<TestStore>;
  /** `path` below `/api/v1`; a body that is no string is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export interface CallOptions {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request and holds its answer against the API's description. */
export async function send(
  base: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { key, body, headers = {} } = options;
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  checkAnswer(method, path, response, text);
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (isJson && text !== "" ? JSON.parse(text) : {}) as AnswerJson,
  };
}

export async function startApi(
  given: { db?: DataSource; parts?: Partial<AppDependencies> } = {},
): Promise<TestApi> {
  const db = given.db ?? (await testDatabase());
  const ctx = await testContext({ db });
  const databaseUrl = "url" in db.options ? db.options.url : undefined;
  if (databaseUrl === undefined) throw new Error("a test database is known by its URL");
  const changes = makeChangeWatch({
    listen: (listener) =>
      makeNotifications(
        { databaseUrl, applicationName: CHANGES, channel: CHANGES_CHANNEL, log: ctx.log },
        listener,
      ),
    log: ctx.log,
  });
  const stopping = new AbortController();
  const app = createApp({
    context: () => ctx,
    log: ctx.log,
    metrics: makeProcessMetrics({ worker: "api", instanceId: "test" }),
    newId: randomId,
    version: "0.0.0-test",
    network: "regtest",
    publicUrl: "http://pay.example",
    bitcoinConfigured: false,
    lightningConfigured: false,
    queueHealth: () => Promise.resolve({ status: "ok" }),
    queueStats: () => Promise.reject(new Error("these tests have no queues")),
    queueBoard: null,
    dashboard: null,
    checkout: null,
    modal: null,
    btcpayModal: null,
    testCustomer: null,
    limits: null,
    // On a busy machine a count may take long; one that is not shared is another count.
    logins: makeLoginLimits({ redisUrl: undefined, db: () => db, log: ctx.log, deadlineMs: 60_000 }),
    trustedProxies: [],
    proxies: watchProxies({ publicUrl: "http://pay.example", trustedProxies: [], log: ctx.log }),
    healthMaxAgeMs: 0, // tests change what it reads
    stopping: stopping.signal,
    changes,
    ...given.parts,
  });
  const listening = await listen(app.callback(), { host: "127.0.0.1", port: 0 });
  const base = `http://127.0.0.1:${listening.port}`;
  return {
    ctx,
    db,
    base,
    listening,
    async store() {
      const { id: storeId } = await createStore(ctx, { name: "Shop", wallet: { xpub: TPUB } });
      const { apiKey } = await createApiKey(ctx, { storeId, name: "test" });
      return { storeId, apiKey };
    },
    call: (method, path, options) => send(base, method, `/api/v1${path}`, options),
    async stop() {
      stopping.abort();
      await listening.close();
      await changes.close();
      await db.destroy();
    },
  };
}

/** Limits that refuse everything for seven seconds, and note whom. */
export function refusingLimits(refused: string[] = []): RateLimits {
  const limiter = {
    policy: ratePolicy("address", 60),
    take: (sender: string) => {
      refused.push(sender);
      return Promise.resolve({ allowed: false, remaining: 0, resetSeconds: 7 });
    },
  };
  return { store: limiter, user: limiter, address: limiter, close: () => undefined };
}

/** That an answer is an error of this status and code, at this place of the request. */
export function expectRefused(
  { json, text, ...answer }: Pick<Answer, "status" | "text"> & { json: Pick<AnswerJson, "code" | "errors"> },
  status: number,
  code: string | undefined,
  pointer?: string,
): void {
  expect([answer.status, json.code], text).to.deep.equal([status, code]);
  if (pointer !== undefined) expect(json.errors.map((one) => one.pointer)).to.deep.equal([pointer]);
}
