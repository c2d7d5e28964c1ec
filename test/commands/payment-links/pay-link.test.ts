import { expect } from "chai";
import type { DataSource } from "typeorm";
import { archiveStore } from "../../../commands/stores/archive-store";
import { openCheckout } from "../../../commands/invoices/read-checkout";
import { readInvoice } from "../../../commands/invoices/read-invoice";
import { switchLightningOn } from "../../../commands/lightning/switch-lightning";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { payLink, type LinkRefusal } from "../../../commands/payment-links/pay-link";
import { openPaymentLink } from "../../../commands/payment-links/read-payment-link";
import {
  archivePaymentLink,
  createPaymentLink,
  type PaymentLinkInput,
} from "../../../commands/payment-links/write-payment-link";
import { Invoice } from "../../../entities/invoice";
import type { PaymentLink } from "../../../entities/payment-link";
import { Store } from "../../../entities/store";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore } from "../../support/factories";
import { LightningBench } from "../../support/lightning";

const DAY_MS = 86_400_000;
const NOON = new Date("2031-05-05T12:00:00Z");
const TEA = { description: "Tea", currency: "SATS", amounts: ["25000"], maxPerDay: 100, orderPrefix: "tea-" };

describe("a payment link", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  let keys = 0;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    store = await buildStore(ctx);
  });
  afterEach(() => db.destroy());

  const make = async (input: Partial<PaymentLinkInput> = {}): Promise<PaymentLink> =>
    (await createPaymentLink(ctx, store.id, { ...TEA, ...input })).link;
  const pay = async (
    { id }: PaymentLink,
    { typed = "25000", key = `key${++keys}` } = {},
  ): Promise<string> => {
    const paid = await payLink(ctx, await openPaymentLink(ctx, id), { typed, key });
    return "invoiceId" in paid ? paid.invoiceId : paid.refused;
  };
  const rowOf = (invoiceId: string) => db.manager.findOneByOrFail(Invoice, { id: invoiceId });

  it("creates ordinary invoices, whose order ids count up by link", async () => {
    const [tea, till] = [await make(), await make({ orderPrefix: "till-" })];
    const ids = [await pay(tea), await pay(till), await pay(tea)];
    const rows = await Promise.all(ids.map(rowOf));
    expect(rows.map(({ orderId }) => orderId)).to.deep.equal(["tea-1", "till-1", "tea-2"]);
    const [first] = rows;
    expect(first).to.include({ status: "New", amount: "25000", currency: "SATS", description: "Tea" });
    expect(JSON.parse(first?.metadata ?? "")).to.deep.equal({ orderId: "tea-1", linkId: tea.id });
  });

  it("creates one invoice for a page that is sent twice, even when that one has used the link up", async () => {
    const link = await make({ maxUses: 1 });
    const twice = await Promise.all([pay(link, { key: "same" }), pay(link, { key: "same" })]);
    expect(new Set(twice).size).to.equal(1);
    expect(await pay(link, { key: "same" }))
      .to.equal(twice[0])
      .and.to.match(/^inv_/);
    expect(await db.manager.countBy(Invoice, { storeId: store.id })).to.equal(1);
  });

  it("creates another invoice for a page that comes back when its own is paid or over", async () => {
    const link = await make();
    const first = await pay(link, { key: "back" });
    await markInvoice(ctx, store.id, first, { status: "Settled" });
    const second = await pay(link, { key: "back" });
    expect(second).to.match(/^inv_/).and.not.to.equal(first);
    expect(await pay(link, { key: "back" })).to.equal(second);
    await markInvoice(ctx, store.id, second, { status: "Invalid" });
    expect([first, second]).not.to.include(await pay(link, { key: "back" }));
  });

  it("allows its number of uses, and no more when several pay at once", async () => {
    const link = await make({ maxUses: 2 });
    const ends = await Promise.all(Array.from({ length: 6 }, () => pay(link)));
    expect(ends.filter((end) => end.startsWith("inv_"))).to.have.length(2);
    expect(ends.filter((end) => end === "used-up")).to.have.length(4);
    const made = await db.manager.findBy(Invoice, { paymentLinkId: link.id });
    expect(made.map(({ orderId }) => orderId).sort()).to.deep.equal(["tea-1", "tea-2"]);
  });

  it("can be used again for an invoice that was not paid", async () => {
    const link = await make({ maxUses: 1 });
    const unpaid = await pay(link);
    expect(await pay(link)).to.equal("used-up");
    await markInvoice(ctx, store.id, unpaid, { status: "Invalid" });
    const paid = await pay(link);
    await markInvoice(ctx, store.id, paid, { status: "Settled" });
    expect(await pay(link)).to.equal("used-up");
  });

  it("allows its number of invoices in a day, paid or not, and the next day again", async () => {
    ctx.clock.freeze(NOON);
    const link = await make({ maxPerDay: 2 });
    const ends = await Promise.all([pay(link), pay(link), pay(link)]);
    expect(ends.filter((end) => end === "day-used-up")).to.have.length(1);
    ctx.clock.freeze(new Date(NOON.getTime() + DAY_MS));
    expect((await rowOf(await pay(link))).orderId).to.equal("tea-3");
  });

  it("counts days in the store's time zone", async () => {
    await db.manager.update(Store, store.id, { timeZone: "Etc/GMT-12" });
    ctx.clock.freeze(new Date("2031-05-05T11:59:59Z"));
    const link = await make({ maxPerDay: 1 });
    expect(await pay(link)).to.match(/^inv_/);
    expect(await pay(link)).to.equal("day-used-up");
    ctx.clock.freeze(new Date("2031-05-05T12:00:00Z"));
    expect(await pay(link)).to.match(/^inv_/);
    ctx.clock.freeze(new Date("2031-05-06T00:00:00Z"));
    expect(await pay(link)).to.equal("day-used-up");
  });

  it("refuses each payment by its reason, and creates nothing", async () => {
    ctx.clock.freeze(NOON);
    const link = await make();
    const own = { amounts: null, minAmount: "100", maxAmount: "500" };
    const bounded = await make(own);
    const refused: string[] = [
      await pay(link, { typed: "24999" }),
      await pay(bounded, { typed: "99" }),
      await pay(bounded, { typed: "501" }),
      await pay(bounded, { typed: "100.5" }),
      await pay(bounded, { typed: "1.000,50" }),
      await pay(bounded, { typed: "-100" }),
      await pay(bounded, { typed: "1e2" }),
    ];
    expect(refused).to.deep.equal([
      ...Array<LinkRefusal>(4).fill("not-offered"),
      ...Array<LinkRefusal>(3).fill("unreadable-amount"),
    ]);
    const ending = await make({ endsAt: new Date(NOON.getTime() + 1_000) });
    ctx.clock.advance(1_000);
    expect(await pay(ending)).to.equal("ended");
    await archivePaymentLink(ctx, store.id, link.id, true);
    expect(await pay(link)).to.equal("archived");
    await archivePaymentLink(ctx, store.id, link.id, false);
    await archiveStore(ctx, store.id, true);
    expect(await pay(link)).to.equal("store-archived");
    expect(await db.manager.countBy(Invoice, { storeId: store.id })).to.equal(0);
  });

  it("reads amounts as people write them", async () => {
    const link = await make({ currency: "EUR", amounts: null, minAmount: "0.50", maxAmount: "500" });
    const amounts: string[] = [];
    for (const typed of ["12,50", " 12.5 ", ".5", "۱۲٫۵۰", "007"])
      amounts.push((await rowOf(await pay(link, { typed }))).amount);
    expect(amounts).to.deep.equal(["12.50", "12.5", "0.5", "12.50", "7"]);
    expect(await pay(link, { typed: "1,000" })).to.equal("not-offered");
  });

  it("leads back to itself where the next customer enters an amount, and otherwise where the merchant says", async () => {
    const own = { amounts: null, minAmount: "1", maxAmount: "25000" };
    const [till, shop, fixed] = [
      await make(own),
      await make({ ...own, redirectUrl: "https://shop.example/thanks" }),
      await make(),
    ];
    const urls = [];
    for (const link of [till, shop, fixed]) urls.push((await rowOf(await pay(link))).redirectUrl);
    expect(urls).to.deep.equal([
      `${ctx.settings.publicUrl}/p/${till.id}`,
      "https://shop.example/thanks",
      null,
    ]);
  });
});

describe("a payment link of a store with Lightning", () => {
  let bench: LightningBench;
  beforeEach(async () => (bench = await LightningBench.start()));
  afterEach(() => bench.stop());

  async function paid(): Promise<{ store: Store; invoiceId: string }> {
    const { ctx } = bench;
    const store = await buildStore(ctx);
    await switchLightningOn(ctx, store.id);
    const { link } = await createPaymentLink(ctx, store.id, TEA);
    const made = await payLink(ctx, await openPaymentLink(ctx, link.id), { typed: "25000", key: "a" });
    return { store, invoiceId: "invoiceId" in made ? made.invoiceId : made.refused };
  }

  it("uses up no address before the customer chooses to pay on-chain", async () => {
    const { ctx } = bench;
    const { store, invoiceId } = await paid();
    const reasons = async () =>
      (await readInvoice(ctx, store.id, invoiceId)).methods.map(({ type, reason }) => [type, reason]);
    await openCheckout(ctx, invoiceId);
    expect(await reasons()).to.deep.equal([
      ["BTC-CHAIN", "not-chosen"],
      ["BTC-LN", null],
    ]);
    expect(await ctx.db.query("SELECT script_pub_key FROM watched_scripts")).to.deep.equal([]);
    await openCheckout(ctx, invoiceId, { chosen: true });
    expect(await ctx.db.query("SELECT invoice_id FROM watched_scripts")).to.deep.equal([
      { invoice_id: invoiceId },
    ]);
  });

  it("closes an address that was never chosen with the invoice", async () => {
    const { ctx } = bench;
    const { store, invoiceId } = await paid();
    await markInvoice(ctx, store.id, invoiceId, { status: "Settled" });
    const [onchain] = (await readInvoice(ctx, store.id, invoiceId)).methods;
    expect(onchain).to.include({ type: "BTC-CHAIN", reason: "no-longer-payable" });
  });
});
