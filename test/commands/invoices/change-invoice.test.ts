import { expect } from "chai";
import { type DataSource, IsNull } from "typeorm";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { readInvoice } from "../../../commands/invoices/read-invoice";
import { resolveReview } from "../../../commands/reviews/resolve-review";
import { DomainError } from "../../../domain/errors";
import { Invoice } from "../../../entities/invoice";
import { InvoiceEvent } from "../../../entities/invoice-event";
import { Payment } from "../../../entities/payment";
import { Review } from "../../../entities/review";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { type TestContext, testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { roundTripsOf } from "../../support/round-trips";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../../support/factories";
import { lookedAtChain } from "../../support/looked-at-chain";

describe("change-invoice", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => (db = await testDatabase()));
  beforeEach(async () => {
    ctx = await testContext({ db });
    await lookedAtChain(ctx);
  });
  after(() => db.destroy());

  async function eventsOf(invoiceId: string): Promise<string[]> {
    const events = await db.manager.find(InvoiceEvent, { where: { invoiceId }, order: { seq: "ASC" } });
    return events.map(({ type, additionalStatus }) => `${type}/${additionalStatus}`);
  }
  const stateOf = async (invoiceId: string): Promise<string> => {
    const { status, additionalStatus } = await db.manager.findOneByOrFail(Invoice, { id: invoiceId });
    return `${status}/${additionalStatus}`;
  };
  const reviewsOf = async (invoiceId: string): Promise<string[]> =>
    (await db.manager.find(Review, { where: { invoiceId }, order: { createdAt: "ASC" } })).map(
      ({ reason, receivedSats, resolution }) => `${reason} ${receivedSats} ${resolution ?? "open"}`,
    );
  const resolve = async ({ id: invoiceId, storeId }: Invoice): Promise<void> => {
    const { id } = await db.manager.findOneByOrFail(Review, { invoiceId, resolvedAt: IsNull() });
    await resolveReview(ctx, storeId, id, { resolution: "kept" });
  };

  it("goes New, Processing, Settled with one event and one delivery each, however many processes decide at once", async () => {
    const store = await buildStore(ctx);
    await buildWebhook(ctx, store);
    const { invoice } = await buildInvoice(ctx, { store });
    const { id } = await buildPayment(ctx, invoice.id);
    await Promise.all(Array.from({ length: 8 }, () => changeInvoice(ctx, invoice.id)));
    expect(await stateOf(invoice.id)).to.equal("Processing/None");
    await db.manager.update(Payment, id, {
      state: "confirmed",
      blockHeight: 5,
      confirmedAt: await ctx.now(db.manager),
    });
    await Promise.all(Array.from({ length: 8 }, () => changeInvoice(ctx, invoice.id)));
    expect(await stateOf(invoice.id)).to.equal("Settled/None");
    expect(await eventsOf(invoice.id)).to.deep.equal(["New/None", "Processing/None", "Settled/None"]);
    expect(await db.manager.countBy(WebhookDelivery, { invoiceId: invoice.id })).to.equal(3);
    expect(ctx.jobsOf("webhook-delivery"), "the others wait for the first").to.have.length(1);
    const { paidSats, confirmedSats, decideAt } = await db.manager.findOneByOrFail(Invoice, {
      id: invoice.id,
    });
    expect({ paidSats, confirmedSats, decideAt }).to.deep.equal({
      paidSats: 100_000n,
      confirmedSats: 100_000n,
      decideAt: null,
    });
  });

  it("expires a partly paid invoice as Underpaid, and settles it when the rest comes late", async () => {
    const { invoice } = await buildInvoice(ctx);
    await buildPayment(ctx, invoice.id, { amountSats: 40_000n, state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    ctx.clock.advance(900_001);
    await lookedAtChain(ctx);
    await changeInvoice(ctx, invoice.id);
    expect(await stateOf(invoice.id)).to.equal("Expired/Underpaid");
    expect(await reviewsOf(invoice.id)).to.deep.equal(["underpaid 40000 open"]);
    await buildPayment(ctx, invoice.id, { amountSats: 60_000n, state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    expect(await stateOf(invoice.id)).to.equal("Settled/PaidAfterExpiration");
    expect(await reviewsOf(invoice.id)).to.deep.equal(["paid-late 100000 open"]);
  });

  it("marks by hand, refuses the same mark again, and only records payments to an invoice marked Invalid", async () => {
    const { invoice } = await buildInvoice(ctx);
    const { storeId } = invoice;
    const view = await markInvoice(ctx, storeId, invoice.id, {
      status: "Invalid",
      note: "cancelled by phone",
    });
    expect(view.invoice).to.include({
      status: "Invalid",
      markedByHand: "Invalid",
    });
    const again = await markInvoice(ctx, storeId, invoice.id, { status: "Invalid" }).catch(
      (error: unknown) => error,
    );
    expect(again).to.be.instanceOf(DomainError).with.property("code", "invalid-transition");
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    expect(await eventsOf(invoice.id)).to.deep.equal(["New/None", "Invalid/None"]);
    expect(await reviewsOf(invoice.id)).to.deep.equal(["paid-invalid 100000 open"]);
    expect((await readInvoice(ctx, storeId, invoice.id)).invoice.paidSats).to.equal(100_000n);
    await markInvoice(ctx, storeId, invoice.id, { status: "Settled" });
    expect(await reviewsOf(invoice.id), "the mark decided it").to.deep.equal([]);
    await markInvoice(ctx, storeId, invoice.id, { status: "Invalid" });
    expect(await eventsOf(invoice.id)).to.deep.equal([
      "New/None",
      "Invalid/None",
      "Settled/None",
      "Invalid/None",
    ]);
  });

  it("asks about an invoice once, and again after a new payment only", async () => {
    const { invoice } = await buildInvoice(ctx);
    ctx.clock.advance(900_001);
    await lookedAtChain(ctx);
    await changeInvoice(ctx, invoice.id);
    const pay = async (amountSats: bigint): Promise<string> => {
      ctx.clock.advance(1_000);
      const { id } = await buildPayment(ctx, invoice.id, { amountSats });
      await changeInvoice(ctx, invoice.id);
      return id;
    };
    const first = await pay(40_000n);
    expect(await reviewsOf(invoice.id)).to.deep.equal(["underpaid 40000 open"]);
    await resolve(invoice);
    await db.manager.update(Payment, first, { state: "confirmed", blockHeight: 5 });
    await changeInvoice(ctx, invoice.id);
    await markInvoice(ctx, invoice.storeId, invoice.id, { status: "Invalid" });
    expect(await reviewsOf(invoice.id), "nothing new came").to.deep.equal(["underpaid 40000 kept"]);
    const second = await pay(1_000n);
    expect(await reviewsOf(invoice.id)).to.deep.equal(["underpaid 40000 kept", "paid-invalid 41000 open"]);
    await resolve(invoice);
    await db.manager.update(Payment, second, { state: "replaced" });
    await changeInvoice(ctx, invoice.id);
    await pay(500n);
    expect((await reviewsOf(invoice.id)).at(-1), "less, but new").to.equal("paid-invalid 40500 open");
    await db.manager.update(Payment, { invoiceId: invoice.id }, { state: "evicted" });
    await changeInvoice(ctx, invoice.id);
    expect(await reviewsOf(invoice.id), "the money is gone").to.have.length(2);
  });

  it("asks about a payment to an archived invoice, and not about one that was paid before", async () => {
    for (const [archived, asked] of [
      ["before", ["paid-archived 100000 open"]],
      ["after", []],
    ] as const) {
      const { invoice } = await buildInvoice(ctx);
      const archive = async () =>
        db.manager.update(Invoice, invoice.id, { archivedAt: await ctx.now(db.manager) });
      if (archived === "before") await archive();
      ctx.clock.advance(1_000);
      await buildPayment(ctx, invoice.id, { state: "confirmed" });
      if (archived === "after") await archive();
      await changeInvoice(ctx, invoice.id);
      expect(await stateOf(invoice.id)).to.equal("Settled/None");
      expect(await reviewsOf(invoice.id)).to.deep.equal(asked);
    }
  });

  it("records an expiry that was due before a mark by hand before the mark", async () => {
    const { invoice } = await buildInvoice(ctx);
    ctx.clock.advance(900_001);
    await lookedAtChain(ctx);
    await markInvoice(ctx, invoice.storeId, invoice.id, { status: "Settled" });
    expect(await eventsOf(invoice.id)).to.deep.equal(["New/None", "Expired/None", "Settled/None"]);
  });

  it("writes state, event and deliveries together or not at all", async () => {
    const store = await buildStore(ctx);
    await buildWebhook(ctx, store);
    const { invoice } = await buildInvoice(ctx, { store });
    await buildPayment(ctx, invoice.id);
    const clumsy = {
      ...ctx,
      newId: (prefix: string) => (prefix === "whd" ? (null as never) : ctx.newId(prefix)),
    };
    const error = await changeInvoice(clumsy, invoice.id).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
    expect(await stateOf(invoice.id)).to.equal("New/None");
    expect(await eventsOf(invoice.id)).to.deep.equal(["New/None"]);
  });

  it("takes a round trip to lock and read, one to write, one to commit, one to release its delivery", async () => {
    const store = await buildStore(ctx);
    const { webhookId } = await buildWebhook(ctx, store);
    const paid: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      const { invoice } = await buildInvoice(ctx, { store });
      await buildPayment(ctx, invoice.id);
      paid.push(invoice.id);
    }
    await db.manager.update(WebhookDelivery, { webhookId }, { state: "delivered" });
    ctx.clock.freeze(await ctx.now(db.manager));
    const trips = await roundTripsOf(db, (behind) => changeInvoice({ ...ctx, db: behind }, paid.pop() ?? ""));
    expect(trips, "and one that notifies open pages").to.be.within(4, 5);
    const deliveries = await db.manager.findBy(WebhookDelivery, { webhookId });
    expect(deliveries.map(({ state }) => state)).to.have.members([
      "delivered",
      "delivered",
      "queued",
      "queued",
    ]);
  });
});
