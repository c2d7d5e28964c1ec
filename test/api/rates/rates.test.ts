import { expect } from "chai";
import { Alert } from "../../../entities/alert";
import { Store } from "../../../entities/store";
import {
  answering,
  json,
  recorded,
  startExchanges,
  type Exchanges,
} from "../../adapters/rates/exchange-servers";
import { expectRefused, pointers, startApi, type TestApi, type TestStore } from "../server";

describe("API: rates", () => {
  let api: TestApi;
  let shop: TestStore;
  let exchanges: Exchanges;
  before(async () => (api = await startApi()));
  beforeEach(async () => {
    exchanges = await startExchanges();
    api.ctx.rates = exchanges.rates;
    shop = await api.store();
  });
  afterEach(() => exchanges.close());
  after(() => api.stop());

  const get = (query: string) =>
    api.call("GET", `/stores/${shop.storeId}/rates${query}`, { key: shop.apiKey });
  const currencies = (list: string) => get(`?currencies=${encodeURIComponent(list)}`);

  it("are listed in the requested order, with their sources and age", async () => {
    exchanges.allAnswer("60000");
    exchanges.allAnswer("55000", "EUR");
    exchanges.answer("yadio", json(recorded("yadio"))); // one table for all: 83020.61 and 72012.5
    exchanges.answer("kraken", answering("kraken", "90000"));
    const answer = await currencies("EUR,USD");
    expect(answer.status).to.equal(200);
    expect(answer.json).to.deep.equal({
      data: [
        {
          currency: "EUR",
          rate: "55000",
          sources: ["kraken", "coinbase", "bitstamp", "bitfinex"],
          ageSeconds: 0,
        },
        {
          currency: "USD",
          rate: "60000",
          sources: ["coinbase", "bitstamp", "bitfinex"],
          ageSeconds: 0,
        },
      ],
    });
  });

  it("include the store's spread, as an invoice's rate does, and say so", async () => {
    exchanges.allAnswer("60000");
    await api.db.manager.update(Store, shop.storeId, { rateSpread: "2.5" });
    const { json } = await currencies("USD");
    expect(json.data[0]).to.include({ rate: "58500" });
    const invoice = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "58.50", currency: "USD" },
    });
    expect(invoice.json).to.include({ dueSats: 100_000 });
    expect(invoice.json["rate"]).to.deep.include({ value: "58500", spread: 2.5 });
  });

  it("list a currency once that is requested twice", async () => {
    exchanges.allAnswer("60000");
    expect((await currencies("USD,USD")).json.data).to.have.length(1);
  });

  for (const [what, list] of [
    ["an unknown currency", "USD,XXX"],
    ["a currency in small letters", "usd"],
    ["bitcoin, which needs no rate", "BTC"],
    ["sats, which need no rate", "USD,SATS"],
    ["more than ten", "USD,EUR,GBP,CHF,JPY,CAD,AUD,NZD,SEK,NOK,DKK"],
  ] as const)
    it(`refuse ${what} with 422`, async () => {
      const answer = await currencies(list);
      expectRefused(answer, 422, "validation-failed");
      expect(pointers(answer)).to.deep.equal(["/currencies"]);
      expect(exchanges.asked("kraken")).to.equal(0);
    });

  it("answer 503 with what to do when there is none, and raise the alert", async () => {
    exchanges.allAnswer("60000");
    for (const name of ["kraken", "coinbase", "bitstamp", "bitfinex", "yadio"] as const)
      exchanges.answer(name, { kind: "status", status: 403 }, "EUR");
    exchanges.answer("yadio", { kind: "status", status: 403 });
    const { status, json, headers } = await currencies("USD,EUR");
    expect([status, json.code]).to.deep.equal([503, "rate-unavailable"]);
    expect(headers.get("retry-after")).to.equal("60");
    expect(json["detail"]).to.match(/EUR.*Try again in a minute, or use BTC or SATS/);
    expect(await api.db.manager.countBy(Alert, { kind: "rates-away", subject: "EUR" })).to.equal(1);
  });
});
