import { expect } from "chai";
import { switchLightningOff, switchLightningOn } from "../../../commands/lightning/switch-lightning";
import { syncLightningInvoices } from "../../../commands/invoices/sync-lightning-invoices";
import { decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { LightningBench } from "../../support/lightning";
import { expectRefused, startApi, type Answer, type TestApi, type TestStore } from "../server";

/** What an invoice says of BTC-CHAIN and of BTC-LN. */
type Method = Record<"destination" | "paymentUri", string> & Record<string, unknown>;
const methodsOf = ({ json }: Answer): [Method, Method] => json.paymentMethods as unknown as [Method, Method];

describe("API: Lightning", () => {
  let bench: LightningBench;
  let api: TestApi;
  let shop: TestStore;

  beforeEach(async () => {
    bench = await LightningBench.start();
    api = await startApi({ db: bench.ctx.db, parts: { context: () => bench.ctx } });
    shop = await api.store();
    await switchLightningOn(bench.ctx, shop.storeId);
  });
  afterEach(async () => {
    bench.lightning.close();
    await bench.node.stop();
    await api.stop();
  });

  const call = (method: string, rest: string, body?: object): Promise<Answer> =>
    api.call(method, `/stores/${shop.storeId}${rest}`, { key: shop.apiKey, body });
  const create = (more: object = {}): Promise<Answer> =>
    call("POST", "/invoices", { amount: "25000", currency: "SATS", ...more });

  it("offers an address and a BOLT11 in one URI, and each in one of its own", async () => {
    const answer = await create();
    const { status, json } = answer;
    expect(status).to.equal(201);
    const [chain, lightning] = methodsOf(answer);
    expect(lightning).to.deep.equal({
      type: "BTC-LN",
      destination: lightning.destination,
      paymentUri: `lightning:${lightning.destination}`,
      amountSats: 25_000,
      available: true,
    });
    expect(decodeBolt11(lightning.destination).amountMsat).to.equal(25_000_000n);
    expect(chain.paymentUri).to.equal(`bitcoin:${chain.destination}?amount=0.00025`);
    expect(json.paymentUri).to.equal(`${chain.paymentUri}&lightning=${lightning.destination}`);
  });

  it("shows a payment with its hash and preimage, and finds the invoice by the hash before and after", async () => {
    const { json: created } = await create({ paymentMethods: ["BTC-LN"] });
    const bolt11 = created.paymentMethods[0].destination;
    expect(created.paymentUri).to.equal(`lightning:${bolt11}`);
    const { paymentHash } = decodeBolt11(bolt11);
    const found = async (): Promise<unknown[]> =>
      (await call("GET", `/invoices?q=${paymentHash}`)).json.data.map(
        ({ invoiceId }) => invoiceId as unknown,
      );
    expect(await found()).to.deep.equal([created.invoiceId]);
    const { preimage } = await bench.node.pay(bolt11);
    const { json } = await call("POST", `/invoices/${created.invoiceId}/check`, {});
    expect(json).to.include({
      status: "Settled",
      additionalStatus: "None",
      paidSats: 25_000,
      paymentUri: null,
    });
    expect(json.paymentMethods).to.deep.equal([
      {
        type: "BTC-LN",
        destination: null,
        paymentUri: null,
        amountSats: 0,
        available: false,
        reason: "no-longer-payable",
      },
    ]);
    const [payment] = json.payments;
    expect(payment).to.deep.include({
      id: paymentHash,
      type: "BTC-LN",
      amountSats: 25_000,
      state: "confirmed",
      late: false,
      paymentHash,
      preimage,
    });
    expect(payment).not.to.have.any.keys("txid", "vout", "confirmations");
    expect(await found()).to.deep.equal([created.invoiceId]);
    const { json: line } = await call("GET", `/invoices/${created.invoiceId}/events`);
    expect(line.data.map(({ kind }) => kind)).to.include("payment");
  });

  it("fails with 503 when it is the only method and LND is away, and the same key may try again", async () => {
    await bench.node.stop();
    expectRefused(await create({ paymentMethods: ["BTC-LN"] }), 503, "payment-method-unavailable");
    expect((await call("GET", "/invoices")).json.data).to.deep.equal([]);
    const answer = await create();
    expect(answer.status).to.equal(201);
    const [chain, lightning] = methodsOf(answer);
    expect(lightning).to.deep.include({
      destination: null,
      paymentUri: null,
      available: false,
      reason: "node-unavailable",
    });
    expect(answer.json.paymentUri).to.equal(chain.paymentUri);
    await bench.node.restart();
  });

  it("is the store's choice for new invoices: issued BOLT11s can be paid after it was switched off", async () => {
    const answer = await create();
    await switchLightningOff(bench.ctx, shop.storeId);
    expect((await create()).json.paymentMethods).to.have.length(1);
    expectRefused(await create({ paymentMethods: ["BTC-LN"] }), 422, "validation-failed", "/paymentMethods");
    await bench.node.pay(methodsOf(answer)[1].destination);
    const { invoiceId } = answer.json;
    await syncLightningInvoices(bench.ctx, invoiceId);
    expect((await call("GET", `/invoices/${invoiceId}`)).json.status).to.equal("Settled");
  });
});
