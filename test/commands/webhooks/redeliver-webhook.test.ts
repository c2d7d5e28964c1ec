import { expect } from "chai";
import type { DataSource } from "typeorm";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { sweepDeliveries } from "../../../commands/webhooks/release";
import { redeliverWebhook, redeliverWebhooks } from "../../../commands/webhooks/redeliver-webhook";
import { DomainError } from "../../../domain/errors";
import type { DeliveryState } from "../../../domain/webhook/claim";
import { InvoiceEvent } from "../../../entities/invoice-event";
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

  it("accepts one of five at once and refuses four", async () => {
    const { id } = await failed();
    ctx.jobs.length = 0;
    const answers = await Promise.all(Array.from({ length: 5 }, () => redeliver(id)));
    expect(answers.sort()).to.deep.equal([...Array<string>(4).fill("delivery-in-progress"), "ok"]);
    expect(ctx.jobsOf("webhook-delivery")).to.deep.equal([{ deliveryId: id, attempt: 2 }]);
    expect(await again(id)).to.include({ state: "queued", requestedAttempt: 2, attemptCount: 1 });
  });

  it("sends the same bytes again under the next number", async () => {
    const { id } = await delivered();
    await redeliver(id);
    await attemptWebhook(ctx, { deliveryId: id });
    const [first, second] = receiver.of(id);
    expect(first && second?.body.equals(first.body)).to.equal(true);
    expect(second?.headers["x-service-attempt"]).to.equal("2");
    expect(second?.headers["x-service-event-id"]).to.equal(first?.headers["x-service-event-id"]);
    expect(await again(id)).to.include({ state: "delivered", attemptCount: 2 });
  });

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

  it("refuses a delivery whose body was deleted", async () => {
    const { id, eventId } = await delivered();
    await db.manager.update(InvoiceEvent, eventId, { body: null });
    expect(await redeliver(id)).to.equal("pruned");
    expect(await redeliverWebhooks(ctx, { storeId: store.id }, { state: "delivered" })).to.equal(0);
    expect(await again(id)).to.include({ state: "delivered", requestedAttempt: 1 });
  });

  it("does not find a delivery of another store or of another webhook", async () => {
    const { id } = await failed();
    const other = await buildStore(ctx);
    const foreign = [
      { storeId: other.id, deliveryId: id },
      { storeId: store.id, webhookId: "wh_other", deliveryId: id },
      { storeId: store.id, deliveryId: "whd_none" },
    ];
    for (const name of foreign) {
      const error = await redeliverWebhook(ctx, name).catch((e: unknown) => e);
      expect(error).to.be.an.instanceOf(DomainError).and.include({ code: "delivery-not-found" });
    }
    expect(await redeliverWebhooks(ctx, { storeId: other.id }, {})).to.equal(0);
    expect((await again(id)).state).to.equal("failed");
  });

  it("is enqueued again by the sweep when the queue lost it, and is sent exactly once", async () => {
    const { id } = await failed();
    await redeliver(id);
    ctx.jobs.length = 0;
    ctx.clock.advance(10_000);
    for (let n = 0; n < 3; n += 1) await sweepDeliveries(ctx);
    const jobs = ctx.jobsOf("webhook-delivery").filter(({ deliveryId }) => deliveryId === id);
    expect(jobs).to.deep.equal(Array<object>(3).fill({ deliveryId: id, attempt: 2 }));
    await Promise.all(jobs.map(() => attemptWebhook(ctx, { deliveryId: id })));
    ctx.jobs.length = 0;
    await sweepDeliveries(ctx);
    expect(ctx.jobsOf("webhook-delivery").filter(({ deliveryId }) => deliveryId === id)).to.have.length(0);
    expect(receiver.of(id)).to.have.length(2);
  });

  describe("of many", () => {
    const states = (rows: readonly WebhookDelivery[]): Promise<DeliveryState[]> =>
      Promise.all(rows.map(async ({ id }) => (await again(id)).state));

    it("sends the failed ones by default, up to the endpoint's concurrency limit", async () => {
      const rows = [await failed(), await failed(), await delivered(), await delivery()];
      ctx.jobs.length = 0;
      expect(await redeliverWebhooks(ctx, { storeId: store.id, webhookId }, {})).to.equal(2);
      expect(await states(rows)).to.deep.equal(["queued", "queued", "delivered", "queued"]);
      expect(ctx.jobsOf("webhook-delivery")).to.have.deep.members([
        { deliveryId: rows[0]?.id, attempt: 2 },
        { deliveryId: rows[1]?.id, attempt: 2 },
      ]);
      expect(await redeliverWebhooks(ctx, { storeId: store.id, webhookId }, {})).to.equal(0);
    });

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
      expect(await redeliverWebhooks(ctx, scope, { state: "pending" })).to.equal(0);
      expect(await redeliverWebhooks(ctx, scope, { state, type: "Expired" })).to.equal(0);
      expect(await redeliverWebhooks(ctx, scope, { state, until: before })).to.equal(0);
      expect(await redeliverWebhooks(ctx, scope, { state, type: "Settled" })).to.equal(1);
      expect(await states([one, two, settled])).to.deep.equal(["delivered", "delivered", "queued"]);
      expect(await redeliverWebhooks(ctx, scope, { state, invoiceId: two.invoiceId })).to.equal(1);
      expect(await redeliverWebhooks(ctx, scope, { state, since: before })).to.equal(1);
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
