import { expect } from "chai";
import { makeBitcoindRpc } from "../../../adapters/bitcoind/rpc";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { eraseInvoice } from "../../../commands/invoices/erase-invoice";
import type { SimulatedNode } from "../../support/devnet/simulated-node";
import { startSimulatedNode } from "../../support/chain";
import { buildPayment } from "../../support/factories";
import { expectRefused, type Answer, pointers, startApi, type TestApi, type TestStore } from "../server";

const TXID = "ab".repeat(32);
const OTHER = "cd".repeat(32);

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
  /** By default by 400 sats. */
  async function overpaid(
    orderId: string,
    amountSats = 1_400n,
  ): Promise<{ reviewId: string; invoiceId: string }> {
    const { json } = await call("POST", "/invoices", {
      amount: "1000",
      currency: "SATS",
      metadata: { orderId },
    });
    await buildPayment(api.ctx, json.invoiceId, { amountSats, state: "confirmed" });
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
    expectRefused(again, 409, "review-resolved");
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
    expectRefused(outdated, 409, "review-changed");
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
    expectRefused(unknown, 404, "review-not-found");
  });

  it("counts the refunds before it: together they are at most what came", async () => {
    const { reviewId, invoiceId } = await overpaid("A");
    expect((await resolve(reviewId, refunded(TXID, 1_000, "BTC-LN"))).status).to.equal(200);
    await buildPayment(api.ctx, invoiceId, { amountSats: 100n, state: "confirmed" });
    await changeInvoice(api.ctx, invoiceId);
    const [again] = await list();
    expect(pointers(await resolve(again?.["reviewId"], refunded(OTHER, 501)))).to.deep.equal([
      "/refund/amountSats",
    ]);
    expect((await resolve(again?.["reviewId"], refunded(OTHER, 500, "BTC-LN"))).status).to.equal(200);
  });

  const leave = (invoiceId: string, address: string): Promise<unknown> =>
    api.db.query("UPDATE invoices SET refund_address = $2 WHERE id = $1", [invoiceId, address]);

  it("looks a refund up at the node: not found, unconfirmed, confirmed, whom it pays and how much", async () => {
    const [customer, stranger] = [await node.newAddress(), await node.newAddress()];
    const cases = [
      { to: customer, sats: 400n, entered: 400, left: true, pays: true, differs: false },
      { to: customer, sats: 399n, entered: 400, left: true, pays: true, differs: true },
      { to: stranger, sats: 401n, entered: 401, left: true, pays: false, differs: false },
      { to: stranger, sats: 402n, entered: 402, left: false, pays: null, differs: false },
      { to: stranger, sats: 403n, entered: 400, left: false, pays: null, differs: true },
    ];
    for (const [index, { to, sats, entered, left, pays, differs }] of cases.entries()) {
      const { reviewId, invoiceId } = await overpaid(`case ${index}`, 1_500n);
      if (left) await leave(invoiceId, customer);
      const txid = await node.pay(to, sats);
      const { json } = await resolve(reviewId, refunded(txid.toUpperCase(), entered));
      const known = {
        type: "BTC-CHAIN",
        reference: txid,
        amountSats: entered,
        paysRefundAddress: pays,
        amountDiffers: differs,
      };
      expect(json["refund"]).to.deep.include({ ...known, state: "unconfirmed" });
      const { paidSats } = json["refund"] as { paidSats: number[] };
      if (pays === true || !differs) expect(paidSats).to.deep.equal([Number(sats)]);
      else expect(paidSats).to.have.lengthOf(2).and.include(Number(sats)); // and the change
      await node.mine(1);
      const { json: checked } = await call("POST", `/reviews/${reviewId}/check`, {});
      expect(checked["refund"]).to.deep.include({ ...known, paidSats, state: "confirmed" });
    }
    const { reviewId } = await overpaid("unknown");
    const { json } = await resolve(reviewId, refunded(TXID, 400));
    const unknown = { state: "not-found", paysRefundAddress: null, paidSats: null, amountDiffers: null };
    expect(json["refund"]).to.deep.include(unknown);
  });

  it("knows what a transaction in a block pays when it is first asked, but not of a pruned block", async () => {
    const customer = await node.newAddress();
    const [txid, pruned] = [await node.pay(customer, 300n), await node.pay(customer, 301n)];
    await node.mine(2);
    const first = await overpaid("A");
    await leave(first.invoiceId, customer);
    const { json } = await resolve(first.reviewId, refunded(txid, 400));
    const found = { state: "confirmed", paysRefundAddress: true, paidSats: [300], amountDiffers: true };
    expect(json["refund"]).to.deep.include(found);
    node.faults.prunedBelow = 1_000_000;
    const second = await overpaid("B");
    const { json: later } = await resolve(second.reviewId, refunded(pruned, 400));
    node.faults.prunedBelow = 0;
    const unknown = { state: "confirmed", paysRefundAddress: null, paidSats: null, amountDiffers: null };
    expect(later["refund"]).to.deep.include(unknown);
  });

  it("refuses one payment as the refund of two, also when both are recorded at once", async () => {
    const reviews = [];
    for (const orderId of ["A", "B", "C", "D", "E", "F"]) reviews.push(await overpaid(orderId));
    for (const [reference, type] of [
      [TXID, "BTC-LN"],
      [await node.pay(await node.newAddress(), 400n), "BTC-CHAIN"],
      [OTHER, "BTC-CHAIN"],
    ] as const) {
      const answers = await Promise.all(
        reviews.map(({ reviewId }) => resolve(reviewId, refunded(reference, 400, type))),
      );
      const recorded = answers.findIndex(({ status }) => status === 200);
      const refused = answers.filter((_, at) => at !== recorded);
      expect(refused.map(({ json }) => json.code)).to.deep.equal(refused.map(() => "refund-recorded"));
      reviews.splice(recorded, 1);
    }
    const own = shop;
    shop = await api.store();
    const { reviewId } = await overpaid("of another store");
    expect((await resolve(reviewId, refunded(TXID, 400, "BTC-LN"))).status).to.equal(200);
    shop = own;
  });

  it("takes one transaction as the refunds of several customers if it pays each of them", async () => {
    const [first, second] = [await node.newAddress(), await node.newAddress()];
    const txid = await node.payMany([
      { address: first, amountSats: 700n },
      { address: second, amountSats: 300n },
      { address: await node.newAddress(), amountSats: 350n },
    ]);
    const cases: [string | null, number, number][] = [
      [first, 400, 200],
      [first, 300, 200], // both together are what the first customer got
      [first, 1, 409],
      [second, 300, 200],
      [null, 350, 200],
      [null, 350, 409], // that output is the refund before it
      [null, 300, 409],
    ];
    for (const [index, [address, sats, status]] of cases.entries()) {
      const { reviewId, invoiceId } = await overpaid(`batch ${index}`);
      if (address !== null) await leave(invoiceId, address);
      const answer = await resolve(reviewId, refunded(txid, sats));
      expect(answer.status, `${index}: ${answer.text}`).to.equal(status);
      if (status === 409) expect(answer.json.code).to.equal("refund-recorded");
    }
  });

  it("takes one transaction as the refunds of customers with different addresses where the node does not show it", async () => {
    const first = await node.newAddress();
    const cases: [string | null, number][] = [
      [first, 200],
      [await node.newAddress(), 200],
      [first, 409],
      [null, 409],
    ];
    for (const [index, [address, status]] of cases.entries()) {
      const { reviewId, invoiceId } = await overpaid(`pruned batch ${index}`);
      if (address !== null) await leave(invoiceId, address);
      const answer = await resolve(reviewId, refunded("e".repeat(64), 400));
      expect(answer.status, `${index}: ${answer.text}`).to.equal(status);
    }
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
