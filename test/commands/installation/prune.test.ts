import { expect } from "chai";
import type { DataSource } from "typeorm";
import { findNotAuthentic } from "../../../commands/server/authentic-rows";
import { changeUser } from "../../../commands/accounts/change-user";
import { createUser } from "../../../commands/accounts/create-user";
import { forgetUsers } from "../../../commands/accounts/forget-users";
import { claimRequest, keepAnswer } from "../../../commands/invoices/idempotency";
import { prune } from "../../../commands/installation/prune";
import { beat } from "../../../commands/server/heartbeat";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";
import { buildInvoice, buildStore, buildUser, buildWebhook } from "../../support/factories";
import { buildShopWebhook } from "../../support/shop-webhook";
import { inTransaction } from "../../../commands/transaction";

const DAY_MS = 24 * 3_600_000;

describe("retention", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  afterEach(() => db.destroy());
  const count = async (sql: string): Promise<number> => {
    const [row] = await db.query<{ n: string }[]>(`SELECT count(*) AS n FROM ${sql}`);
    return Number(row?.n);
  };

  it("deletes bodies and attempts after 90 days and keeps the deliveries", async () => {
    const store = await buildStore(ctx);
    const { webhookId } = await buildWebhook(ctx, store);
    await buildInvoice(ctx, { store });
    await db.query(
      `INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, state, started_at)
       SELECT 'whd_' || n, 1, $1, 'automatic', CASE n WHEN 1 THEN 'sending' ELSE 'failed' END, clock_timestamp()
         FROM generate_series(1, 2501) AS n`,
      [webhookId],
    );
    await db.query("UPDATE webhook_deliveries SET state = 'delivered'");
    ctx.clock.advance(89 * DAY_MS);
    await prune(ctx, { keptDays: 90 });
    expect(await count("webhook_attempts")).to.equal(2_501);
    expect(await count("invoice_events WHERE body IS NOT NULL")).to.equal(1);

    ctx.clock.advance(2 * DAY_MS);
    await prune(ctx, { keptDays: 90 });
    expect(await count("webhook_attempts")).to.equal(1); // what is being sent is not over
    expect(await count("invoice_events WHERE body IS NULL")).to.equal(1);
    expect(await count("webhook_deliveries")).to.equal(1);
  });

  it("keeps the body of a delivery that is still pending or sending, however old it is", async () => {
    const store = await buildStore(ctx);
    await buildWebhook(ctx, store);
    await buildInvoice(ctx, { store });
    ctx.clock.advance(91 * DAY_MS);
    for (const [state, kept] of [
      ["pending", 1],
      ["sending", 1],
      ["failed", 0],
    ] as const) {
      await db.query("UPDATE webhook_deliveries SET state = $1", [state]);
      await prune(ctx, { keptDays: 90 });
      expect(await count("invoice_events WHERE body IS NOT NULL"), state).to.equal(kept);
    }
  });

  it("keeps the body of a delivery that waits to be retried automatically", async () => {
    const store = await buildStore(ctx);
    await buildShopWebhook(ctx, store, "http://127.0.0.1:1/shop");
    await buildInvoice(ctx, { store });
    ctx.clock.advance(91 * DAY_MS);
    await db.query("UPDATE webhook_deliveries SET state = 'failed', retry_at = clock_timestamp()");
    await prune(ctx, { keptDays: 90 });
    expect(await count("invoice_events WHERE body IS NOT NULL")).to.equal(1);
    await db.query("UPDATE webhook_deliveries SET retry_at = NULL");
    await prune(ctx, { keptDays: 90 });
    expect(await count("invoice_events WHERE body IS NOT NULL")).to.equal(0);
  });

  it("deletes ended alerts, and keeps those that are open or were not sent", async () => {
    await db.query(
      `INSERT INTO alerts (id, kind, severity, subject, message, at, resolved_at, sent_at)
       SELECT name, 'node-away', 'info', name, '', now() - interval '100 days',
              CASE name WHEN 'open' THEN NULL WHEN 'ended lately' THEN now() - interval '89 days' ELSE now() - interval '91 days' END,
              CASE name WHEN 'untold' THEN NULL ELSE now() END
         FROM unnest(ARRAY['open', 'untold', 'ended', 'ended lately']) AS name`,
    );
    expect(await prune(ctx, { keptDays: 90 })).to.equal(1);
    expect(await count("alerts WHERE id <> 'ended'")).to.equal(3);
  });

  it("forgets the addresses of users who have been disabled for as long, and leaves their ids", async () => {
    const { userId, email } = await buildUser(ctx, {});
    const { userId: admin } = await buildUser(ctx, { admin: true });
    await changeUser(ctx, userId, { disabled: true });
    const named = `audit_log WHERE subject = '${userId}' AND details ?| '{email,ip}'`;
    const [before, entries] = [await count(named), await count("audit_log")];
    expect(before).to.be.above(1);
    ctx.clock.advance(89 * DAY_MS);
    expect(await forgetUsers(ctx, 90)).to.equal(0);
    expect(await count(named)).to.equal(before);
    ctx.clock.advance(2 * DAY_MS);
    expect(await forgetUsers(ctx, 90)).to.equal(1);
    expect(await forgetUsers(ctx, 90)).to.equal(0);
    expect(await count(named)).to.equal(0);
    expect(await count("audit_log")).to.equal(entries);
    expect(await count(`users WHERE email = id AND id = '${userId}'`)).to.equal(1);
    expect(await count(`users WHERE email LIKE '%@%' AND id = '${admin}'`)).to.equal(1);
    expect(await findNotAuthentic(ctx)).to.deep.equal([]);
    expect((await createUser(ctx, { email, admin: false })).userId).not.to.equal(userId);
  });

  it("deletes dead processes, used-up links and buried blocks", async () => {
    await beat(ctx, { instanceId: "ins_dead", worker: "invoices" });
    await db.query("UPDATE heartbeats SET beat_at = beat_at - interval '11 minutes'");
    await beat(ctx, { instanceId: "ins_alive", worker: "invoices" });
    await db.query(
      `INSERT INTO user_links (token_hash, user_id, expires_at)
       VALUES ('\\x01', 'u', clock_timestamp() - interval '25 hours'), ('\\x02', 'u', clock_timestamp())`,
    );
    await db.query(
      `INSERT INTO chain_blocks (height, hash, previous_hash) SELECT n, n::text, '' FROM generate_series(1, 6000) AS n`,
    );
    await prune(ctx, { keptDays: 90 });
    expect(await db.query("SELECT instance_id FROM heartbeats")).to.deep.equal([
      { instance_id: "ins_alive" },
    ]);
    expect(await count("user_links")).to.equal(1);
    expect(await db.query("SELECT min(height), max(height) FROM chain_blocks")).to.deep.equal([
      { min: 6000 - 4031, max: 6000 },
    ]);
    expect(await prune(ctx, { keptDays: 90 })).to.equal(0);
  });

  it("keeps an idempotency key that was used again while it waited for another one's lock", async () => {
    const { id: storeId } = await buildStore(ctx);
    const claim = async (key: string) => {
      const claimed = await claimRequest(ctx, { storeId, key, requestHash: Buffer.alloc(32) });
      if (claimed.kind === "claimed")
        await inTransaction(ctx, (tx) => keepAnswer(tx, claimed.claim, Buffer.from("answer")));
      return claimed.kind;
    };
    for (const key of ["first", "second"]) expect(await claim(key)).to.equal("claimed");
    await db.query(
      "UPDATE idempotency_keys SET expires_at = clock_timestamp() - CASE key WHEN 'first' THEN interval '2 s' ELSE interval '1 s' END",
    );
    const holder = db.createQueryRunner();
    await holder.startTransaction();
    await holder.query("SELECT FROM idempotency_keys WHERE key = 'first' FOR UPDATE");
    const pruned = prune(ctx, { keptDays: 90 });
    await eventually(async () =>
      expect(
        await count(
          "pg_locks JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND NOT granted",
        ),
      ).to.equal(1),
    );
    expect(await claim("second")).to.equal("claimed");
    await holder.rollbackTransaction();
    await holder.release();
    await pruned;
    expect(await claim("second")).to.equal("answered");
    expect(await count("idempotency_keys")).to.equal(1);
  });

  it("deletes idempotency keys after 24 h", async () => {
    await db.query(
      `INSERT INTO idempotency_keys (store_id, key, request_hash, claim, claimed_until, expires_at)
       SELECT 'store', 'key ' || hours, '\\x00', 'clm', now(), clock_timestamp() + hours * interval '1 hour'
         FROM unnest(ARRAY[1, 24]) AS hours`,
    );
    ctx.clock.advance(2 * 3_600_000);
    await prune(ctx, { keptDays: 90 });
    expect(await db.query("SELECT key FROM idempotency_keys")).to.deep.equal([{ key: "key 24" }]);
  });
});
