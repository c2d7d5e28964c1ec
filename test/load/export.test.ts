import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { startApi, type TestApi, type TestStore } from "../api/server";
import { copyInvoice } from "../support/copy-invoice";
import { breaksInvariants } from "../support/invariants-always";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
setFlagsFromString("--no-expose-gc");

/** What is in use, without what could be given back. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("an export of 20,000 invoices", function () {
  this.timeout(180_000);
  const MANY = 20_000;
  let api: TestApi;
  let shop: TestStore;
  beforeEach(async () => {
    api = await startApi();
    shop = await api.store();
    breaksInvariants(api.db, "the copies of an invoice have no events");
    const padding = { description: "x".repeat(400), metadata: { orderId: "o", pad: "y".repeat(2_000) } };
    const { json } = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS", ...padding },
    });
    await copyInvoice(api.db, json.invoiceId, MANY - 1);
  });
  afterEach(() => api.stop());

  it("uses no more memory at its end than at its beginning", async () => {
    const { body } = await fetch(`${api.base}/api/v1/stores/${shop.storeId}/invoices/export?format=json`, {
      headers: { "x-api-key": shop.apiKey },
    });
    if (body === null) throw new Error("there is no body");
    const held: number[] = [];
    let bytes = 0;
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > (held.length + 1) * 6_000_000) held.push(heldBytes());
    }
    expect(bytes).to.be.greaterThan(MANY * 3_000);
    expect(held).to.have.length.greaterThan(8);
    // The least of each half: what else lives in this process comes and goes, what an export held would stay.
    const half = held.length >> 1;
    const growth = Math.min(...held.slice(half)) - Math.min(...held.slice(0, half));
    expect(growth, held.join(" ")).to.be.lessThan(bytes / 6);
  });
});
