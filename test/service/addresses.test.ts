import { expect } from "chai";
import { Service, type InvoiceJson, type Shop } from "../support/service";

const INVOICES = 200;

describe("two processes of the API and two stores with one wallet", () => {
  let service: Service;

  before(async function () {
    this.timeout(120_000);
    service = await Service.start({ apps: ["api", "api", "webhook-delivery", "reconcile"] });
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it(`give as many addresses to ${INVOICES} invoices that are created at once`, async function () {
    this.timeout(90_000);
    const other = await service.openShop({ xpub: service.shop.xpub });
    const bases = service.bases();
    expect(bases).to.have.lengthOf(2);
    let refused = 0;
    /** A service with too much to do says 503, "try again in a moment": a merchant does. */
    const create = async (index: number): Promise<InvoiceJson> => {
      const shop: Shop = index % 2 === 0 ? service.shop : other;
      const body = { amount: "100000", currency: "SATS" };
      for (;;) {
        const answer = await service.call(shop, "POST", "/invoices", body, bases[Math.floor(index / 2) % 2]);
        if (answer.status === 201) return answer.json as unknown as InvoiceJson;
        expect(answer.status, answer.text).to.equal(503);
        refused += 1;
      }
    };
    const began = performance.now();
    const invoices = await Promise.all(Array.from({ length: INVOICES }, (_, index) => create(index)));
    const tookMs = Math.round(performance.now() - began);
    process.stdout.write(`      ${INVOICES} invoices at once: ${tookMs} ms, ${refused} times 503\n`);
    const addresses = invoices.map(({ paymentMethods }) => paymentMethods[0]?.destination);
    expect(addresses).not.to.include(undefined);
    expect(new Set(addresses).size).to.equal(INVOICES);
    const wallets = await service.db.query<{ next_index: number }[]>("SELECT next_index FROM wallets");
    expect(wallets).to.have.lengthOf(1);
    expect(wallets[0]?.next_index).to.be.within(INVOICES, INVOICES + refused);
    for (const { invoiceId } of invoices) await service.told(invoiceId, ["New/None"]);
    await service.verify();
    service.expectSigned();
    service.expectSigned(other);
  });
});
