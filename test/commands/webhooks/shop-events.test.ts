import { expect } from "chai";
import type { DataSource } from "typeorm";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { eraseInvoice } from "../../../commands/invoices/erase-invoice";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { listDeliveries } from "../../../commands/webhooks/list-deliveries";
import { readDeliveryRequest } from "../../../commands/webhooks/read-delivery-request";
import { redeliverWebhook } from "../../../commands/webhooks/redeliver-webhook";
import { rotateWebhookSecret } from "../../../commands/webhooks/rotate-webhook-secret";
import { testWebhook } from "../../../commands/webhooks/test-webhook";
import type { DomainError } from "../../../domain/errors";
import { webhookSecretBytes } from "../../../domain/webhook/signature";
import { withoutUnderscore } from "../../../domain/greenfield/id-text";
import { Payment } from "../../../entities/payment";
import type { Store } from "../../../entities/store";
import { Webhook } from "../../../entities/webhook";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../../support/factories";
import { checkInvariants } from "../../support/invariants";
import { startReceiver, type Receiver } from "../../support/receiver";
import {
  buildShopWebhook,
  type ShopEvent,
  shopEventOf,
  shopSignatureHolds,
} from "../../support/shop-webhook";

describe("webhooks of shop plugins", () => {
  let db: DataSource;
  let ctx: TestContext;
  let receiver: Receiver;
  let store: Store;

  before(async () => void (db = await testDatabase()));
  beforeEach(async () => {
    ctx = await testContext({ db });
    receiver = await startReceiver();
    store = await buildStore(ctx);
  });
  afterEach(async () => {
    await receiver.close();
    await checkInvariants(db, receiver);
  });
  after(() => db.destroy());

  const hook = (given = {}) => buildShopWebhook(ctx, store, `${receiver.url}/shop`, given);
  /** Does the jobs that were asked for, until there are none. */
  async function deliver(): Promise<void> {
    while (ctx.jobsOf("webhook-delivery").length > 0) {
      const jobs = ctx.jobsOf("webhook-delivery");
      ctx.jobs.length = 0;
      for (const { deliveryId } of jobs) await attemptWebhook(ctx, { deliveryId });
    }
  }
  const received = (): ShopEvent[] => receiver.at("/shop").map(shopEventOf);
  const types = (): string[] => received().map(({ type }) => type);
  const deliveriesOf = (webhookId: string): Promise<WebhookDelivery[]> =>
    db.manager.find(WebhookDelivery, { where: { webhookId }, order: { eventSeq: "ASC", part: "ASC" } });

  it("a mark that an excess follows in the same decision settles the order once", async () => {
    await hook();
    const { invoice } = await buildInvoice(ctx, { store });
    await markInvoice(ctx, store.id, invoice.id, { status: "Invalid" });
    await buildPayment(ctx, invoice.id, { state: "confirmed", amountSats: 110_000n });
    await markInvoice(ctx, store.id, invoice.id, { status: "Settled" });
    await deliver();
    expect(types()).to.deep.equal([
      "InvoiceCreated",
      "InvoiceInvalid",
      "InvoiceSettled",
      "InvoicePaymentSettled",
    ]);
  });

  it("parts of one event are listed in their order, the last first", async () => {
    const webhookId = await hook();
    const { invoice } = await buildInvoice(ctx, { store });
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    const shown: (string | null)[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await listDeliveries(ctx, { storeId: store.id, webhookId }, {}, { limit: 2, cursor });
      shown.push(...page.items.map(({ delivery }) => delivery.dialectType));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(shown).to.deep.equal([
      "InvoiceSettled",
      "InvoicePaymentSettled",
      "InvoiceProcessing",
      "InvoiceReceivedPayment",
      "InvoiceCreated",
    ]);
  });

  it("a generated secret is not one of Standard Webhooks, so that an older version sends nothing with it", async () => {
    const made = await createWebhook(ctx, {
      storeId: store.id,
      url: `${receiver.url}/shop`,
      dialect: { automaticRedelivery: true, specificEvents: null, secret: null },
    });
    const rotated = await rotateWebhookSecret(ctx, store.id, made.webhook.id, 0);
    for (const { secret } of [made, rotated]) {
      expect(secret).to.match(/^[0-9a-f]{64}$/);
      expect(() => webhookSecretBytes(secret)).to.throw("begins with whsec_");
    }
    expect(rotated.secret).to.not.equal(made.secret);
  });

  it("get the parts of each event in order, one after the other, signed with the secret as it was given", async () => {
    const webhookId = await hook();
    receiver.answer("/shop", { kind: "status", status: 200, holdMs: 20 });
    const metadata = { orderId: "1001", posData: "{}", "9": null };
    const { invoice } = await buildInvoice(ctx, { store, metadataJson: JSON.stringify(metadata) });
    const { firstSeenAt, txid } = await buildPayment(ctx, invoice.id, { amountSats: 120_000n });
    await changeInvoice(ctx, invoice.id);
    await db.manager.update(
      Payment,
      { txid },
      { state: "confirmed", confirmedAt: firstSeenAt, blockHeight: 1 },
    );
    await changeInvoice(ctx, invoice.id);
    await deliver();
    expect(types()).to.deep.equal([
      "InvoiceCreated",
      "InvoiceReceivedPayment",
      "InvoiceProcessing",
      "InvoicePaymentSettled",
      "InvoiceSettled",
    ]);
    expect(receiver.mostOpen("/shop")).to.equal(1);
    for (const request of receiver.at("/shop")) {
      expect(shopSignatureHolds(request)).to.equal(true);
      expect(request.headers).to.include({ "content-type": "application/json", "x-service-attempt": "1" });
      expect(request.headers).to.not.have.any.keys("x-service-sig", "webhook-id", "webhook-signature");
    }
    const rows = await deliveriesOf(webhookId);
    expect(rows.map(({ part }) => part)).to.deep.equal([0, 0, 1, 0, 1]);
    const [createdEvent, receivedPayment, processing, paymentSettled, settled] = received();
    expect(createdEvent).to.deep.equal({
      deliveryId: withoutUnderscore(rows[0]?.id ?? ""),
      webhookId: withoutUnderscore(webhookId),
      originalDeliveryId: withoutUnderscore(rows[0]?.id ?? ""),
      isRedelivery: false,
      type: "InvoiceCreated",
      timestamp: Math.floor((rows[0]?.createdAt.getTime() ?? 0) / 1000),
      storeId: store.id,
      invoiceId: withoutUnderscore(invoice.id),
      metadata,
    });
    expect(receivedPayment).to.include({ afterExpiration: false, paymentMethodId: "BTC-CHAIN" });
    expect(receivedPayment?.["payment"]).to.deep.include({
      id: `${txid}-0`,
      receivedDate: Math.floor(firstSeenAt.getTime() / 1000),
      value: "0.00120000",
      status: "Processing",
    });
    expect((receivedPayment?.["payment"] as { destination: string }).destination).to.match(/^bcrt1/);
    expect(processing).to.include({ overPaid: true });
    expect(paymentSettled?.["payment"]).to.include({ status: "Settled" });
    expect(settled).to.include({ manuallyMarked: false, overPaid: true });
  });

  it("say what was true when the event was written, whatever the invoice became meanwhile", async () => {
    await hook({ specificEvents: ["InvoiceProcessing", "InvoiceSettled", "InvoiceInvalid"] });
    const { invoice } = await buildInvoice(ctx, { store });
    const { txid, firstSeenAt } = await buildPayment(ctx, invoice.id);
    await changeInvoice(ctx, invoice.id);
    await buildPayment(ctx, invoice.id, { state: "confirmed", amountSats: 5_000n });
    await db.manager.update(
      Payment,
      { txid },
      { state: "confirmed", confirmedAt: firstSeenAt, blockHeight: 1 },
    );
    await changeInvoice(ctx, invoice.id);
    await markInvoice(ctx, store.id, invoice.id, { status: "Invalid" });
    await deliver();
    expect(
      received().map(({ type, overPaid, manuallyMarked }) => [type, overPaid, manuallyMarked]),
    ).to.deep.equal([
      ["InvoiceProcessing", false, undefined],
      ["InvoiceSettled", true, false],
      ["InvoiceInvalid", undefined, true],
    ]);
  });

  it("have no row for a part that was not asked for, and none for an unknown name", async () => {
    const webhookId = await hook({ specificEvents: ["InvoiceSettled", "InvoiceSomethingNew"] });
    const { invoice } = await buildInvoice(ctx, { store });
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    const rows = await deliveriesOf(webhookId);
    expect(rows.map(({ dialectType, part }) => [dialectType, part])).to.deep.equal([["InvoiceSettled", 0]]);
    await deliver();
    expect(types()).to.deep.equal(["InvoiceSettled"]);
  });

  it("leave a native webhook of the same store as it is", async () => {
    await hook();
    const native = await buildWebhook(ctx, store, `${receiver.url}/native`);
    const { invoice } = await buildInvoice(ctx, { store });
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    await deliver();
    const bodies = receiver.at("/native").map(({ body }) => JSON.parse(body.toString()) as object);
    expect(bodies.map((body) => Object.keys(body))).to.deep.equal(
      Array(2).fill(["type", "invoiceId", "metadata", "additionalStatus"]),
    );
    expect(types()).to.have.length(5);
    const rows = await deliveriesOf(native.webhookId);
    for (const row of rows) expect(row).to.include({ part: 0, dialectType: null, retryAt: null });
  });

  it("are sent the same bytes again by hand, and show the request that was sent", async () => {
    const webhookId = await hook();
    await buildInvoice(ctx, { store });
    const [row] = await deliveriesOf(webhookId);
    const deliveryId = row?.id ?? "";
    const name = { storeId: store.id, webhookId, deliveryId };
    const unsent = await readDeliveryRequest(ctx, name);
    expect(unsent.headers).to.not.have.any.keys("webhook-id", "BTCPay-Sig");
    await deliver();
    await redeliverWebhook(ctx, name);
    await deliver();
    const [first, second] = receiver.at("/shop");
    expect(second && first?.body.equals(second.body)).to.equal(true);
    expect(unsent.body.equals(first?.body ?? Buffer.alloc(0))).to.equal(true);
    const sent = await readDeliveryRequest(ctx, name);
    expect(sent.headers["BTCPay-Sig"]).to.equal(second?.headers["btcpay-sig"]);
    await eraseInvoice(ctx, store.id, row?.invoiceId ?? "");
    const refused: unknown = await redeliverWebhook(ctx, name).catch((error: unknown) => error);
    expect((refused as DomainError).code).to.equal("pruned");
  });

  it("get a test as an invoice that plugins know as one", async () => {
    const webhookId = await hook({ specificEvents: [] });
    for (const type of ["New", "Processing", "Settled", "Expired", "Invalid"] as const)
      await testWebhook(ctx, { storeId: store.id, webhookId }, type);
    await deliver();
    expect(types()).to.deep.equal([
      "InvoiceCreated",
      "InvoiceProcessing",
      "InvoiceSettled",
      "InvoiceExpired",
      "InvoiceInvalid",
    ]);
    for (const { invoiceId, storeId } of received()) {
      expect(invoiceId)
        .to.include("__test__")
        .and.to.match(/^inv_test/);
      expect(storeId).to.equal(store.id);
    }
  });

  it("are signed with the new secret alone after a rotation", async () => {
    const webhookId = await hook();
    const { secret } = await rotateWebhookSecret(ctx, store.id, webhookId, 3_600);
    const row = await db.manager.findOneByOrFail(Webhook, { id: webhookId });
    expect(row).to.include({ previousSecretEncrypted: null, previousSecretUntil: null });
    await buildInvoice(ctx, { store });
    await deliver();
    const [request] = receiver.at("/shop");
    expect(request && shopSignatureHolds(request, secret)).to.equal(true);
  });
});
