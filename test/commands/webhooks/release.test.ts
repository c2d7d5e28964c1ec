import { expect } from "chai";
import type { DataSource } from "typeorm";
import { OLDEST_DELIVERIES, OPEN_DELIVERIES } from "../../../commands/installation/metrics-queries";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { releaseDeliveries, sweepDeliveries, UnderWay } from "../../../commands/webhooks/release";
import { release } from "../../../commands/webhooks/release-queries";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore, buildWebhook } from "../../support/factories";
import { breaksInvariants } from "../../support/invariants-always";

interface Hooks {
  store?: string;
  host?: string;
  proven?: boolean;
  streak?: number;
}
interface Rows {
  state?: string;
  /** The invoice of the nth one; its own by default. */
  invoice?: string;
  from?: number;
  retryCount?: number;
  /** Seconds from now. */
  retryIn?: number;
  type?: string;
}

describe("releasing deliveries", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase(5);
    breaksInvariants(db, "deliveries without their invoices and events");
    ctx = await testContext({ db });
  });
  afterEach(() => db.destroy());

  const hooks = async (
    ids: readonly string[],
    { store = "s", host, proven = true, streak = 0 }: Hooks = {},
  ) => {
    await db.query(
      `INSERT INTO webhooks (id, store_id, url, host, events, secret_encrypted, created_at, ever_delivered, failure_streak)
       SELECT id, $2, 'http://127.0.0.1:1/', $3, '{New}', '', clock_timestamp(), $4, $5 FROM unnest($1::text[]) AS id`,
      [ids, store, host ?? null, proven, streak],
    );
  };
  const rows = (webhooks: readonly string[], count: number, given: Rows = {}) =>
    db.query(
      `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at, state,
                                       retry_count, retry_at, dialect_type)
       SELECT w.id || '-' || n, 'evt_' || w.id || n, n, w.id, w.store_id, coalesce($5, w.id || n),
              clock_timestamp(), $3, $6, clock_timestamp() + $7 * interval '1 second', $8
         FROM webhooks w, generate_series($4::int, $4::int + $2::int - 1) AS n WHERE w.id = ANY($1)`,
      [
        webhooks,
        count,
        given.state ?? "pending",
        given.from ?? 1,
        given.invoice ?? null,
        given.retryCount ?? 0,
        given.retryIn ?? null,
        given.type ?? null,
      ],
    );
  const inFlight = async (): Promise<string[]> => {
    const found = await db.query<{ id: string }[]>(
      "SELECT id FROM webhook_deliveries WHERE state IN ('queued', 'sending') ORDER BY webhook_id, event_seq",
    );
    return found.map(({ id }) => id);
  };
  const names = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(3, "0")}`);
  const count = async (where: string): Promise<number> => {
    const [row] = await db.query<{ n: number }[]>(
      `SELECT count(*)::int AS n FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE d.state IN ('queued', 'sending') AND ${where}`,
    );
    return row?.n ?? NaN;
  };

  it("queues four of an endpoint, and one after three failures in a row, the oldest first", async () => {
    await hooks(["a"]);
    await hooks(["b"], { streak: 3 });
    await rows(["a", "b"], 6);
    await releaseDeliveries(ctx, ["a", "b"]);
    expect(await inFlight()).to.deep.equal(["a-1", "a-2", "a-3", "a-4", "b-1"]);
    expect(ctx.jobsOf("webhook-delivery")).to.have.length(5);
    await releaseDeliveries(ctx, ["a", "b"]);
    expect(await inFlight()).to.have.length(5);
    await db.query("UPDATE webhook_deliveries SET state = 'delivered' WHERE id = 'a-2'");
    await releaseDeliveries(ctx, ["a"]);
    expect(await inFlight()).to.deep.equal(["a-1", "a-3", "a-4", "a-5", "b-1"]);
  });

  it("queues of an invoice one at a time for each endpoint, in the order of its events", async () => {
    await hooks(["a", "b"]);
    await rows(["a"], 3, { invoice: "one" });
    await rows(["a"], 1, { invoice: "other", from: 10 });
    await rows(["b"], 1, { invoice: "one", from: 20 });
    for (const [ended, next] of [
      ["none", ["a-1", "a-10", "b-20"]],
      ["a-1", ["a-2", "a-10", "b-20"]],
      ["a-2", ["a-3", "a-10", "b-20"]],
    ] as const) {
      await db.query("UPDATE webhook_deliveries SET state = 'failed' WHERE id = $1", [ended]);
      await releaseDeliveries(ctx, ["a", "b"]);
      expect(await inFlight()).to.deep.equal(next);
    }
  });

  it("keeps the limits of a store, a host, and both", async () => {
    const [wide, ofHost] = [names("w", 30), names("h", 20)];
    await hooks(wide, { store: "wide" });
    await hooks(ofHost, { store: "of host", host: "one.example:443" });
    for (let at = 0; at < 12; at += 1)
      await hooks(names(`o${at}-`, 5), { store: `other ${at}`, host: "shop.example:443" });
    await rows([...wide, ...ofHost, ...Array.from({ length: 12 }, (_, at) => names(`o${at}-`, 5)).flat()], 4);
    await sweepDeliveries(ctx);
    expect(await count("w.store_id = 'wide'")).to.equal(100);
    expect(await count("w.store_id = 'of host'")).to.equal(16);
    expect(await count("w.host = 'shop.example:443'")).to.equal(128);
    await sweepDeliveries(ctx);
    expect(await inFlight()).to.have.length(244);
  });

  it("keeps half for endpoints that answer, and gives the rest to the first of each store", async () => {
    for (let at = 0; at < 30; at += 1)
      await hooks(names(`u${String(at).padStart(2, "0")}-`, 20), { store: `u${at}`, proven: false });
    const unproven = Array.from({ length: 30 }, (_, at) =>
      names(`u${String(at).padStart(2, "0")}-`, 20),
    ).flat();
    await rows(unproven, 1);
    await releaseDeliveries(ctx, unproven);
    expect(await inFlight()).to.have.length(300);
    for (let at = 0; at < 30; at += 1) expect(await count(`w.store_id = 'u${at}'`), `u${at}`).to.equal(10);
    for (let at = 0; at < 5; at += 1) await hooks(names(`p${at}-`, 20), { store: `p${at}` });
    await rows(Array.from({ length: 5 }, (_, at) => names(`p${at}-`, 20)).flat(), 4);
    await sweepDeliveries(ctx);
    expect(await inFlight(), "of the installation").to.have.length(600);
    expect(await count("w.ever_delivered")).to.equal(300);
  });

  it("gives the places of others to nobody whose secret cannot be read", async () => {
    const unreadable = Array.from({ length: 30 }, (_, at) => names(`u${at}-`, 10)).flat();
    for (let at = 0; at < 30; at += 1) await hooks(names(`u${at}-`, 10), { store: `u${at}`, proven: false });
    await rows(unreadable, 1, { state: "queued" });
    await hooks(["new"], { store: "new", proven: false });
    await rows(["new"], 1);
    await releaseDeliveries(ctx, ["new"]);
    expect(await count("w.id = 'new'"), "300 are in flight").to.equal(0);
    await db.query(
      `INSERT INTO alerts (id, kind, severity, subject, message)
       SELECT 'alt_' || id, 'secret-unreadable', 'warning', id, '' FROM unnest($1::text[]) AS id`,
      [unreadable],
    );
    await releaseDeliveries(ctx, ["new"]);
    expect(await count("w.id = 'new'")).to.equal(1);
  });

  it("gives what one webhook has left to another, wherever that comes in their order", async () => {
    const all = names("w", 30);
    await hooks(all, { store: "one" });
    await rows(all, 8);
    await sweepDeliveries(ctx);
    expect(await inFlight()).to.have.length(100);
    await db.query("UPDATE webhook_deliveries SET state = 'delivered' WHERE webhook_id = 'w000'");
    await releaseDeliveries(ctx, ["w000"]);
    expect(await inFlight()).to.have.length(100);
  });

  it("lets simultaneous releases of several processes exceed nothing", async () => {
    await hooks(names("w", 30), { store: "one" });
    await rows(names("w", 30), 8);
    const others = await Promise.all([1, 2, 3].map(() => testContext({ db })));
    await Promise.all([
      ...others.map((each) => sweepDeliveries(each)),
      releaseDeliveries(ctx, names("w", 10)),
      sweepDeliveries(ctx),
    ]);
    expect(await inFlight()).to.have.length(100);
    for (const name of names("w", 30)) expect(await count(`w.id = '${name}'`)).to.be.at.most(4);
  });

  it("queues retries whose time has come under the next number, not before an earlier event", async () => {
    await hooks(["a"]);
    await rows(["a"], 1, { state: "failed", retryIn: -1, retryCount: 2 });
    await rows(["a"], 1, { state: "failed", retryIn: 60, from: 2 });
    await rows(["a"], 1, { state: "failed", retryIn: 60, from: 3, invoice: "one" });
    await rows(["a"], 1, { state: "failed", retryIn: -1, from: 4, invoice: "one" });
    await releaseDeliveries(ctx, ["a"]);
    expect(await inFlight()).to.deep.equal(["a-1"]);
    expect(ctx.jobsOf("webhook-delivery")).to.deep.equal([{ deliveryId: "a-1", attempt: 2 }]);
    const [row] = await db.query<object[]>(
      "SELECT retry_count, retry_at IS NOT NULL AS again FROM webhook_deliveries WHERE id = 'a-1'",
    );
    expect(row).to.deep.equal({ retry_count: 3, again: true });
    ctx.clock.advance(60_000);
    await sweepDeliveries(ctx);
    expect(await inFlight()).to.deep.equal(["a-1", "a-2", "a-3"]);
  });

  it("holds a retry of a state back while a later state is on its way, also in the same moment", async () => {
    await hooks(["a"]);
    const late = { state: "failed", retryIn: -1, retryCount: 5, invoice: "one", type: "InvoiceProcessing" };
    await rows(["a"], 1, late);
    await rows(["a"], 1, { invoice: "one", type: "InvoiceSettled", from: 2 });
    await releaseDeliveries(ctx, ["a"]);
    expect(await inFlight(), "one of them").to.deep.equal(["a-1"]);
    await db.query("UPDATE webhook_deliveries SET state = 'failed' WHERE id = 'a-1'");
    await db.query("UPDATE webhook_deliveries SET state = 'sending' WHERE id = 'a-2'");
    await sweepDeliveries(ctx);
    expect(await inFlight()).to.deep.equal(["a-2"]);
  });

  it("adds a job again that the queue lost, and nothing for what is being sent", async () => {
    await hooks(["a"]);
    await rows(["a"], 1, { state: "queued" });
    await rows(["a"], 1, { state: "sending", from: 2 });
    expect(await sweepDeliveries(ctx)).to.equal(1);
    expect(ctx.jobs).to.deep.equal([
      { queue: "webhook-delivery", payload: { deliveryId: "a-1", attempt: 1 }, options: { sweep: true } },
    ]);
    const { rows: open } = await OPEN_DELIVERIES.read(db.manager);
    expect(open).to.have.deep.members([
      { state: "pending", value: 1 },
      { state: "sending", value: 1 },
    ]);
    const { rows: oldest } = await OLDEST_DELIVERIES.read(db.manager);
    expect(oldest.map(({ state }) => state)).to.include("pending");
  });

  it("waits for attempts that end in the same moment, and for none that lasts", async () => {
    const order: string[] = [];
    let answer = (): void => undefined;
    const underWay = new UnderWay(60_000);
    await underWay.lull();
    const last = underWay.attempt(() => new Promise<void>((resolve) => (answer = resolve)));
    const lull = underWay.lull().then(() => order.push("lull"));
    await underWay.attempt(async () => Promise.resolve());
    order.push("the last answer");
    answer();
    await Promise.all([last, lull, underWay.lull()]);
    expect(order).to.deep.equal(["the last answer", "lull"]);

    const hanging = new UnderWay(1);
    void hanging.attempt(() => new Promise(() => undefined));
    await hanging.lull();
  });

  it("finds what was written while the webhook's last attempt was being recorded", async () => {
    const store = await buildStore(ctx);
    await buildWebhook(ctx, store, "http://127.0.0.1:1/");
    await db.query("UPDATE webhooks SET failure_streak = 3");
    const { invoice } = await buildInvoice(ctx, { store });
    const [first] = ctx.jobsOf("webhook-delivery");
    await attemptWebhook(
      {
        ...ctx,
        sendWebhook: async (request) => {
          await buildInvoice(ctx, { store });
          return ctx.sendWebhook(request);
        },
      },
      { deliveryId: first?.deliveryId ?? "" },
    );
    const asked = ctx.jobsOf("webhook-delivery").map(({ deliveryId }) => deliveryId);
    expect(asked, invoice.id).to.have.length(2);
  });

  describe("beside what thousands wait for", () => {
    /** Pages that the plan which Postgres keeps of a prepared statement reads. */
    const pages = async (webhook: string): Promise<number> =>
      db.transaction(async (manager) => {
        await manager.query("SET LOCAL plan_cache_mode = force_generic_plan");
        await manager.query(`PREPARE planned (text[], text, timestamptz) AS ${release.text}`);
        const [row] = await manager.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }[]>(
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE planned('{${webhook}}', 'zzz', now())`,
        );
        await manager.query("DEALLOCATE planned");
        const plan = row?.["QUERY PLAN"][0]?.Plan;
        return (plan?.["Shared Hit Blocks"] ?? NaN) + (plan?.["Shared Read Blocks"] ?? NaN);
      });

    for (const [statistics, prepare] of [
      ["of an hour in which nothing waited", () => Promise.resolve()],
      ["of now", () => db.query("ANALYZE")],
    ] as const)
      it(`reads few pages, by statistics ${statistics}`, async () => {
        await hooks(["crowd", "other", "blocked"]);
        await rows(["crowd"], 20_000, { state: "delivered", from: 100_000 });
        await db.query("VACUUM (ANALYZE) webhook_deliveries");
        await rows(["crowd"], 20_000);
        await rows(["other"], 2);
        await rows(["blocked"], 1, { state: "sending", invoice: "one" });
        await rows(["blocked"], 5_000, { invoice: "one", from: 2 });
        await prepare();
        expect(await pages("crowd"), "its own").to.be.within(1, 300);
        expect(await pages("other"), "another's").to.be.within(1, 300);
        // Of these 200 are asked for the one before them.
        expect(await pages("blocked"), "of one invoice").to.be.within(1, 2_000);
      });
  });
});
