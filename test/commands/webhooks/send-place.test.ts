import { expect } from "chai";
import type { DataSource } from "typeorm";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { changeWebhook } from "../../../commands/webhooks/change-webhook";
import type { JobOutcome } from "../../../commands/jobs";
import { loadDelivery } from "../../../commands/webhooks/load-delivery";
import type { WebhookAnswer } from "../../../commands/ports";
import type { Store } from "../../../entities/store";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../../support/factories";
import { breaksInvariants } from "../../support/invariants-always";

const OF_STORE_AND_HOST = 16;

describe("a worker's slots for requests", () => {
  let db: DataSource;
  let ctx: TestContext;
  /** Requests in flight, to be answered. */
  let flying: ((outcome: WebhookAnswer["outcome"]) => void)[];
  beforeEach(async () => {
    db = await testDatabase();
    flying = [];
    ctx = await testContext({
      db,
      limitedHost: (url) => new URL(url).host,
      sendWebhook: () =>
        new Promise((resolve) =>
          flying.push((outcome) =>
            resolve({
              outcome,
              httpStatus: outcome === "delivered" ? 200 : 500,
              error: outcome === "delivered" ? null : "http-500",
              durationMs: 1,
              responseBody: null,
              resolvedIp: null,
            }),
          ),
        ),
    });
    breaksInvariants(db, "no receiver has got what is answered here");
  });
  afterEach(async () => {
    for (const end of flying) end("delivered");
    await db.destroy();
  });

  const attempt = (deliveryId: string): Promise<JobOutcome> =>
    attemptWebhook(ctx, { deliveryId, attemptNumber: 1 });
  async function deliveriesOf(store: Store): Promise<string[]> {
    const found = await db.manager.find(WebhookDelivery, { where: { storeId: store.id, state: "pending" } });
    return found.map(({ id }) => id);
  }
  async function deliveries(store: Store, webhooks: number): Promise<string[]> {
    for (let at = 0; at < webhooks; at += 1) await buildWebhook(ctx, store, `http://127.0.0.1:1/${at}`);
    await buildInvoice(ctx, { store });
    return deliveriesOf(store);
  }
  const onlyDelivery = async (store: Store): Promise<string> => (await deliveriesOf(store))[0] ?? "";

  it("let a store's 17th request to one host wait, send nothing for it meanwhile, and start it when one has ended", async () => {
    const [last = "", ...others] = await deliveries(await buildStore(ctx), OF_STORE_AND_HOST + 1);
    const ends = others.map(attempt);
    await eventually(() => flying.length === OF_STORE_AND_HOST);
    const waits = await attempt(last);
    if (waits.kind !== "wait") throw new Error(`not waiting: ${waits.kind}`);
    expect(await db.manager.findOneByOrFail(WebhookDelivery, { id: last })).to.include({
      state: "pending",
      attemptCount: 0,
    });
    waits.onWaiting?.();
    ctx.jobs.length = 0;
    flying.shift()?.("delivered");
    await eventually(() => ctx.jobsOf("webhook-delivery").some(({ deliveryId }) => deliveryId === last));
    const called = attempt(last);
    await eventually(() => flying.length === OF_STORE_AND_HOST);
    for (const end of flying) end("delivered");
    for (const outcome of await Promise.all([...ends, called]))
      expect(outcome).to.deep.equal({ kind: "done", reason: "delivered" });
  });

  it("send one delivery once when its job comes while it waits, is started, and comes again", async () => {
    const [last = "", ...others] = await deliveries(await buildStore(ctx), OF_STORE_AND_HOST + 1);
    const ends = others.map(attempt);
    await eventually(() => flying.length === OF_STORE_AND_HOST);
    for (let times = 0; times < 3; times += 1) {
      const waits = await attempt(last);
      if (waits.kind === "wait") waits.onWaiting?.();
    }
    for (const end of flying.splice(0)) end("delivered");
    await Promise.all(ends);
    const twice = Promise.all([attempt(last), attempt(last)]);
    await eventually(() => flying.length === 1);
    flying[0]?.("delivered");
    await twice;
    expect(flying).to.have.length(1);
    expect(await db.manager.findOneByOrFail(WebhookDelivery, { id: last })).to.include({
      state: "delivered",
      attemptCount: 1,
    });
  });

  it("count an endpoint as healthy after a success, until it fails or its address changes", async () => {
    const store = await buildStore(ctx);
    const { webhookId } = await buildWebhook(ctx, store);
    const proven = async (): Promise<boolean | undefined> => {
      await buildInvoice(ctx, { store });
      return (await loadDelivery(ctx, await onlyDelivery(store)))?.proven;
    };
    const end = async (outcome: WebhookAnswer["outcome"]): Promise<void> => {
      const attempted = attempt(await onlyDelivery(store));
      await eventually(() => flying.length === 1);
      flying.pop()?.(outcome);
      await attempted;
    };
    expect(await proven()).to.equal(false);
    await end("delivered");
    expect(await proven()).to.equal(true);
    await end("failed");
    expect(await proven()).to.equal(false);
    await end("delivered");
    expect(await proven()).to.equal(true);
    await changeWebhook(ctx, store.id, webhookId, { url: "http://127.0.0.1:2/other" });
    await end("failed");
    expect(await proven()).to.equal(false);
  });

  it("go to healthy endpoints first", async () => {
    const store = await buildStore(ctx);
    const { webhookId } = await buildWebhook(ctx, store);
    await buildWebhook(ctx, store);
    await db.query("UPDATE webhooks SET ever_delivered = true WHERE id = $1", [webhookId]);
    await buildInvoice(ctx, { store });
    const asked = ctx.jobs.filter(({ queue }) => queue === "webhook-delivery");
    expect(asked.map(({ options }) => options.unproven ?? false)).to.deep.equal([false, true]);
    const [first] = asked;
    const deliveryId = first !== undefined && "deliveryId" in first.payload ? first.payload.deliveryId : "";
    expect((await loadDelivery(ctx, deliveryId))?.webhookId).to.equal(webhookId);
  });
});
