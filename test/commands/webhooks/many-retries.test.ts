import { expect } from "chai";
import type { DataSource } from "typeorm";
import { OLDEST_DELIVERIES } from "../../../commands/server/metrics-queries";
import { sendForgottenDeliveries } from "../../../commands/webhooks/next-deliveries";
import { findDue } from "../../../commands/webhooks/queries";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore, buildWebhook } from "../../support/factories";
import { entriesRead } from "../../support/index-reads";
import { breaksInvariants } from "../../support/invariants-always";
import { buildShopWebhook } from "../../support/shop-webhook";

const MANY = 3_000;

/** A plugin's endpoint is down: of each invoice one part waits for its retry, and the next one is pending. */
describe("deliveries beside thousands that wait for a retry", () => {
  let db: DataSource;
  let ctx: TestContext;
  let webhookId: string;
  beforeEach(async () => {
    db = await testDatabase(1); // one connection: its own reads are what it counts
    breaksInvariants(db, "deliveries without their events");
    ctx = await testContext({ db });
    const store = await buildStore(ctx);
    webhookId = await buildShopWebhook(ctx, store, "http://127.0.0.1:1/shop");
    await db.query(
      `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at, part,
                                       dialect_type, state, attempt_count, retry_count, retry_at)
       SELECT 'whd_' || i || '_' || p, 'evt_' || i, i, $1, $2, 'inv_' || i, clock_timestamp(), p,
              'InvoiceReceivedPayment', CASE p WHEN 0 THEN 'failed' ELSE 'pending' END, 1 - p, 2 * (1 - p),
              CASE p WHEN 0 THEN clock_timestamp() + interval '10 minutes' END
         FROM generate_series(1, ${MANY}) AS i, generate_series(0, 1) AS p`,
      [webhookId, store.id],
    );
    await db.query("VACUUM (ANALYZE) webhook_deliveries");
  });
  afterEach(() => db.destroy());

  it("are found without reading each of those", async () => {
    const indexes = [
      "webhook_deliveries_waiting",
      "webhook_deliveries_order",
      "webhook_deliveries_due_retry",
    ];
    const before = await entriesRead(db, ...indexes);
    const { rows } = await findDue(db.manager, [webhookId]);
    expect(rows.map(({ deliveryId }) => deliveryId)).to.deep.equal(
      [1, 2, 3, 4].map((invoice) => `whd_${invoice}_1`),
    );
    expect((await entriesRead(db, ...indexes)) - before).to.be.below(100);
  });

  it("of other webhooks are found by the sweep, and the metrics count those that are pending", async () => {
    const other = await buildStore(ctx);
    const native = await buildWebhook(ctx, other, "http://127.0.0.1:1/native");
    await buildInvoice(ctx, { store: other });
    const [own] = await db.query<{ id: string }[]>(
      "SELECT id FROM webhook_deliveries WHERE webhook_id = $1",
      [native.webhookId],
    );
    ctx.jobs.length = 0; // the queue lost it
    ctx.clock.advance(10_000);
    expect(await sendForgottenDeliveries(ctx)).to.equal(5);
    expect(ctx.jobsOf("webhook-delivery").map(({ deliveryId }) => deliveryId)).to.include(own?.id);
    await db.query(
      "UPDATE webhook_deliveries SET created_at = now() - interval '1 hour' WHERE id = 'whd_1_1'",
    );
    const { rows } = await OLDEST_DELIVERIES.read(db.manager);
    expect(rows.find(({ state }) => state === "pending")?.value).to.be.greaterThan(3_500);
  });

  it("of one webhook leave room in the sweep for those of another, whichever are older", async () => {
    await db.query(
      "UPDATE webhook_deliveries SET retry_at = clock_timestamp() - interval '1 hour' WHERE part = 0",
    );
    const other = await buildStore(ctx);
    const second = await buildShopWebhook(ctx, other, "http://127.0.0.1:1/other");
    for (let n = 0; n < 3; n += 1) await buildInvoice(ctx, { store: other });
    await db.query(
      "UPDATE webhook_deliveries SET state = 'failed', attempt_count = 1, retry_at = clock_timestamp() WHERE webhook_id = $1",
      [second],
    );
    await db.query("VACUUM (ANALYZE) webhook_deliveries");
    ctx.clock.advance(10_000);
    const requested = async (id: string): Promise<number> => {
      const [row] = await db.query<{ count: number }[]>(
        "SELECT count(*)::int AS count FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending' AND retry_count > 0",
        [id],
      );
      return row?.count ?? 0;
    };
    const before = await entriesRead(db, "webhook_deliveries_due_retry");
    ctx.jobs.length = 0;
    await sendForgottenDeliveries(ctx);
    expect([await requested(webhookId), await requested(second)]).to.deep.equal([100, 3]);
    expect((await entriesRead(db, "webhook_deliveries_due_retry")) - before).to.be.below(150);
    const ids = await db.query<{ id: string }[]>("SELECT id FROM webhook_deliveries WHERE webhook_id = $1", [
      second,
    ]);
    expect(ctx.jobsOf("webhook-delivery").map(({ deliveryId }) => deliveryId)).to.include.members(
      ids.map(({ id }) => id),
    );
    await sendForgottenDeliveries(ctx);
    expect([await requested(webhookId), await requested(second)]).to.deep.equal([200, 3]);
  });
});
