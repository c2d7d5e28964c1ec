import { expect } from "chai";
import type { DataSource } from "typeorm";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { readInvoice } from "../../../commands/invoices/read-invoice";
import { DomainError } from "../../../domain/errors";
import { Alert } from "../../../entities/alert";
import { Invoice } from "../../../entities/invoice";
import { InvoiceEvent } from "../../../entities/invoice-event";
import { Payment } from "../../../entities/payment";
import { PaymentMethodSync } from "../../../entities/payment-method-sync";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { type TestContext, testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../../support/factories";

describe("change-invoice", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => (db = await testDatabase()));
  beforeEach(async () => {
    ctx = await testContext({ db });
    await catchUp();
  });
  after(() => db.destroy());

  async function catchUp(): Promise<void> {
    const now = await ctx.now(db.manager);
    await db.manager.upsert(
      PaymentMethodSync,
      { type: "BTC-CHAIN", caughtUpTo: now, checkedAt: now, synchronized: true },
      ["type"],
    );
  }
  async function eventsOf(invoiceId: string): Promise<string[]> {
    const events = await db.manager.find(InvoiceEvent, { where: { invoiceId }, order: { seq: "ASC" } });
    return events.map(({ type, additionalStatus }) => `${type}/${additionalStatus}`);
  }
  const stateOf = async (invoiceId: string): Promise<string> => {
    const { status, additionalStatus } = await db.manager.findOneByOrFail(Invoice, { id: invoiceId });
    return `${status}/${additionalStatus}`;
  };
  const alertsOf = async (invoiceId: string): Promise<string[]> =>
    (await db.manager.findBy(Alert, { invoiceId }))
      .map(({ kind, resolvedAt }) => `${kind}${resolvedAt ? " resolved" : ""}`)
      .sort();

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
    await catchUp();
    await changeInvoice(ctx, invoice.id);
    expect(await stateOf(invoice.id)).to.equal("Expired/Underpaid");
    expect(await alertsOf(invoice.id)).to.deep.equal(["part-payment"]);
    const { message } = await ctx.db.manager.findOneByOrFail(Alert, { invoiceId: invoice.id });
    expect(message).to.match(/^inv_\w+: 40000 of 100000 sats arrived, and the time is up: /);
    await buildPayment(ctx, invoice.id, { amountSats: 60_000n, state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    expect(await stateOf(invoice.id)).to.equal("Settled/PaidAfterExpiration");
    expect(await alertsOf(invoice.id)).to.include("late-payment");
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
      markNote: "cancelled by phone",
    });
    const again = await markInvoice(ctx, storeId, invoice.id, { status: "Invalid" }).catch(
      (error: unknown) => error,
    );
    expect(again).to.be.instanceOf(DomainError).with.property("code", "invalid-transition");
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    expect(await eventsOf(invoice.id)).to.deep.equal(["New/None", "Invalid/None"]);
    expect(await alertsOf(invoice.id)).to.deep.equal(["payment-to-invalid-invoice"]);
    expect((await readInvoice(ctx, storeId, invoice.id)).invoice.paidSats).to.equal(100_000n);
    await markInvoice(ctx, storeId, invoice.id, { status: "Settled" });
    await markInvoice(ctx, storeId, invoice.id, { status: "Invalid" });
    expect(await eventsOf(invoice.id)).to.deep.equal([
      "New/None",
      "Invalid/None",
      "Settled/None",
      "Invalid/None",
    ]);
  });

  it("alerts for every late payment, also while an earlier one's alert is open", async () => {
    const { invoice } = await buildInvoice(ctx);
    ctx.clock.advance(900_001);
    await catchUp();
    for (const amountSats of [40_000n, 1_000n]) {
      await buildPayment(ctx, invoice.id, { amountSats, state: "pending" });
      await changeInvoice(ctx, invoice.id);
      await changeInvoice(ctx, invoice.id);
    }
    const late = (await alertsOf(invoice.id)).filter((kind) => kind === "late-payment");
    expect(late).to.have.length(2);
  });

  it("records an expiry that was due before a mark by hand before the mark", async () => {
    const { invoice } = await buildInvoice(ctx);
    ctx.clock.advance(900_001);
    await catchUp();
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
});
