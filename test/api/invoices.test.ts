import { expect } from "chai";
import { startApi, type TestApi, type TestStore } from "./server";

describe("API: invoices", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    shop = await api.store();
  });
  after(() => api.stop());

  const path = (rest = "") => `/stores/${shop.storeId}/invoices${rest}`;
  const create = (body: unknown) => api.call("POST", path(), { key: shop.apiKey, body });
  const get = (rest: string) => api.call("GET", path(rest), { key: shop.apiKey });

  it("are created with 201 and every field of the Invoice", async () => {
    const { status, json } = await create({ amount: "12.50", currency: "USD", metadata: { orderId: "A-1" } });
    expect(status).to.equal(201);
    expect(Object.keys(json)).to.deep.equal([
      "invoiceId",
      "storeId",
      "status",
      "additionalStatus",
      "amount",
      "currency",
      "dueSats",
      "rate",
      "paidSats",
      "confirmedSats",
      "remainingSats",
      "metadata",
      "redirectUrl",
      "redirectAutomatically",
      "description",
      "checkoutUrl",
      "createdAt",
      "expiresAt",
      "monitoringUntil",
      "requiredConfirmations",
      "paymentTolerance",
      "archived",
      "paymentMethods",
      "payments",
      "paymentUri",
    ]);
    const [method] = json.paymentMethods;
    expect(json).to.deep.include({
      storeId: shop.storeId,
      status: "New",
      additionalStatus: "None",
      amount: "12.50",
      currency: "USD",
      dueSats: 20_834,
      paidSats: 0,
      remainingSats: 20_834,
      metadata: { orderId: "A-1" },
      checkoutUrl: `http://127.0.0.1:3000/i/${json.invoiceId}`,
      paymentTolerance: 0,
      archived: false,
      payments: [],
      paymentUri: `bitcoin:${method.destination}?amount=0.00020834`,
    });
    expect(json.invoiceId).to.match(/^inv_[1-9A-HJ-NP-Za-km-z]{22,}$/);
    expect(json.rate).to.deep.include({ value: "60000", sources: ["fixed"] });
    expect(json.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(json.expiresAt) - Date.parse(json.createdAt)).to.equal(900_000);
    expect(method).to.deep.equal({
      type: "BTC-CHAIN",
      destination: method.destination,
      paymentUri: json.paymentUri,
      amountSats: 20_834,
      available: true,
    });
    expect(method.destination).to.match(/^bcrt1q/);
  });
});
