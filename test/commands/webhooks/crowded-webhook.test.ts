import { expect } from "chai";
import type { DataSource } from "typeorm";
import { type ClaimedAttempt, claimAttempt } from "../../../commands/webhooks/claim-attempt";
import { loadDeliveries } from "../../../commands/webhooks/attempt-queries";
import { findDue, findForgotten } from "../../../commands/webhooks/queries";
import { loadDelivery } from "../../../commands/webhooks/load-delivery";
import { sendPlace } from "../../../commands/webhooks/send-place";
import { recordAttempt } from "../../../commands/webhooks/record-attempt";
import { LINE_LENGTH } from "../../../domain/webhook/claim";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore, buildWebhook } from "../../support/factories";
import { entriesRead } from "../../support/index-reads";
import { breaksInvariants } from "../../support/invariants-always";

const MANY = 20_000;
const OF_WHAT_WAITS = ["webhook_deliveries_waiting"];
const ANSWER = {
  outcome: "delivered",
  error: null,
  httpStatus: 200,
  durationMs: 1,
  responseBody: Buffer.alloc(0),
  resolvedIp: "127.0.0.1",
} as const;

/** Postgres' statistics are of an hour in which nothing waited. */
describe("deliveries beside a webhook with thousands pending", () => {
  let db: DataSource;
  let ctx: TestContext;
  let deliveryIds: string[];
  beforeEach(async () => {
    db = await testDatabase(1); // one connection: its own reads are what it counts
    breaksInvariants(db, "deliveries without their webhooks and events");
    ctx = await testContext({ db });
    const store = await buildStore(ctx);
    await buildWebhook(ctx, store);
    await db.query("UPDATE webhooks SET ever_delivered = true");
    await addMany(0, "delivered");
    await db.query("VACUUM (ANALYZE) webhook_deliveries");
    await addMany(MANY, "pending");
    await buildInvoice(ctx, { store });
    await buildInvoice(ctx, { store });
    const rows = await db.query<{ id: string }[]>(
      "SELECT id FROM webhook_deliveries WHERE store_id = $1 ORDER BY event_seq",
      [store.id],
    );
    deliveryIds = rows.map(({ id }) => id);
  });
  afterEach(() => db.destroy());

  const addMany = (from: number, state: string): Promise<unknown> =>
    db.query(
      `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at, state)
       SELECT 'whd_' || n, 'evt_' || n, -n, 'whk_asLongAsRealOnesAreForTheIndex', 'str_crowd', 'inv_' || n, clock_timestamp(), $2
         FROM generate_series($1::int, $1::int + ${MANY} - 1) AS n`,
      [from, state],
    );

  const claim = async (deliveryId = ""): Promise<ClaimedAttempt> => {
    const work = { deliveryId, attemptNumber: 1 };
    const claimed = await claimAttempt(ctx, work, sendPlace(ctx, work));
    if (claimed.kind !== "claimed") throw new Error(`not claimed: ${JSON.stringify(claimed)}`);
    return claimed.attempt;
  };

  it("are read, claimed and recorded without a scan of those", async () => {
    const before = await entriesRead(db, ...OF_WHAT_WAITS);
    const [first, second] = deliveryIds;
    expect((await loadDelivery(ctx, first ?? ""))?.ahead).to.equal(0);
    expect((await loadDelivery(ctx, second ?? ""))?.ahead).to.equal(1);
    const record = async (id = "") => (await recordAttempt(ctx, await claim(id), ANSWER)).othersWait;
    expect(await record(first), "the second waits").to.equal(true);
    expect(await record(second), "none waits").to.equal(false);
    expect((await entriesRead(db, ...OF_WHAT_WAITS)) - before).to.be.below(100);
  });

  /** Blocks that the plan which Postgres keeps of a prepared statement reads. */
  const blocksRead = (text: string, value: string): Promise<number> =>
    db.transaction(async (manager) => {
      await manager.query("SET LOCAL plan_cache_mode = force_generic_plan");
      await manager.query(`PREPARE planned AS ${text}`);
      const [row] = await manager.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }[]>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE planned(${value})`,
      );
      await manager.query("DEALLOCATE planned");
      const plan = row?.["QUERY PLAN"][0]?.Plan;
      return (plan?.["Shared Hit Blocks"] ?? NaN) + (plan?.["Shared Read Blocks"] ?? NaN);
    });

  for (const [statistics, prepare] of [
    ["of an hour in which nothing waited", () => Promise.resolve()],
    ["of now", () => db.query("ANALYZE")],
  ] as const)
    it(`leave the next ones of its own to be found without a scan, by statistics ${statistics}`, async () => {
      await db.query("UPDATE webhooks SET id = 'whk_asLongAsRealOnesAreForTheIndex'");
      await prepare();
      const { rows } = await findDue(db.manager, ["whk_asLongAsRealOnesAreForTheIndex"]);
      expect(rows.map(({ deliveryId }) => deliveryId)).to.deep.equal(
        [1, 2, 3, 4].map((back) => `whd_${2 * MANY - back}`),
      );
      expect(await blocksRead(findDue.text, "'{whk_asLongAsRealOnesAreForTheIndex}'")).to.be.within(1, 50);
      // It asks each that waits for its webhook, and no more about it.
      expect(await blocksRead(findForgotten.text, "now() + interval '1 hour'")).to.be.below(MANY / 4);
    });

  it("are read without a scan of those before them, by statistics of an hour in which nothing waited", async () => {
    await db.query("UPDATE webhooks SET id = 'whk_asLongAsRealOnesAreForTheIndex'");
    await db.query(
      `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, round, body, created_at)
       SELECT 'evt_' || n, 'str_crowd', 'inv_' || n, 'New', 'None', 1, '{}', clock_timestamp()
         FROM generate_series(${MANY}, ${2 * MANY}) AS n`,
    );
    const [row] = (await loadDeliveries(db.manager, [`whd_${MANY}`])).rows;
    expect(row?.ahead, "as many as are counted").to.equal(LINE_LENGTH);
    expect(await blocksRead(loadDeliveries.text, `'{whd_${MANY}}'`)).to.be.within(1, 80);
  });

  for (const [statistics, prepare] of [
    ["of an hour in which nothing waited", () => Promise.resolve()],
    ["of now", () => db.query("ANALYZE")],
  ] as const)
    it(`are found where thousands of one invoice wait for each other, by statistics ${statistics}`, async () => {
      const [events, webhooks] = [500, 20];
      await db.query("DELETE FROM webhook_deliveries WHERE state = 'pending'");
      await db.query(
        `INSERT INTO webhooks (id, store_id, url, events, secret_encrypted, created_at, ever_delivered)
         SELECT 'whk_' || w, store_id, url, events, secret_encrypted, created_at, true
           FROM webhooks, generate_series(1, ${webhooks}) AS w`,
      );
      // The first half of its events was delivered; of each webhook one is being sent.
      await db.query(
        `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at, state)
         SELECT 'one_' || w || '_' || n, 'evt_one_' || n, n, 'whk_' || w, 'str_crowd', 'inv_one', clock_timestamp(),
                CASE WHEN n < ${events} THEN 'delivered' WHEN n = ${events} THEN 'sending' ELSE 'pending' END
           FROM generate_series(1, ${2 * events}) AS n, generate_series(1, ${webhooks}) AS w`,
      );
      await prepare();
      expect((await findDue(db.manager, ["whk_1"])).rows).to.deep.equal([]);
      // Each that waits is asked for the one before it.
      expect(await blocksRead(findDue.text, "'{whk_1}'")).to.be.within(1, events * 10);
      expect(await blocksRead(findForgotten.text, "now() + interval '1 hour'")).to.be.within(
        1,
        events * webhooks * 12,
      );
    });
});
