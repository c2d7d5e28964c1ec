import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { createApiKey } from "../../../commands/stores/api-key";
import { SERVED_POLICIES } from "../../../domain/greenfield/permissions";
import { entryRoutes } from "../../../api/dashboard/account/entry-routes";
import { GREENFIELD_ROUTES } from "../../../api/greenfield/route-table";
import { ROUTES } from "../../../api/route-table";
import { checkoutStore, checkoutStories } from "../../support/checkout-stories";
import { recordingLog } from "../../support/context";
import { makeLoginLimits } from "../../../adapters/login-limits";
import { startApi, TPUB, type TestApi, type TestStore } from "../server";

// What a request costs the thread that serves everybody, in its processor time: other processes on a busy machine take
// time, but not this. The client is a thread of its own. The best of several, since a collection of garbage may fall
// into any of them.

const WITHOUT_KEY_MS = 25;
const WITH_KEY_MS = 50;
const ROUNDS = 5;

const CLIENT = `
const { parentPort } = require("node:worker_threads");
const { connect } = require("node:net");
parentPort.on("message", ({ port, request }) => {
  const socket = connect(port, "127.0.0.1", () => socket.write(request));
  let head = "";
  socket.on("data", (chunk) => { if (head.length < 20) head += chunk.toString("latin1"); });
  socket.on("error", () => undefined);
  socket.on("close", () => parentPort.postMessage(Number(head.slice(9, 12))));
});`;

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
  before(async function () {
    if (process.platform !== "linux") return this.skip(); // where the time of one thread cannot be read
    const { log } = recordingLog();
    const logins = makeLoginLimits({ redisUrl: undefined, db: () => null, log });
    const allowed = { take: () => Promise.resolve(null), forget: () => Promise.resolve() };
    const names = Object.keys(logins).filter((name) => name !== "close");
    api = await startApi({
      parts: { log, logins: { ...logins, ...Object.fromEntries(names.map((name) => [name, allowed])) } },
    });
    shop = await api.store();
    const { storeId } = shop;
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
    for (let round = 0; round < ROUNDS && (round < 2 || best > limitMs / 2); round += 1) {
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
  const filled = (path: string): string => path.replace(":storeId", shop.storeId).replace(/:\w+/g, "unknown");
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

  it("with a key costs little", () =>
    expectCheap(
      WITH_KEY_MS,
      ROUTES.filter(({ path }) => !/events|wait/.test(path)).flatMap((route) =>
        withBodies({ ...route, path: `/api/v1${filled(route.path)}` }, { "x-api-key": shop.apiKey }),
      ),
    ));

  it("with a shop plugin's key costs little", () =>
    expectCheap(
      WITH_KEY_MS,
      GREENFIELD_ROUTES.flatMap((route) =>
        withBodies(
          { ...route, path: `/api/v1${filled(route.path)}` },
          { authorization: `token ${pluginKey}` },
        ),
      ),
    ));

  it("of a login, without a key, costs little", () =>
    expectCheap(
      WITHOUT_KEY_MS,
      entryRoutes.flatMap((route) =>
        withBodies({ ...route, path: `/api/dashboard${route.path}` }, { "sec-fetch-site": "same-origin" }),
      ),
    ));

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

  it("of a full list costs little", async () => {
    const note = "x".repeat(31 * 1024);
    for (let made = 0; made < 70; made += 1)
      await api.call("POST", `/stores/${shop.storeId}/invoices`, {
        key: shop.apiKey,
        body: { amount: "1000", currency: "SATS", metadata: { note } },
      });
    await expectCheap(WITH_KEY_MS, [
      [
        "list of 2 MiB",
        () => send("get", `/api/v1/stores/${shop.storeId}/invoices?limit=200`, { "x-api-key": shop.apiKey }),
      ],
      [
        "a plugin's list of 100",
        () =>
          send("get", `/api/v1/stores/${shop.storeId}/invoices?take=100`, {
            authorization: `token ${pluginKey}`,
          }),
      ],
    ]);
  });

  it("of a checkout, without a key, costs little", async () => {
    const stories = checkoutStories(api.ctx, await checkoutStore(api.ctx));
    const { id } = await stories.invoiceIn("waiting");
    await expectCheap(
      WITHOUT_KEY_MS,
      ["", "/state", "?lang=ar", "/state?lang=fa"].map((end) => [
        `checkout ${end}`,
        () => send("get", `/i/${id}${end}`, {}),
      ]),
    );
  });
});
