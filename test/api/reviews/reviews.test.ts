import { expect } from "chai";
import { makeBitcoindRpc } from "../../../adapters/bitcoind/rpc";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { eraseInvoice } from "../../../commands/invoices/erase-invoice";
import type { SimulatedNode } from "../../../scripts/devnet/bitcoin/simulated-node";
import { startSimulatedNode } from "../../support/chain";
import { buildPayment } from "../../support/factories";
import { type Answer, pointers, startApi, type TestApi, type TestStore } from "../server";

const TXID = "ab".repeat(32);

describe("API: reviews", () => {
  let api: TestApi;
  let node: SimulatedNode;
  let shop: TestStore;
  before(async () => {
    [api, node] = [await startApi(), await startSimulatedNode()];
    api.ctx.chain = makeBitcoindRpc({ url: node.rpcUrl });
  });
  beforeEach(async () => (shop = await api.store()));
  after(async () => {
    await api.stop();
    await node.stop();
  });

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    api.call(method, `/stores/${shop.storeId}${path}`, { key: shop.apiKey, ...(body ? { body } : {}) });
  const list = async (query = ""): Promise<Record<string, unknown>[]> => {
    const { json, text } = await call("GET", `/reviews${query}`);
    expect(json.data, text).to.be.an("array");
    return json.data;
  };
  const resolve = (reviewId: unknown, body: object): Promise<Answer> =>
    call("POST", `/reviews/${String(reviewId)}/resolve`, body);
  const refunded = (reference: string, amountSats: number, type = "BTC-CHAIN") => ({
    resolution: "refunded",
    refund: { type, reference, amountSats },
  });
  /** Overpaid by 400 sats. */
  async function overpaid(orderId: string): Promise<{ reviewId: string; invoiceId: string }> {
    const { json } = await call("POST", "/invoices", {
      amount: "1000",
      currency: "SATS",
      metadata: { orderId },
    });
    await buildPayment(api.ctx, json.invoiceId, { amountSats: 1_400n, state: "confirmed" });
    await changeInvoice(api.ctx, json.invoiceId);
    const found = (await list()).find(({ invoiceId }) => invoiceId === json.invoiceId);
    return { reviewId: String(found?.["reviewId"]), invoiceId: json.invoiceId };
  }

  it("lists what waits, oldest first, in pages and of this store alone", async () => {
    for (const orderId of ["first", "second", "third"]) await overpaid(orderId);
    const [other, own] = [await api.store(), shop];
    shop = other;
    await overpaid("theirs");
    shop = own;
    const page = await call("GET", "/reviews?limit=2");
    const orders = [...page.json.data, ...(await list(`?cursor=${page.json.nextCursor}`))].map(
      ({ orderId }) => orderId,
    );
    expect(orders).to.deep.equal(["first", "second", "third"]);
    expect(page.json.data[0]).to.include({
      reason: "overpaid",
      status: "Settled",
      additionalStatus: "Overpaid",
      dueSats: 1_000,
      receivedSats: 1_400,
      refundAddress: null,
      resolution: null,
    });
    expect(page.json.data[0]["suggestion"]).to.match(/^The order is paid/);
  });

  it("resolves one once, with a note that is erased with the customer's data", async () => {
    const { reviewId, invoiceId } = await overpaid("A");
    const first = await resolve(reviewId, { resolution: "kept", note: "Ms Doe agreed." });
    expect(first.json).to.include({ resolution: "kept", note: "Ms Doe agreed.", refund: null });
    const again = await resolve(reviewId, { resolution: "fulfilled" });
    expect([again.status, again.json.code]).to.deep.equal([409, "review-resolved"]);
    expect(await list()).to.deep.equal([]);
    expect((await list("?state=resolved")).map((one) => one["reviewId"])).to.deep.equal([reviewId]);
    await api.db.query("DELETE FROM webhook_deliveries");
    await eraseInvoice(api.ctx, shop.storeId, invoiceId);
    expect((await list("?state=resolved"))[0]?.["note"]).to.equal(null);
  });

  it("refuses a decision about less than what has come by now", async () => {
    const { reviewId, invoiceId } = await overpaid("A");
    await buildPayment(api.ctx, invoiceId, { amountSats: 50_000n, state: "confirmed" });
    await changeInvoice(api.ctx, invoiceId);
    const outdated = await resolve(reviewId, { resolution: "written-off", receivedSats: 1_400 });
    expect([outdated.status, outdated.json.code]).to.deep.equal([409, "review-changed"]);
    expect((await resolve(reviewId, { resolution: "kept", receivedSats: 51_400 })).status).to.equal(200);
  });

  it("refuses a refund that is too large, is no txid, is missing, or belongs to no refund", async () => {
    const { reviewId } = await overpaid("A");
    const refusals: [object, string][] = [
      [refunded(TXID, 1_401), "/refund/amountSats"],
      [refunded("abc", 400), "/refund/reference"],
      [refunded(TXID, 0), "/refund/amountSats"],
      [{ resolution: "refunded" }, "/refund"],
      [{ ...refunded(TXID, 400), resolution: "kept" }, "/refund"],
      [{ resolution: "sent" }, "/resolution"],
    ];
    for (const [body, pointer] of refusals) {
      const answer = await resolve(reviewId, body);
      expect(answer.status, answer.text).to.equal(422);
      expect(pointers(answer)).to.deep.equal([pointer]);
    }
    const unknown = await resolve("rev_unknown", { resolution: "kept" });
    expect([unknown.status, unknown.json.code]).to.deep.equal([404, "review-not-found"]);
  });

  it("counts the refunds before it: together they are at most what came", async () => {
    const { reviewId, invoiceId } = await overpaid("A");
    expect((await resolve(reviewId, refunded(TXID, 1_000, "BTC-LN"))).status).to.equal(200);
    await buildPayment(api.ctx, invoiceId, { amountSats: 100n, state: "confirmed" });
    await changeInvoice(api.ctx, invoiceId);
    const [again] = await list();
    expect(pointers(await resolve(again?.["reviewId"], refunded(TXID, 501)))).to.deep.equal([
      "/refund/amountSats",
    ]);
    expect((await resolve(again?.["reviewId"], refunded(TXID, 500, "BTC-LN"))).status).to.equal(200);
  });

  it("looks a refund up at the node: not found, unconfirmed, confirmed, and whom it pays", async () => {
    const [customer, stranger] = [await node.newAddress(), await node.newAddress()];
    const cases = [
      { to: customer, pays: true, later: true },
      { to: stranger, pays: false, later: null },
    ];
    for (const { to, pays, later } of cases) {
      const { reviewId, invoiceId } = await overpaid(to);
      await api.db.query("UPDATE invoices SET refund_address = $2 WHERE id = $1", [invoiceId, customer]);
      const txid = await node.pay(to, 400n);
      const { json } = await resolve(reviewId, refunded(txid.toUpperCase(), 400));
      const refund = (state: string, paysRefundAddress: boolean | null) => ({
        type: "BTC-CHAIN",
        reference: txid,
        amountSats: 400,
        state,
        paysRefundAddress,
      });
      expect(json["refund"]).to.deep.include(refund("unconfirmed", pays));
      await node.mine(1);
      const { json: checked } = await call("POST", `/reviews/${reviewId}/check`, {});
      expect(checked["refund"]).to.deep.include(refund("confirmed", pays ? later : false));
    }
    const { reviewId } = await overpaid("unknown");
    const { json } = await resolve(reviewId, refunded(TXID, 400));
    expect(json["refund"]).to.deep.include({ state: "not-found", paysRefundAddress: null });
  });

  it("takes a refund while the node is away, and checks it later", async () => {
    const chain = api.ctx.chain;
    const txid = await node.pay(await node.newAddress(), 400n);
    const { reviewId } = await overpaid("A");
    api.ctx.chain = makeBitcoindRpc({ url: "http://test:test@127.0.0.1:1", deadlineMs: 1_000 });
    const { json } = await resolve(reviewId, refunded(txid, 400));
    expect(json["refund"]).to.deep.include({ state: "unchecked", paysRefundAddress: null });
    api.ctx.chain = chain;
    const { json: checked } = await call("POST", `/reviews/${reviewId}/check`, {});
    expect(checked["refund"]).to.deep.include({ state: "unconfirmed" });
  });
});
