import { expect } from "chai";
import type { DataSource } from "typeorm";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { redeliverWebhook, redeliverWebhooks } from "../../../commands/webhooks/redeliver-webhook";
import { DomainError } from "../../../domain/errors";
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

  it("does not find a delivery of another webhook", async () => {
    const { id } = await failed();
    const place = { storeId: store.id, webhookId: "wh_other", deliveryId: id };
    const error = await redeliverWebhook(ctx, place).catch((e: unknown) => e);
    expect(error).to.be.an.instanceOf(DomainError).and.include({ code: "delivery-not-found" });
    expect((await again(id)).state).to.equal("failed");
  });

  describe("of many", () => {
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
