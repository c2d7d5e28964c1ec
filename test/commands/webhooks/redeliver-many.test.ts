import { expect } from "chai";
import type { DataSource } from "typeorm";
import { redeliverWebhook, redeliverWebhooks } from "../../../commands/webhooks/redeliver-webhook";
import type { Store } from "../../../entities/store";
import { Webhook } from "../../../entities/webhook";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore, buildWebhook } from "../../support/factories";
import { breaksInvariants } from "../../support/invariants-always";
import { cure, poison } from "../../support/poison";

const MANY = 5_000;

describe("redelivery of thousands", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  let webhookId: string;
  beforeEach(async () => {
    db = await testDatabase(2);
    breaksInvariants(db, "events without their invoices");
    ctx = await testContext({ db });
    store = await buildStore(ctx);
    ({ webhookId } = await buildWebhook(ctx, store));
  });
  afterEach(() => db.destroy());

  /** Failed deliveries; their ids are in another order than their times, of which ten are the same. */
  async function fail(to = webhookId): Promise<void> {
    await db.query(
      `WITH event AS (
         INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, body, created_at)
         SELECT 'evt_' || $1 || n, $2, 'inv_' || $1 || n, CASE n % 2 WHEN 0 THEN 'New' ELSE 'Expired' END, 'None', '{}',
                now() + (n / 10) * interval '1 microsecond'
           FROM generate_series(1, ${MANY}) AS n RETURNING *)
       INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at, state)
       SELECT 'whd_' || md5(id), id, seq, $1, $2, invoice_id, created_at, 'failed' FROM event`,
      [to, store.id],
    );
  }
  async function countPending(): Promise<number> {
    const [row] = await db.query<{ count: number }[]>(
      "SELECT count(*)::int FROM webhook_deliveries WHERE state IN ('pending', 'queued') AND requested_attempt = 2",
    );
    return row?.count ?? NaN;
  }

  it("requests each once, chunk by chunk, and wakes the webhook after each", async () => {
    await fail();
    const woken: number[] = [];
    const enqueue: TestContext["enqueue"] = async (...job) => {
      woken.push(await countPending());
      return ctx.enqueue(...job);
    };
    expect(await redeliverWebhooks({ ...ctx, enqueue }, { storeId: store.id, webhookId }, {})).to.equal(MANY);
    expect(await countPending()).to.equal(MANY);
    const commits = [...new Set(woken)].sort((a, b) => a - b);
    expect(commits.length, "commits").to.be.greaterThan(2);
    expect(commits[0]).to.be.within(2_000, 2_010);
    expect(await redeliverWebhooks(ctx, { storeId: store.id, webhookId }, {})).to.equal(0);
  });

  it("keeps what was requested before a failure, the oldest first, and does the rest when it is repeated", async () => {
    await fail();
    await poison(db, "webhook_deliveries", "UPDATE", `OLD.event_id = 'evt_${webhookId}${MANY}'`);
    const error = await redeliverWebhooks(ctx, { storeId: store.id }, {}).catch((e: unknown) => e);
    expect(error).to.be.an("error").with.property("message", "poison: raise_exception");
    const done = await countPending();
    expect(done).to.be.within(4_000, 4_100);
    const [{ inOrder } = { inOrder: null }] = await db.query<{ inOrder: boolean }[]>(
      `SELECT max(created_at) FILTER (WHERE state IN ('pending', 'queued')) < min(created_at) FILTER (WHERE state = 'failed')
         AS "inOrder" FROM webhook_deliveries`,
    );
    expect(inOrder).to.equal(true);
    await cure(db);
    expect(await redeliverWebhooks(ctx, { storeId: store.id }, {})).to.equal(MANY - done);
    expect(await countPending()).to.equal(MANY);
  });

  it("finds those of one type, and those whose bodies are kept, in every chunk, of each webhook", async () => {
    const second = await buildWebhook(ctx, store);
    await fail();
    await fail(second.webhookId);
    await db.query("UPDATE invoice_events SET body = NULL WHERE seq % 5 = 0");
    const [{ kept } = { kept: NaN }] = await db.query<{ kept: number }[]>(
      "SELECT count(*)::int AS kept FROM invoice_events WHERE type = 'Expired' AND body IS NOT NULL",
    );
    expect(await redeliverWebhooks(ctx, { storeId: store.id }, { type: "Expired" })).to.equal(kept);
    expect(await countPending()).to.equal(kept);
  });

  it("finds none of a deleted webhook unless that is named, and a single one by its own webhook only", async () => {
    await fail();
    const [{ id: deliveryId } = { id: "" }] = await db.query<{ id: string }[]>(
      "SELECT id FROM webhook_deliveries LIMIT 1",
    );
    const place = { storeId: store.id, webhookId: "wh_other", deliveryId };
    expect(await redeliverWebhook(ctx, place).catch((error: unknown) => error)).to.include({
      code: "delivery-not-found",
    });
    await db.manager.update(Webhook, webhookId, { deletedAt: await ctx.now(db.manager) });
    expect(await redeliverWebhooks(ctx, { storeId: store.id }, {})).to.equal(0);
    expect(await redeliverWebhooks(ctx, { storeId: store.id, webhookId }, {})).to.equal(MANY);
  });
});
