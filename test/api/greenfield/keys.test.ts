import { expect } from "chai";
import { makeProcessMetrics } from "../../../adapters/metrics/process-metrics";
import { createApiKey } from "../../../commands/stores/api-key";
import { POLICIES, SERVED_POLICIES } from "../../../domain/greenfield/permissions";
import { withoutUnderscores } from "../../../domain/greenfield/key-text";
import { startApi, type TestApi, type TestStore } from "../server";
import { plugin, type PluginRequest } from "./plugin";

describe("API of shop plugins: keys", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    shop = await api.store();
  });
  after(() => api.stop());

  const call = (method: string, path: string, options: PluginRequest = {}) =>
    plugin(api.base, method, path, { key: shop.apiKey, ...options });
  const current = (options: PluginRequest = {}) => call("GET", "/api-keys/current", options);
  const keyWith = async (...permissions: string[]) =>
    (await createApiKey(api.ctx, { storeId: shop.storeId, name: "Web shop", permissions })).apiKey;
  const inStore = (policies: readonly string[]) => policies.map((policy) => `${policy}:${shop.storeId}`);

  it("a native key is answered with its label and five permissions, each with the store's id", async () => {
    const { json } = await current();
    expect(json).to.deep.equal({
      apiKey: shop.apiKey,
      label: "test",
      permissions: inStore(SERVED_POLICIES),
    });
  });

  it("a key with permissions is answered with exactly these", async () => {
    const given = ["btcpay.store.webhooks.canmodifywebhooks", "btcpay.store.canviewinvoices"];
    const { json } = await current({ key: await keyWith(...given) });
    expect(json["label"]).to.equal("Web shop");
    expect(json.permissions.toSorted()).to.deep.equal(inStore(given).toSorted());
  });

  it("the spelling without underscores is the same key, and is answered as it was sent", async () => {
    const key = withoutUnderscores(shop.apiKey);
    expect(key).to.match(/^[0-9A-Za-z]+$/);
    const { status, json } = await current({ key });
    expect([status, json["apiKey"]]).to.deep.equal([200, key]);
  });

  it("the native API takes no key without underscores", async () => {
    const key = withoutUnderscores(shop.apiKey);
    const { status } = await api.call("GET", `/stores/${shop.storeId}`, { key });
    expect(status).to.equal(401);
  });

  for (const scheme of ["token", "Token", "bearer", "Bearer", "BEARER"])
    it(`the scheme ${scheme} is taken`, async () => {
      const headers = { authorization: `${scheme}  ${shop.apiKey}` };
      expect((await current({ headers })).json["label"]).to.equal("test");
    });

  it("a wrong key is refused with 401 unauthenticated and counted as a refused key", async () => {
    for (const key of [
      "nonsense",
      `${shop.apiKey.slice(0, -1)}!`,
      withoutUnderscores(shop.apiKey).slice(1),
    ]) {
      const { status, json, headers } = await current({ key });
      expect([status, json.code]).to.deep.equal([401, "unauthenticated"]);
      expect(headers.get("www-authenticate")).to.match(/^Bearer /);
    }
  });

  for (const authorization of [
    "token",
    "Token",
    "bearer",
    "Bearer",
    "token  ",
    "token two words",
    "bearer\t",
  ])
    it(`${JSON.stringify(authorization)} names the scheme and no key: 401 in this dialect's form`, async () => {
      for (const path of ["/api-keys/current", "/users/me"]) {
        const { status, json, headers } = await plugin(api.base, "GET", path, { headers: { authorization } });
        expect([status, json.code, json["message"]], path).to.deep.equal([
          401,
          "unauthenticated",
          "Send a valid API key in the header Authorization, as `token <key>`.",
        ]);
        expect(headers.get("www-authenticate")).to.match(/^Bearer /);
      }
    });

  for (const authorization of ["", "tokenx", "bearersk_test_x", "Digest x", "Basic b3duZXI6c2VjcmV0"])
    it(`${JSON.stringify(authorization)} names another scheme or none: the native API refuses it`, async () => {
      const { status, json, headers } = await api.call("GET", `/stores/${shop.storeId}`, {
        headers: { authorization },
      });
      expect([status, json.code]).to.deep.equal([401, "unauthenticated"]);
      expect(headers.get("content-type")).to.match(/^application\/problem\+json/);
    });

  it("the scheme without a key is native beside x-api-key", async () => {
    const headers = { authorization: "token" };
    const { status } = await api.call("GET", `/stores/${shop.storeId}`, { key: shop.apiKey, headers });
    expect(status).to.equal(200);
  });

  it("a key that Coinsnap's plugin sends in both headers is of this dialect, and two different keys are refused", async () => {
    const path = `/stores/${shop.storeId}/webhooks`;
    const body = {
      url: "http://127.0.0.1:35879/wc-api/coinsnap/",
      authorizedEvents: { everything: false, specificEvents: ["InvoiceCreated", "InvoiceSettled"] },
    };
    for (const key of [shop.apiKey, shop.apiKey.replaceAll("_", "")]) {
      const made = await call("POST", path, { key, body, headers: { "x-api-key": key } });
      expect([made.status, made.json["url"]]).to.deep.equal([200, body.url]);
    }
    const { apiKey } = await api.store();
    const other = await call("GET", path, { key: shop.apiKey, headers: { "x-api-key": apiKey } });
    expect([other.status, other.json.code]).to.deep.equal([401, "unauthenticated"]);
  });

  it("every answer names the dialect, also a refusal, and a native one does not", async () => {
    const dialectOf = async (headers: Record<string, string>) =>
      (await fetch(`${api.base}/api/v1/stores/${shop.storeId}`, { headers })).headers.get(
        "x-quittance-dialect",
      );
    expect(await dialectOf({ authorization: `Bearer ${shop.apiKey}` })).to.equal("greenfield");
    expect(await dialectOf({ authorization: "Bearer nonsense" })).to.equal("greenfield");
    expect(await dialectOf({ "x-api-key": shop.apiKey })).to.equal(null);
  });

  it("Basic of a proxy beside x-api-key stays native", async () => {
    const { status, json } = await api.call("GET", `/stores/${shop.storeId}/api-keys/current`, {
      key: shop.apiKey,
      headers: { authorization: "Basic b2Y6cHJveHk=" },
    });
    expect([status, json["name"]]).to.deep.equal([200, "test"]);
  });

  it("a key with permissions is refused by the native API with 403 plugin-key", async () => {
    const key = await keyWith(...POLICIES);
    for (const path of [`/stores/${shop.storeId}`, "/server/info", "/openapi.json"]) {
      const { status, json } = await api.call("GET", path, { key });
      expect([status, json.code], path).to.deep.equal([403, "plugin-key"]);
    }
  });

  it("health needs no key and is the native answer", async () => {
    const { status, json } = await api.call("GET", "/health", {
      headers: { authorization: "token nonsense" },
    });
    expect(status).to.equal(200);
    expect(json["synchronized"]).to.be.a("boolean");
  });

  it("an unknown endpoint and a wrong method are refused in this dialect's form", async () => {
    const unknown = await call("GET", "/no-such-thing");
    expect([unknown.status, unknown.json.code]).to.deep.equal([404, "route-not-found"]);
    const wrong = await call("PUT", "/api-keys/current");
    expect([wrong.status, wrong.json.code]).to.deep.equal([405, "method-not-allowed"]);
    expect(wrong.headers.get("allow")).to.include("GET");
    expect(await call("HEAD", "/api-keys/current")).to.include({ status: 200, text: "" });
  });

  it("metrics count requests by their route's template, and unknown ones as other", async () => {
    const metrics = makeProcessMetrics({ worker: "api", instanceId: "dialect" });
    const counted = await startApi({ db: api.db, parts: { metrics } });
    try {
      const paths = ["/stores/STORE/invoices/inv_x", "/users/me", "/no-such-thing"];
      for (const path of paths)
        await plugin(counted.base, "GET", path.replace("STORE", shop.storeId), { key: shop.apiKey });
      const text = JSON.stringify(await metrics.snapshot());
      for (const route of ["/api/v1/stores/:storeId/invoices/:invoiceId", "/api/v1/users{/*rest}", "other"])
        expect(text).to.include(JSON.stringify(route));
      expect(text).not.to.include("inv_x").and.not.to.include("no-such-thing");
    } finally {
      await counted.listening.close();
    }
  });

  it("unknown parameters are accepted", async () => {
    expect((await call("GET", "/api-keys/current?colour=red")).status).to.equal(200);
  });

  for (const [method, path] of [
    ["POST", "/stores/STORE/pull-payments"],
    ["POST", "/stores/STORE/invoices/inv_x/refund"],
    ["GET", "/users/me"],
    ["GET", "/lightning/BTC/info"],
    ["GET", "/stores/STORE/lightning/BTC/balance"],
    ["POST", "/stores/STORE/lightning/BTC/invoices"], // as be-BOP asks
    ["GET", "/stores/STORE/lightning/BTC/invoices/x"],
    ["GET", "/stores/STORE/payment-methods/BTC-CHAIN/wallet"],
    ["POST", "/stores/STORE/payment-requests"],
    ["GET", "/apps/pos"],
    ["GET", "/stores/STORE/payment-methods/OnChain"],
    ["GET", "/stores/STORE/payment-methods/LightningNetwork"],
    ["GET", "/stores/STORE/payment-methods/LNURL"],
  ] as const)
    it(`${method} ${path} is refused with 410 unsupported-in-v2`, async () => {
      const at = path.replace("STORE", shop.storeId);
      const { status, json } = await call(method, at, method === "POST" ? { body: {} } : {});
      expect([status, json.code]).to.deep.equal([410, "unsupported-in-v2"]);
      expect((await call(method, at, { key: "nonsense" })).status).to.equal(401);
    });

  it("createApiKey refuses unknown permissions and an empty list", async () => {
    for (const permissions of [["btcpay.server.canmodifyserversettings"], []]) {
      const refused = await createApiKey(api.ctx, { storeId: shop.storeId, name: "x", permissions }).catch(
        (error: unknown) => error,
      );
      expect(refused).to.deep.include({ code: "validation-failed" });
    }
  });
});
