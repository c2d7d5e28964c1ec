import { expect } from "chai";
import { changeStore } from "../../../commands/stores/change-store";
import { pointers, startApi, type TestApi, type TestStore } from "../server";

describe("API: a store's largest invoice", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    shop = await api.store();
    await changeStore(api.ctx, shop.storeId, { maxInvoiceSats: 1_000_000n });
  });
  after(() => api.stop());

  const create = (amount: string, currency: string, headers = {}) =>
    api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount, currency },
      headers,
    });

  it("is allowed, and a larger one in any currency is refused at /amount, naming both sums", async () => {
    expect((await create("1000000", "SATS")).status).to.equal(201);
    for (const [amount, currency] of [
      ["1000001", "SATS"],
      ["0.01000001", "BTC"],
      ["1000000", "EUR"],
    ] as const) {
      const refused = await create(amount, currency);
      expect([refused.status, pointers(refused)], currency).to.deep.equal([422, ["/amount"]]);
      expect(refused.json["detail"]).to.match(
        /Must be at most 1000000 sats.*maxInvoiceSats.*This is \d+ sats/,
      );
    }
  });

  it("is judged once: a replay by Idempotency-Key is answered after it was lowered", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await create("900000", "SATS", headers);
    await changeStore(api.ctx, shop.storeId, { maxInvoiceSats: 1_000n });
    expect((await create("900000", "SATS", headers)).text).to.equal(first.text);
    expect((await create("900000", "SATS")).status).to.equal(422);
    await changeStore(api.ctx, shop.storeId, { maxInvoiceSats: null });
    expect((await create("900000", "SATS")).status).to.equal(201);
  });
});
