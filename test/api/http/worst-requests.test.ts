import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import Router from "@koa/router";
import { expect } from "chai";
import { createApiKey } from "../../../commands/stores/api-key";
import { SERVED_POLICIES } from "../../../domain/greenfield/permissions";
import { entryRoutes } from "../../../api/dashboard/account/entry-routes";
import { GREENFIELD_ROUTES } from "../../../api/greenfield/route-table";
import { REFUSED_ROUTES } from "../../../api/greenfield/refused-routes";
import { SESSION_ROUTES } from "../../../api/route-table";
import { DASHBOARD_ROUTES } from "../../../api/dashboard/route-table";
import { PUBLIC_ROUTES, ROUTES } from "../../../api/route-table";
import { checkoutStore, checkoutStories } from "../../stories/checkout-stories";
import { recordingLog } from "../../support/context";
import { makeLoginLimits } from "../../../adapters/login-limits";
import { join, testUser, type TestUser } from "../dashboard/user";
import { startApi, TPUB, type TestApi, type TestStore } from "../server";

// What a request costs the thread that serves everybody, in its processor time: other processes on a busy machine take
// time, but not this. The client is a thread of its own. The best of several, since a collection of garbage may fall
// into any of them; and of many before a request is called dear, since a core that is shared with other work computes
// at half its speed.

const WITHOUT_KEY_MS = 25;
const WITH_KEY_MS = 50;
const ROUNDS = 5;
const ROUNDS_BEFORE_DEAR = 40;
const REFUSED = new Set(REFUSED_ROUTES.flatMap(([, paths]) => paths.map((path) => `/api/v1${path}`)));

const CLIENT = `
const { parentPort } = require("node:worker_threads");
const { connect } = require("node:net");
parentPort.on("message", ({ port, request }) => {
  const socket = connect(port, "127.0.0.1", () => socket.write(request));
  let head = "";
  socket.on("data", (chunk) => {
    if (head.length < 1000) head += chunk.toString("latin1");
    if (head.includes("text/event-stream")) socket.destroy();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => parentPort.postMessage(Number(head.slice(9, 12))));
});`;

interface Registered {
  method: string;
  path: string;
}
/** All that any router was given: `get /api/v1/stores`. */
const registered = new Map<string, Registered>();
const { register } = Router.prototype;
function record(this: Router, ...given: Parameters<typeof register>): ReturnType<typeof register> {
  for (const path of [given[0]].flat())
    for (const method of given[1].map((one) => one.toLowerCase()).filter((one) => one !== "head")) {
      const route = { method, path: `${this.opts.prefix ?? ""}${String(path)}` };
      registered.set(`${route.method} ${route.path}`, route);
    }
  return register.apply(this, given);
}

/** Of the main thread, since it began. */
const processorMs = (): number => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;

/** Bodies that are dear for their bytes, each as large as it is let through, and one more. */
function dearBodies(maxBytes: number): Record<string, string> {
  const room = Math.max(100, maxBytes - 100);
  const tokens = 16_370;
  const names = Array.from({ length: Math.min(tokens / 2, Math.floor(room / 9)) }, (_, at) => `"${at}":1`);
  const nested = Math.min(tokens / 2, Math.floor(room / 2));
  return {
    "one text": `{"a":"${"x".repeat(room)}"}`,
    "escaped characters": `{"a":"${"\\u0041".repeat(Math.floor(room / 6))}"}`,
    "white space": `{"a":${" ".repeat(room)}1}`,
    "many fields": `{${names.join()}}`,
    "metadata of many fields": `{"amount":"1000","currency":"SATS","metadata":{${names.join()}}}`,
    "nested metadata": `{"amount":"1000","currency":"SATS","metadata":{"a":${"[".repeat(nested)}${"]".repeat(nested)}}}`,
    numbers: `{"metadata":{"a":[${"1,".repeat(Math.min(tokens, Math.floor(room / 2) - 20))}1]}}`,
    "too many brackets": `{"amount":"1000","currency":"SATS","metadata":{"a":${"[".repeat(Math.floor(room / 2))}${"]".repeat(Math.floor(room / 2))}}}`,
  };
}

describe("API: the worst request of every route", function () {
  this.timeout(300_000);
  let api: TestApi;
  let shop: TestStore;
  let client: Worker;
  let pluginKey: string;
  let admin: TestUser;
  /** An invoice that waits for its payment. */
  let open: string;
  before(async function () {
    if (process.platform !== "linux") return this.skip(); // where the time of one thread cannot be read
    const { log } = recordingLog();
    const logins = makeLoginLimits({ redisUrl: undefined, db: () => null, log });
    const allowed = { take: () => Promise.resolve(null), forget: () => Promise.resolve() };
    const names = Object.keys(logins).filter((name) => name !== "close");
    Router.prototype.register = record;
    api = await startApi({
      parts: {
        log,
        logins: { ...logins, ...Object.fromEntries(names.map((name) => [name, allowed])) },
        dashboard: { page: "<title>Quittance</title>", files: new Map() },
      },
    }).finally(() => (Router.prototype.register = register));
    shop = await api.store();
    const { storeId } = shop;
    admin = await testUser(api, { admin: true });
    await join(api, admin, storeId, "owner");
    const stories = checkoutStories(api.ctx, await checkoutStore(api.ctx));
    open = (await stories.invoiceIn("waiting")).id;
    // Full pages of lists and of the feed, and an export of as much.
    const note = "x".repeat(31 * 1024);
    for (let made = 0; made < 70; made += 1)
      await api.call("POST", `/stores/${storeId}/invoices`, {
        key: shop.apiKey,
        body: { amount: "1000", currency: "SATS", metadata: { note } },
      });
    pluginKey = (await createApiKey(api.ctx, { storeId, name: "plugin", permissions: SERVED_POLICIES }))
      .apiKey;
    client = new Worker(CLIENT, { eval: true });
  });
  after(async () => {
    await client?.terminate();
    await api?.stop();
  });

  function send(method: string, path: string, headers: Record<string, string>, body = ""): Promise<number> {
    const lines = Object.entries({
      host: "localhost",
      connection: "close",
      ...(body === ""
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`);
    const request = `${method.toUpperCase()} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
    return new Promise((resolve) => {
      client.once("message", resolve);
      client.postMessage({ port: Number(new URL(api.base).port), request });
    });
  }
  /** The least that it took. */
  async function cost(limitMs: number, ask: () => Promise<number>): Promise<{ ms: number; status: number }> {
    let best = Infinity;
    let status = 0;
    const enough = (rounds: number): boolean => best <= limitMs / 2 || (rounds >= ROUNDS && best <= limitMs);
    for (let round = 0; round < ROUNDS_BEFORE_DEAR && !enough(round); round += 1) {
      const before = processorMs();
      status = await ask();
      best = Math.min(best, processorMs() - before);
    }
    return { ms: best, status };
  }
  async function expectCheap(limitMs: number, asks: [string, () => Promise<number>][]): Promise<void> {
    const dear: string[] = [];
    for (const [what, ask] of asks) {
      const { ms, status } = await cost(limitMs, ask);
      if (process.env["SHOW_COSTS"]) process.stdout.write(`${ms.toFixed(1)} ms ${status} ${what}\n`);
      expect(status, what).to.be.within(200, 499);
      if (ms > limitMs) dear.push(`${what}: ${ms.toFixed(1)} ms (${status})`);
    }
    expect(dear).to.deep.equal([]);
  }
  const filled = (path: string): string =>
    path
      .replace(":storeId", shop.storeId)
      .replace(/:\w+/g, "unknown")
      .replace(/\{.*\}/, "");
  const withBodies = (
    {
      method,
      path,
      body,
      bodyMaxBytes = 256 * 1024,
    }: { method: string; path: string; body: unknown; bodyMaxBytes?: number },
    headers: Record<string, string>,
  ): [string, () => Promise<number>][] =>
    body === null
      ? [[`${method} ${path}`, () => send(method, path, headers)]]
      : Object.entries(dearBodies(bodyMaxBytes)).map(([name, text]) => [
          `${method} ${path}: ${name}`,
          () => send(method, path, headers, text),
        ]);

  /** The caller and the limit of a route, for each of the tables that have it; all others are pages, without a key. */
  interface Asked {
    limitMs: number;
    prefix: string;
    routes: readonly { method: string; path: string; body: unknown; bodyMaxBytes?: number }[];
    headers: () => Record<string, string>;
    /** A table before has them with bodies. */
    withoutBodies?: (route: object) => boolean;
  }
  const session = { "sec-fetch-site": "same-origin" };
  const ASKED: Record<string, Asked> = {
    "with a key": {
      limitMs: WITH_KEY_MS,
      prefix: "/api/v1",
      routes: ROUTES,
      headers: () => ({ "x-api-key": shop.apiKey }),
    },
    "with a shop plugin's key": {
      limitMs: WITH_KEY_MS,
      prefix: "/api/v1",
      routes: [
        ...GREENFIELD_ROUTES,
        ...REFUSED_ROUTES.flatMap(([, paths]) =>
          ["get", "post"].flatMap((method) => paths.map((path) => ({ method, path, body: null }))),
        ),
      ],
      headers: () => ({ authorization: `token ${pluginKey}` }),
    },
    "of a login, without a key,": {
      limitMs: WITHOUT_KEY_MS,
      prefix: "/api/dashboard",
      routes: entryRoutes,
      headers: () => session,
    },
    "of the dashboard": {
      limitMs: WITH_KEY_MS,
      prefix: "/api/dashboard",
      routes: SESSION_ROUTES,
      headers: () => ({ ...session, cookie: admin.cookie }),
      withoutBodies: (route) => !(DASHBOARD_ROUTES as readonly object[]).includes(route),
    },
    "of health, without a key,": {
      limitMs: WITHOUT_KEY_MS,
      prefix: "/api/v1",
      routes: PUBLIC_ROUTES,
      headers: () => ({}),
    },
  };
  const LISTS = ["", "?limit=200", "?take=100"];
  for (const [who, { limitMs, prefix, routes, headers, withoutBodies = () => false }] of Object.entries(
    ASKED,
  ))
    it(`${who} costs little`, () => {
      const reads = routes.filter(({ method }) => method === "get");
      return expectCheap(limitMs, [
        ...reads.flatMap(({ path }) =>
          LISTS.map((query): [string, () => Promise<number>] => [
            `get ${path}${query}`,
            () => send("get", `${prefix}${filled(path)}${query}`, headers()),
          ]),
        ),
        ...routes
          .filter((route) => !reads.includes(route) && !withoutBodies(route))
          .flatMap((route) => withBodies({ ...route, path: prefix + filled(route.path) }, headers())),
      ]);
    });

  it("of any other page, without a key, costs little", () => {
    const known = new Set(
      Object.values(ASKED).flatMap(({ prefix, routes }) =>
        routes.map(({ method, path }) => `${method} ${prefix}${path}`),
      ),
    );
    expect([...known].filter((name) => !registered.has(name))).to.deep.equal([]);
    const others = [...registered].filter(
      ([name, { path }]) => !known.has(name) && !REFUSED.has(path) && !path.startsWith("/docs/"),
    );
    expect(others.map(([name]) => name))
      .to.include("get /i/:invoiceId")
      .and.include("get /setup");
    expect(others.filter(([name]) => name.includes("/api/"))).to.deep.equal([]);
    return expectCheap(
      WITHOUT_KEY_MS,
      others.flatMap(([name, { method, path }]): [string, () => Promise<number>][] => {
        const shown = filled(path.replace(":invoiceId", open));
        if (method === "get") return [[name, () => send(method, shown, {})]];
        const form = { "content-type": "application/x-www-form-urlencoded" };
        return [
          [`${name}: many fields`, () => send(method, shown, form, "a=&".repeat(80_000))],
          [`${name}: escaped characters`, () => send(method, shown, form, `address=${"%41".repeat(80_000)}`)],
        ];
      }),
    );
  });

  it("for addresses of a wallet costs little", () =>
    expectCheap(
      WITH_KEY_MS,
      ["wpkh", "sh-wpkh", "pkh", "tr"].map((scriptType) => [
        `preview of ${scriptType}`,
        () =>
          send(
            "post",
            `/api/v1/stores/${shop.storeId}/payment-methods/BTC-CHAIN/preview`,
            { "x-api-key": shop.apiKey },
            JSON.stringify({ xpub: TPUB, scriptType, count: 20 }),
          ),
      ]),
    ));

  it("of a checkout, without a key, costs little", async () => {
    await expectCheap(
      WITHOUT_KEY_MS,
      ["", "/state", "?lang=ar", "/state?lang=fa"].map((end) => [
        `checkout ${end}`,
        () => send("get", `/i/${open}${end}`, {}),
      ]),
    );
  });
});
