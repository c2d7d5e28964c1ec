import { expect } from "chai";
import { makeRateLimits } from "../../../adapters/rate-limits";
import { changeStore } from "../../../commands/stores/change-store";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import { connectNode } from "../../../commands/lightning/connect-node";
import { LightningNode, SERVER_NODE_ID } from "../../../entities/lightning-node";
import { SimulatedLnd } from "../../support/devnet/simulated-lnd";
import { PaymentMethodSync } from "../../../entities/payment-method-sync";
import { createStore } from "../../../commands/stores/create-store";
import { createApiKey } from "../../../commands/stores/api-key";
import { lookedAtChain } from "../../support/looked-at-chain";
import { startApi, type TestApi, type TestStore } from "../server";
import { plugin } from "./plugin";

describe("API of shop plugins: server and store", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const get = (path: string, key = shop.apiKey) => plugin(api.base, "GET", path, { key });

  it("server/info names a level of compatibility that plugins accept, and whether all is synchronized", async () => {
    const { json } = await get("/server/info");
    expect(json).to.deep.equal({
      version: "2.0.0",
      onion: null,
      supportedPaymentMethods: ["BTC-CHAIN"],
      fullySynched: false,
      syncStatus: [],
    });
    const [major = 0, minor = 0, patch = 0] = json.version.split(".").map(Number);
    expect(major * 10_000 + minor * 100 + patch).to.be.at.least(10_706);
    await lookedAtChain(api.ctx);
    await api.db.manager.update(PaymentMethodSync, { type: "BTC-CHAIN" }, { synchronized: true });
    expect((await get("/server/info")).json["fullySynched"]).to.equal(true);
  });

  it("server/info is synchronized whatever a node does that the key's store does not use", async () => {
    await lookedAtChain(api.ctx);
    await api.db.manager.update(PaymentMethodSync, { type: "BTC-CHAIN" }, { synchronized: true });
    const withLnd = await startApi({ db: api.db });
    try {
      Object.assign(withLnd.ctx, { lightning: { server: true } }); // configured, and never checked
      const asked = async (key: string) =>
        (await plugin(withLnd.base, "GET", "/server/info", { key })).json["fullySynched"];
      expect(await asked(shop.apiKey)).to.equal(true);
      const both = await api.store();
      await api.db.manager.insert(StorePaymentMethod, {
        ...{ storeId: both.storeId, type: "BTC-LN", lightningNodeId: SERVER_NODE_ID, createdAt: new Date() },
      });
      expect(await asked(both.apiKey)).to.equal(false);
    } finally {
      await withLnd.listening.close();
    }
  });

  it("server/info and the payment methods know a store's own Lightning node, and not the server's for it", async () => {
    const node = await SimulatedLnd.start();
    try {
      await lookedAtChain(api.ctx);
      await api.db.manager.update(PaymentMethodSync, { type: "BTC-CHAIN" }, { synchronized: true });
      const { url: address, tlsCert: tlsCertificate, quittanceMacaroon } = node.grpc;
      const macaroon = quittanceMacaroon.toString("hex");
      await connectNode(api.ctx, shop.storeId, { address, tlsCertificate, macaroon });
      const methods = (await get(`/stores/${shop.storeId}/payment-methods`)).list;
      expect(methods.map(({ paymentMethodId }) => paymentMethodId)).to.deep.equal(["BTC-CHAIN", "BTC-LN"]);
      const both = ["BTC-CHAIN", "BTC-LN"];
      const told = async () => {
        const { fullySynched, supportedPaymentMethods } = (await get("/server/info")).json;
        return { fullySynched, supportedPaymentMethods };
      };
      expect(await told()).to.deep.equal({ fullySynched: false, supportedPaymentMethods: both });
      const seen = { synchronized: true, checkedAt: new Date() };
      await api.db.manager.update(LightningNode, { id: SERVER_NODE_ID }, seen);
      expect(await told()).to.deep.include({ fullySynched: false });
      await api.db.manager.update(LightningNode, { storeId: shop.storeId }, seen);
      expect(await told()).to.deep.include({ fullySynched: true });
    } finally {
      await node.stop();
    }
  });

  it("the list of stores is the key's own store, with no null in it", async () => {
    await changeStore(api.ctx, shop.storeId, { defaultCurrency: "EUR" });
    const { list } = await get("/stores/");
    expect(list).to.deep.equal([
      {
        id: shop.storeId,
        name: "Shop",
        website: "",
        defaultCurrency: "EUR",
        invoiceExpiration: 900,
        monitoringExpiration: 86_400,
        speedPolicy: "MediumSpeed",
        paymentTolerance: 0,
        anyoneCanCreateInvoice: false,
        requiresRefundEmail: false,
        lightningAmountInSatoshi: false,
        onChainWithLnInvoiceFallback: true,
        redirectAutomatically: false,
        defaultLang: "en",
        networkFeeMode: "Never",
        archived: false,
      },
    ]);
    expect((await get(`/stores/${shop.storeId}`)).json).to.deep.equal(list[0]);
  });

  it("the store's payment methods are those that are set up, without keys or configuration", async () => {
    const methods = (query = "") => get(`/stores/${shop.storeId}/payment-methods${query}`);
    const chain = [{ paymentMethodId: "BTC-CHAIN", enabled: true }];
    for (const query of ["", "?enabled=true", "?enabled=True"])
      expect((await methods(query)).json).to.deep.equal(chain);
    expect((await methods("?enabled=false")).json).to.deep.equal([]);
    const { id: storeId } = await createStore(api.ctx, { name: "Empty" });
    const { apiKey } = await createApiKey(api.ctx, { storeId, name: "x" });
    expect((await get(`/stores/${storeId}/payment-methods`, apiKey)).json).to.deep.equal([]);
  });

  describe("rates", () => {
    const rates = (query: string) => get(`/stores/${shop.storeId}/rates${query}`);

    it("are those of the key's store without its id, as btcpay-mcp asks, and name a fallback, as PrestaShop 7 asks", async () => {
      const pair = "?currencyPair=BTC_EUR";
      expect((await get(`/rates${pair}`)).list).to.deep.equal((await rates(pair)).list);
      const fallback = await rates("/configuration/fallback");
      expect([fallback.status, fallback.json["preferredSource"]]).to.deep.equal([200, "quittance"]);
    });

    it("are texts by pair, in the order that was asked for", async () => {
      const { list } = await rates("?currencyPair=BTC_USD&currencyPair=btc_eur");
      expect(list.map(({ currencyPair }) => currencyPair)).to.deep.equal(["BTC_USD", "BTC_EUR"]);
    });

    it("of what is no pair, of none and of too many are refused at `currencyPair`", async () => {
      const many = Array.from({ length: 11 }, (_, n) => `currencyPair=BTC_AA${"ABCDEFGHIJK"[n]}`).join("&");
      for (const query of ["", "?currencyPair=EUR_BTC", "?currencyPair=BTC_XAU", `?${many}`]) {
        const { status, list } = await rates(query);
        expect([status, list[0].path.split(".")[0]], query).to.deep.equal([422, "currencyPair"]);
      }
    });

    it("that are away are 503 rate-unavailable", async () => {
      const { status, json } = await rates("?currencyPair=BTC_CHF");
      expect([status, json.code]).to.deep.equal([503, "rate-unavailable"]);
    });
  });

  it("before the database was reached it is 503 unavailable", async () => {
    const starting = await startApi({ db: api.db, parts: { context: () => null } });
    try {
      const { status, json } = await plugin(starting.base, "GET", "/server/info", { key: shop.apiKey });
      expect([status, json.code]).to.deep.equal([503, "unavailable"]);
    } finally {
      await starting.listening.close();
    }
  });

  it("a defect is 500 internal-error without its message, which is in the log under the request's id", async () => {
    const context = () => {
      throw new Error("a secret of the server");
    };
    const broken = await startApi({ db: api.db, parts: { context, log: api.ctx.log } });
    try {
      const { status, json, text, headers } = await plugin(broken.base, "GET", "/server/info", {
        key: shop.apiKey,
      });
      expect([status, json.code]).to.deep.equal([500, "internal-error"]);
      expect(text).not.to.include("secret");
      const logged = api.ctx.lines.find(({ message }) => message === "request: internal error");
      expect(logged?.fields["requestId"]).to.equal(headers.get("x-request-id"));
    } finally {
      await broken.listening.close();
    }
  });

  it("too many requests are 429 rate-limited, counted with the native ones of the store", async () => {
    const limits = makeRateLimits({
      perMinute: 2,
      redisUrl: undefined,
      db: () => api.db,
      log: api.ctx.log,
      deadlineMs: 60_000,
    });
    const limited = await startApi({ db: api.db, parts: { limits } });
    try {
      const path = `/stores/${shop.storeId}`;
      expect((await limited.call("GET", path, { key: shop.apiKey })).status).to.equal(200);
      expect((await plugin(limited.base, "GET", path, { key: shop.apiKey })).status).to.equal(200);
      const refused = await plugin(limited.base, "GET", path, { key: shop.apiKey });
      expect([refused.status, refused.json.code]).to.deep.equal([429, "rate-limited"]);
      expect((await limited.call("GET", path, { key: shop.apiKey })).status).to.equal(429);
      // Without a valid key the sender's address counts, and so it does at unknown endpoints.
      for (const at of ["/server/info", "/no-such-thing"]) {
        const { headers } = await plugin(limited.base, "GET", at, { key: "nonsense" });
        expect(headers.get("ratelimit-policy"), at).to.match(/^"address"/);
      }
    } finally {
      await limited.listening.close();
      limits?.close();
    }
  });
});
