import { expect } from "chai";
import type { DataSource } from "typeorm";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import { deriveAddress } from "../../support/derive-address";
import { Invoice } from "../../../entities/invoice";
import { InvoiceEvent } from "../../../entities/invoice-event";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import { WatchedScript } from "../../../entities/watched-script";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { type TestContext, testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore, buildWebhook, newXpub } from "../../support/factories";

describe("create-invoice", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => (db = await testDatabase(20)));
  beforeEach(async () => (ctx = await testContext({ db })));
  after(() => db.destroy());

  it("gives a new invoice the store's defaults, an address of the store's wallet and a New event with its delivery", async () => {
    const xpub = newXpub();
    const store = await buildStore(ctx, { wallet: { xpub, startIndex: 7 } });
    const { webhookId } = await buildWebhook(ctx, store);
    const { invoice, methods, payments } = await createInvoice(ctx, store.id, {
      amount: "0.001",
      currency: "BTC",
    });
    expect(invoice).to.include({
      status: "New",
      additionalStatus: "None",
      dueSats: 100_000n,
      minDueSats: 100_000n,
      requiredConfirmations: 1,
    });
    expect(invoice.id).to.match(/^inv_[1-9A-HJ-NP-Za-km-z]{22,}$/);
    expect(invoice.expiresAt.getTime() - invoice.createdAt.getTime()).to.equal(900_000);
    expect(invoice.monitoringUntil.getTime() - invoice.expiresAt.getTime()).to.equal(86_400_000);
    expect(methods.map((method) => method.destination)).to.deep.equal([
      deriveAddress({ xpub, scriptType: "wpkh" }, 7, "regtest").address,
    ]);
    expect(payments).to.deep.equal([]);
    const event = await db.manager.findOneByOrFail(InvoiceEvent, { invoiceId: invoice.id });
    expect(event.body?.toString()).to.equal(
      `{"type":"New","invoiceId":"${invoice.id}","metadata":{"orderId":"${invoice.id}"},"additionalStatus":"None"}`,
    );
    const [delivery, ...others] = await db.manager.findBy(WebhookDelivery, { invoiceId: invoice.id });
    expect(others).to.deep.equal([]);
    expect(delivery).to.include({ webhookId, eventId: event.id, state: "queued" });
    expect(ctx.jobsOf("webhook-delivery")).to.deep.equal([{ deliveryId: delivery?.id, attempt: 1 }]);
    expect(ctx.jobsOf("invoice-expiry")).to.deep.equal([{ invoiceId: invoice.id }]);
    const { options } = ctx.jobs.find(({ queue }) => queue === "invoice-expiry") ?? {};
    expect(options).to.deep.equal({ delayMs: invoice.expiresAt.getTime() - invoice.createdAt.getTime() });
  });

  it("gives 200 concurrent invoices of two stores with one wallet 200 addresses without gaps", async () => {
    const wallet = { xpub: newXpub() };
    const stores = [await buildStore(ctx, { wallet }), await buildStore(ctx, { wallet })];
    const views = await Promise.all(
      Array.from({ length: 200 }, (_, i) => buildInvoice(ctx, { store: stores[i % 2]! })),
    );
    expect(new Set(views.map(({ methods }) => methods[0]?.destination)).size).to.equal(200);
    const { walletId } = await db.manager.findOneByOrFail(StorePaymentMethod, { storeId: stores[0]!.id });
    const scripts = await db.manager.find(WatchedScript, {
      where: { walletId: walletId ?? "" },
      order: { addressIndex: "ASC" },
    });
    expect(scripts.map(({ addressIndex }) => addressIndex)).to.deep.equal(views.map((_, index) => index));
  });

  it("takes no address for an invoice that is not written, so that a failure leaves no gap", async () => {
    const xpub = newXpub();
    const store = await buildStore(ctx, { wallet: { xpub } });
    const failed: unknown = await createInvoice(
      ctx,
      store.id,
      { amount: "1000", currency: "SATS" },
      (_, view) => {
        throw new Error(`not written: ${view.methods[0]?.destination}`);
      },
    ).catch((error: unknown) => error);
    const { address } = deriveAddress({ xpub, scriptType: "wpkh" }, 0, "regtest");
    expect(failed).to.have.property("message", `not written: ${address}`);
    const { methods } = await buildInvoice(ctx, { store });
    expect(methods[0]?.destination).to.equal(address);
  });

  it("writes a batch exactly as it writes one invoice: each with its own fields and deliveries", async () => {
    const stores = [await buildStore(ctx), await buildStore(ctx), await buildStore(ctx)];
    const { webhookId } = await buildWebhook(ctx, stores[0]!);
    const texts = [
      "NULL",
      "",
      "{}",
      '"a","b"',
      "back\\slash",
      "line\nbreak",
      "ünïcödé ₿",
      "{NULL,1}",
      "\\x00",
    ];
    const asked = [...texts, ...texts].map((text, at) => ({
      store: stores[at % 3]!,
      description: text,
      metadataJson: JSON.stringify({ orderId: text, at }),
      amount: String(1_000 + at),
    }));
    const views = await Promise.all(
      asked.map(({ store, ...input }) => createInvoice(ctx, store.id, { ...input, currency: "SATS" })),
    );
    for (const [at, { store, description, metadataJson, amount }] of asked.entries()) {
      const view = views[at]!;
      const row = await db.manager.findOneByOrFail(Invoice, { id: view.invoice.id });
      expect(row).to.include({
        storeId: store.id,
        description,
        metadata: metadataJson,
        orderId: description,
      });
      expect(row).to.deep.equal(db.manager.create(Invoice, view.invoice));
      expect(row.dueSats).to.equal(BigInt(amount));
      const event = await db.manager.findOneByOrFail(InvoiceEvent, { invoiceId: row.id });
      expect(event.body?.toString()).to.contain(`"metadata":${metadataJson},`);
      const told = await db.manager.findBy(WebhookDelivery, { invoiceId: row.id });
      expect(told.map((delivery) => [delivery.webhookId, delivery.eventId])).to.deep.equal(
        store === stores[0] ? [[webhookId, event.id]] : [],
      );
    }
    expect(ctx.jobsOf("webhook-delivery"), "as many as an endpoint gets at a time").to.have.length(4);
  });

  it("fails no other invoice of the batch when an address is taken", async () => {
    const [store, other] = [await buildStore(ctx), await buildStore(ctx)];
    const method = await db.manager.findOneByOrFail(StorePaymentMethod, { storeId: store.id });
    await Promise.all([buildInvoice(ctx, { store }), buildInvoice(ctx, { store })]);
    await db.query("UPDATE wallets SET next_index = 0 WHERE id = $1", [method.walletId]);
    const views = await Promise.all(
      Array.from({ length: 20 }, (_, at) => buildInvoice(ctx, { store: at % 2 === 0 ? store : other })),
    );
    const scripts = await db.manager.find(WatchedScript, {
      where: { walletId: method.walletId ?? "" },
      order: { addressIndex: "ASC" },
    });
    expect(scripts.map(({ addressIndex }) => addressIndex)).to.deep.equal(
      Array.from({ length: 12 }, (_, index) => index),
    );
    expect(new Set(views.map(({ methods }) => methods[0]?.destination)).size).to.equal(20);
    expect(await db.manager.countBy(InvoiceEvent, { storeId: other.id })).to.equal(10);
  });
});
