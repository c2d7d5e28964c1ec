import { expect } from "chai";
import { IsNull, type DataSource } from "typeorm";
import { makeFixedRates } from "../../../adapters/rates/fixed";
import { changeStore } from "../../../commands/stores/change-store";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import { endRatesAlerts } from "../../../commands/stores/end-rates-alerts";
import { RATE_SOURCES } from "../../../domain/money/rate-sources";
import { Alert } from "../../../entities/alert";
import { Invoice } from "../../../entities/invoice";
import { Store } from "../../../entities/store";
import { startExchanges, type Exchanges } from "../../adapters/rates/exchange-servers";
import { type TestContext, testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore } from "../../support/factories";
import { refusal } from "../../support/refusal";

const AWAY = { kind: "status", status: 503 } as const;

describe("a store's rate", () => {
  let db: DataSource;
  let exchanges: Exchanges;
  let ctx: TestContext;
  before(async () => (db = await testDatabase()));
  beforeEach(async () => {
    exchanges = await startExchanges();
    ctx = await testContext({ db, rates: exchanges.rates });
    await db.query("DELETE FROM alerts");
  });
  afterEach(() => exchanges.close());
  after(() => db.destroy());

  const storeWith = async (changes: Partial<Store>): Promise<Store> => {
    const { id } = await buildStore(ctx);
    if (Object.keys(changes).length > 0) await db.manager.update(Store, id, changes);
    return db.manager.findOneByOrFail(Store, { id });
  };
  const order = (store: Store, currency = "USD") =>
    createInvoice(ctx, store.id, { amount: "10.00", currency });
  const open = () => db.manager.findBy(Alert, { kind: "rates-away", resolvedAt: IsNull() });
  const allAway = () => {
    for (const name of RATE_SOURCES) exchanges.answer(name, AWAY);
  };

  it("prices an invoice, and is stored with it: sources, time and spread", async () => {
    exchanges.allAnswer("60000");
    const { invoice } = await order(await storeWith({ rateSpread: "1.5" }));
    const kept = await db.manager.findOneByOrFail(Invoice, { id: invoice.id });
    expect(kept.rate).to.deep.include({ value: "59100", sources: [...RATE_SOURCES], spread: "1.5000" });
    expect(Date.parse(kept.rate?.at ?? ""))
      .to.be.a("number")
      .and.above(0);
    expect(kept.rate).to.have.all.keys("value", "sources", "at", "spread");
    expect(kept.dueSats).to.equal(16_921n); // 10 / 59100 BTC is 16,920.47 sats
  });

  for (const [what, rateSources, pointer] of [
    ["a source that is not asked here", ["kraken", "gone"], "/rateSources/1"],
    ["one source alone, which has nobody to agree with", ["kraken"], "/rateSources"],
  ] as const)
    it(`cannot come from ${what}`, async () => {
      const store = await storeWith({});
      const error = await refusal(changeStore(ctx, store.id, { rateSources: [...rateSources] }));
      expect(error.errors.map((field) => field.pointer)).to.deep.equal([pointer]);
    });

  it("is not needed for BTC and SATS: no source is asked", async () => {
    allAway();
    const store = await storeWith({});
    for (const [amount, currency] of [
      ["0.001", "BTC"],
      ["100000", "SATS"],
    ] as const) {
      const { invoice } = await createInvoice(ctx, store.id, { amount, currency });
      expect(invoice).to.include({ rate: null, dueSats: 100_000n });
    }
    expect(exchanges.asked("kraken")).to.equal(0);
    expect(await open()).to.have.length(0);
  });

  it("refuses the invoice when it is away, with one alert, and writes nothing else", async () => {
    allAway();
    const store = await storeWith({});
    for (let i = 0; i < 3; i += 1) expect((await refusal(order(store))).code).to.equal("rate-unavailable");
    expect(
      (await open()).map(({ subject, storeId, severity }) => ({ subject, storeId, severity })),
    ).to.deep.equal([{ subject: "USD", storeId: null, severity: "critical" }]);
    expect(await db.manager.countBy(Invoice, { storeId: store.id })).to.equal(0);
  });

  it("alerts the store when its own sources are away and others work", async () => {
    exchanges.allAnswer("60000");
    exchanges.answer("kraken", AWAY);
    const store = await storeWith({ rateSources: ["kraken", "bitstamp"] });
    await refusal(order(store));
    await order(await storeWith({}));
    expect((await open()).map(({ subject, storeId }) => ({ subject, storeId }))).to.deep.equal([
      { subject: `USD ${store.id}`, storeId: store.id },
    ]);
  });

  it("alerts nobody for a currency that fewer than two sources trade", async () => {
    const store = await storeWith({});
    expect((await refusal(order(store, "SEK"))).code).to.equal("rate-unavailable");
    expect(await open()).to.have.length(0);
  });

  describe("that was away", () => {
    it("resolves its alert when it is back, in a process that never had a rate", async () => {
      allAway();
      await refusal(order(await storeWith({})));
      expect(await endRatesAlerts(ctx)).to.equal(0);
      expect(await open()).to.have.length(1);
      const other = await startExchanges();
      try {
        other.allAnswer("60000");
        expect(await endRatesAlerts(await testContext({ db, rates: other.rates }))).to.equal(1);
      } finally {
        await other.close();
      }
      expect(await open()).to.have.length(0);
      expect(await db.manager.countBy(Alert, { kind: "rates-away" })).to.equal(1);
    });

    it("resolves a store's alert by the store's own sources, and when the store takes the server's", async () => {
      exchanges.allAnswer("60000");
      exchanges.answer("kraken", AWAY);
      const store = await storeWith({ rateSources: ["kraken", "bitstamp"] });
      await refusal(order(store));
      expect(await endRatesAlerts(ctx)).to.equal(0);
      await db.manager.update(Store, store.id, { rateSources: null });
      expect(await endRatesAlerts(ctx)).to.equal(1);
    });

    it("resolves its alert when the operator sets fixed rates instead, without that currency", async () => {
      allAway();
      await refusal(order(await storeWith({})));
      const fixed = await testContext({ db, rates: makeFixedRates(new Map([["EUR", "55000"]])) });
      expect(await endRatesAlerts(fixed)).to.equal(1);
    });
  });
});
