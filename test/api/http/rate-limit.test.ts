import { expect } from "chai";
import { makeRateLimits, type RateLimits } from "../../../adapters/rate-limits";
import { createApiKey } from "../../../commands/stores/api-key";
import { SERVED_POLICIES } from "../../../domain/greenfield/permissions";
import { parseTrustedProxies } from "../../../domain/client-address";
import { recordingLog } from "../../support/context";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";
import { logInAs } from "../dashboard/browser";
import { expectRefused, startApi, TPUB, type Answer, type TestApi, type TestStore } from "../server";
import { buildUser } from "../../support/factories";

describe("API: rate limits", () => {
  let api: TestApi;
  let shop: TestStore;
  let limits: RateLimits;
  before(async () => {
    let db: TestApi["db"] | null = null;
    const { log } = recordingLog();
    const made = makeRateLimits({ perMinute: 5, redisUrl: undefined, db: () => db, log, deadlineMs: 60_000 });
    limits = made ?? expect.fail("no limit was made");
    api = await startApi({ parts: { limits, trustedProxies: parseTrustedProxies(["127.0.0.1"]) } });
    db = api.db;
  });
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const list = (key: string | undefined, headers: Record<string, string> = {}): Promise<Answer> =>
    api.call("GET", `/stores/${shop.storeId}/invoices`, { key, headers });
  const policyOf = ({ headers }: Answer) => headers.get("ratelimit-policy");
  const limitOf = ({ headers }: Answer) => headers.get("ratelimit");

  it("report in every answer how much the store has left", async () => {
    const first = await list(shop.apiKey);
    expect([first.status, policyOf(first)]).to.deep.equal([200, '"store";q=5;w=60']);
    expect(limitOf(first)).to.match(/^"store";r=4;t=(60|[45]\d)$/);
    const refused = await api.call("GET", `/stores/${shop.storeId}/invoices?limit=0`, { key: shop.apiKey });
    expect(refused.status).to.equal(422);
    expect(limitOf(refused)).to.match(/^"store";r=3;t=(60|[3-5]\d)$/);
  });

  it("refuse a store's sixth request with 429 rate-limited and Retry-After, by any of its keys, and no other store's", async () => {
    for (let request = 0; request < 5; request += 1) expect((await list(shop.apiKey)).status).to.equal(200);
    const refused = await list(shop.apiKey);
    expectRefused(refused, 429, "rate-limited");
    expect(Number(refused.headers.get("retry-after"))).to.be.within(1, 60);
    expect(limitOf(refused)).to.match(/^"store";r=0;t=\d+$/);
    const second = await createApiKey(api.ctx, { storeId: shop.storeId, name: "second" });
    expect((await list(second.apiKey)).json.code).to.equal("rate-limited");
    const other = await api.store();
    const own = await api.call("GET", `/stores/${other.storeId}/invoices`, { key: other.apiKey });
    expect(own.status).to.equal(200);
    expect(limitOf(own)).to.match(/^"store";r=4;t=(60|[45]\d)$/);
  });

  it("count all sessions of a user together, and not for the store", async () => {
    const { email } = await buildUser(api.ctx);
    const browsers = [await logInAs(api.base, email), await logInAs(api.base, email)];
    const statuses: number[] = [];
    for (let request = 0; request < 3; request += 1)
      for (const browser of browsers) statuses.push((await browser.ask("GET", "/session")).status);
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429]);
    expect((await list(shop.apiKey)).status).to.equal(200);
  });

  it("count a valid key for its store, whatever its address has done", async () => {
    let tries = 0;
    // In one window of ten seconds, which may end meanwhile: then it is another address's turn.
    await eventually(async () => {
      tries += 1;
      const address = `192.0.2.${100 + tries}`;
      const headers = { "x-forwarded-for": address };
      await Promise.all(Array.from({ length: 995 }, () => limits.address.take(address)));
      const flood = await Promise.all(Array.from({ length: 10 }, () => list("nonsense", headers)));
      expect(flood.filter(({ status }) => status === 401)).to.have.length(5);
      expect(flood.filter(({ status }) => status === 429)).to.have.length(5);
      const refused = await list(undefined, headers);
      expect([refused.json.code, policyOf(refused)]).to.deep.equal(["rate-limited", '"address";q=1000;w=10']);
      expect((await list(shop.apiKey, headers)).status).to.equal(200);
      const health = await api.call("GET", "/health", { headers });
      expectRefused(health, 429, "rate-limited");
    });
    expect((await list("nonsense", { "x-forwarded-for": "192.0.2.8" })).status).to.equal(401);
  });

  it("count a page of the checkout ten times, and a preview of a wallet fifty times", async () => {
    const page = await fetch(`${api.base}/i/inv_4wBqpZM9k2mAgN8rTzZy7VdQ`, {
      headers: { "x-forwarded-for": "192.0.2.60" },
    });
    expect(page.headers.get("ratelimit")).to.match(/^"address";r=990;/);
    const body = { xpub: TPUB };
    const preview = () =>
      api.call("POST", `/stores/${shop.storeId}/payment-methods/BTC-CHAIN/preview`, {
        key: shop.apiKey,
        body,
      });
    expect((await preview()).status).to.equal(200); // all of this store's limit, which is smaller
    expect((await preview()).json.code).to.equal("rate-limited");
  });

  it("count each 4 KiB of a body as a request more, but never as all that is left", async () => {
    const create = ({ storeId, apiKey }: TestStore, kib: number) =>
      api.call("POST", `/stores/${storeId}/invoices`, {
        key: apiKey,
        body: { amount: "1000", currency: "SATS", metadata: { note: "x".repeat(kib * 1024) } },
      });
    const created = [await create(shop, 3), await create(shop, 31)];
    expect(created.map((one) => [one.status, limitOf(one)?.slice(0, 11)])).to.deep.equal([
      [201, '"store";r=4'],
      [201, '"store";r=2'],
    ]);
    expect((await create(shop, 31)).status).to.equal(201);
    expectRefused(await create(shop, 31), 429, "rate-limited");
    expect((await create(await api.store(), 31)).status).to.equal(201);
  });

  it("count them all, of a store and of a user, where the limit is large", async () => {
    const { log } = recordingLog();
    const db = await testDatabase();
    const large = makeRateLimits({
      perMinute: 100,
      redisUrl: undefined,
      db: () => db,
      log,
      deadlineMs: 60_000,
    });
    const roomy = await startApi({ db, parts: { limits: large } });
    const { storeId, apiKey } = await roomy.store();
    const { email } = await buildUser(roomy.ctx);
    const body = { amount: "1000", currency: "SATS", metadata: { note: "x".repeat(30 * 1024) } };
    const created = await roomy.call("POST", `/stores/${storeId}/invoices`, { key: apiKey, body });
    expect(limitOf(created)?.slice(0, 12)).to.equal('"store";r=92');
    const browser = await logInAs(roomy.base, email);
    const refused = await browser.ask("PUT", "/account/password", { password: "x".repeat(13 * 1024) });
    expect(refused.headers.get("ratelimit")?.slice(0, 11)).to.equal('"user";r=96');
    await roomy.stop();
  });

  it("leave half of a store's limits to others than a key with less than full access", async () => {
    const { storeId } = shop;
    const { apiKey } = await createApiKey(api.ctx, { storeId, name: "plugin", permissions: SERVED_POLICIES });
    const ask = (method = "GET", body?: object) =>
      fetch(`${api.base}/api/v1/stores/${storeId}/invoices`, {
        method,
        headers: { authorization: `token ${apiKey}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    const metadata = { note: "x".repeat(20 * 1024) };
    expect((await ask("POST", { amount: "1000", currency: "SATS", metadata })).status).to.equal(200);
    const refused = await ask();
    expect([refused.status, refused.headers.get("ratelimit")?.slice(0, 11)]).to.deep.equal([
      429,
      '"store";r=1',
    ]);
    expect((await list(shop.apiKey)).status).to.equal(200);
  });

  it("use the address that the trusted proxy saw, not the client's own header", async () => {
    const answer = await list(undefined, { "x-forwarded-for": "203.0.113.1, 192.0.2.9" });
    const again = await list(undefined, { "x-forwarded-for": "203.0.113.2, 192.0.2.9" });
    const left = (text: string | null) => Number(/r=(\d+)/.exec(text ?? "")?.[1]);
    expect(left(limitOf(again))).to.equal(left(limitOf(answer)) - 1);
  });

  it("count pages and unknown paths for their address", async () => {
    const page = await fetch(`${api.base}/openapi.json`);
    expect([page.status, page.headers.get("ratelimit-policy")]).to.deep.equal([200, '"address";q=1000;w=10']);
    const unknown = await fetch(`${api.base}/nowhere`);
    expect([unknown.status, unknown.headers.has("ratelimit")]).to.deep.equal([404, true]);
  });
});
