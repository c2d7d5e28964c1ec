import { expect } from "chai";
import type { DataSource } from "typeorm";
import { utcDay } from "../../../domain/time-zone";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { redeliverWebhook, redeliverWebhooks } from "../../../commands/webhooks/redeliver-webhook";
import { DomainError } from "../../../domain/errors";
import type { DeliveryState } from "../../../domain/webhook/claim";
import type { Store } from "../../../entities/store";
import { Webhook } from "../../../entities/webhook";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore, buildWebhook } from "../../support/factories";
import { checkInvariants } from "../../support/invariants";
import { startReceiver, type Receiver } from "../../support/receiver";

describe("redeliver-webhook", () => {
  let db: DataSource;
  let ctx: TestContext;
  let receiver: Receiver;
  let store: Store;
  let webhookId: string;

  before(async () => (db = await testDatabase()));
  beforeEach(async () => {
    ctx = await testContext({ db });
    receiver = await startReceiver();
    store = await buildStore(ctx);
    ({ webhookId } = await buildWebhook(ctx, store, `${receiver.url}/hook`));
  });
  afterEach(async () => {
    await receiver.close();
    await checkInvariants(db);
  });
  after(() => db.destroy());

  async function delivery(): Promise<WebhookDelivery> {
    const { invoice } = await buildInvoice(ctx, { store });
    return db.manager.findOneByOrFail(WebhookDelivery, { invoiceId: invoice.id });
  }
  async function delivered(): Promise<WebhookDelivery> {
    const { id } = await delivery();
    await attemptWebhook(ctx, { deliveryId: id });
    return again(id);
  }
  async function failed(): Promise<WebhookDelivery> {
    receiver.answer("/hook", { kind: "status", status: 500 });
    const row = await delivered();
    receiver.answer("/hook", { kind: "status", status: 200 });
    return row;
  }
  const again = (id: string): Promise<WebhookDelivery> => db.manager.findOneByOrFail(WebhookDelivery, { id });
  const redeliver = (deliveryId: string): Promise<string> =>
    redeliverWebhook(ctx, { storeId: store.id, webhookId, deliveryId }).then(
      () => "ok",
      (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
    );

  it("refuses a delivery that has not been sent yet or is being sent", async () => {
    const { id } = await delivery();
    expect(await redeliver(id)).to.equal("delivery-in-progress");
    let release = (): void => undefined;
    const holdUntil = new Promise<void>((resolve) => (release = resolve));
    receiver.answer("/hook", { kind: "status", status: 200, holdUntil });
    const sending = attemptWebhook(ctx, { deliveryId: id });
    while ((await again(id)).state === "queued") expect(await redeliver(id)).to.equal("delivery-in-progress");
    expect(await redeliver(id)).to.equal("delivery-in-progress");
    release();
    await sending;
    expect(await redeliver(id)).to.equal("ok");
  });

  it("does not find a delivery of another webhook", async () => {
    const { id } = await failed();
    const place = { storeId: store.id, webhookId: "wh_other", deliveryId: id };
    const error = await redeliverWebhook(ctx, place).catch((e: unknown) => e);
    expect(error).to.be.an.instanceOf(DomainError).and.include({ code: "delivery-not-found" });
    expect((await again(id)).state).to.equal("failed");
  });

  describe("of many", () => {
    const states = (rows: readonly WebhookDelivery[]): Promise<DeliveryState[]> =>
      Promise.all(rows.map(async ({ id }) => (await again(id)).state));

    it("filters by the given state, type, invoice and times", async () => {
      const [one, two] = [await delivered(), await delivered()];
      await markInvoice(ctx, store.id, two.invoiceId, { status: "Settled" });
      const settled = await db.manager.findOneByOrFail(WebhookDelivery, {
        invoiceId: two.invoiceId,
        state: "queued",
      });
      await attemptWebhook(ctx, { deliveryId: settled.id });
      const scope = { storeId: store.id, webhookId };
      const state = "delivered" as const;
      const before = one.createdAt.toISOString();
      const today = utcDay(await ctx.now(db.manager));
      expect(await redeliverWebhooks(ctx, scope, { state: "pending" })).to.equal(0);
      expect(await redeliverWebhooks(ctx, scope, { state, type: "Expired" })).to.equal(0);
      expect(await redeliverWebhooks(ctx, scope, { state, until: before })).to.equal(0);
      expect(await redeliverWebhooks(ctx, scope, { state, type: "Settled" })).to.equal(1);
      expect(await states([one, two, settled])).to.deep.equal(["delivered", "delivered", "queued"]);
      expect(await redeliverWebhooks(ctx, scope, { state, invoiceId: two.invoiceId })).to.equal(1);
      expect(await redeliverWebhooks(ctx, scope, { state, since: before, until: today })).to.equal(1);
      expect(await states([one, two, settled])).to.deep.equal(["queued", "queued", "queued"]);
    });

    it("omits deleted webhooks unless they are named", async () => {
      const { id } = await failed();
      await db.manager.update(Webhook, webhookId, { deletedAt: await ctx.now(db.manager) });
      expect(await redeliverWebhooks(ctx, { storeId: store.id }, {})).to.equal(0);
      expect(await redeliverWebhooks(ctx, { storeId: store.id, webhookId }, {})).to.equal(1);
      await attemptWebhook(ctx, { deliveryId: id });
      expect((await again(id)).state).to.equal("delivered");
    });
  });
});
