import { expect } from "chai";
import fc from "fast-check";
import type { DataSource } from "typeorm";
import { changeInvoice, changeInvoices } from "../../commands/invoices/change-invoice";
import { decideDueInvoice, decideDueInvoices } from "../../commands/invoices/decide-due-invoices";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import type { Mark, PaymentMethodType, PaymentState } from "../../domain/invoice/status";
import { createDataSource } from "../../database/data-source";
import { Store } from "../../entities/store";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { lookedAtChain } from "../support/looked-at-chain";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../support/factories";

const MINUTE_MS = 60_000;
const TIME_MS = 15 * MINUTE_MS;

interface PaymentPlan {
  type: PaymentMethodType;
  amountSats: bigint;
  state: PaymentState;
  neverCounts: boolean;
  /** First seen so long after the invoice was made. */
  afterMs: number;
}

interface InvoicePlan {
  /** Its address is given only when somebody asks, and nobody has. */
  unopened: boolean;
  /** Paid before it is decided once on the way, and after. */
  early: PaymentPlan[];
  late: PaymentPlan[];
  mark: Mark | null;
}

const payment: fc.Arbitrary<PaymentPlan> = fc.record({
  type: fc.constantFrom("BTC-CHAIN", "BTC-LN"),
  amountSats: fc.constantFrom(300n, 60_000n, 100_000n, 150_000n),
  state: fc.constantFrom("pending", "confirmed", "replaced"),
  neverCounts: fc.boolean(),
  afterMs: fc.constantFrom(MINUTE_MS, TIME_MS + MINUTE_MS, 3 * 24 * 60 * MINUTE_MS),
});
const plan: fc.Arbitrary<InvoicePlan> = fc.record({
  unopened: fc.boolean(),
  early: fc.array(payment, { maxLength: 1 }),
  late: fc.array(payment, { maxLength: 2 }),
  mark: fc.option(fc.constantFrom<Mark>("Settled", "Invalid"), { freq: 4 }),
});
const UNPAID: InvoicePlan = { unopened: false, early: [], late: [], mark: null };

describe("invoices decided in one batch", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  let lazyStore: Store;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    [store, lazyStore] = [await buildStore(ctx), await buildStore(ctx)];
    await db.manager.update(Store, lazyStore.id, { lazyAddresses: true });
    for (const each of [store, lazyStore]) await buildWebhook(ctx, each);
    await lookedAtChain(ctx);
  });
  afterEach(() => db.destroy());

  async function pay(invoiceId: string, { type, afterMs, ...rest }: PaymentPlan): Promise<void> {
    const [invoice] = await db.query<{ createdAt: Date }[]>(
      `SELECT created_at AS "createdAt" FROM invoices WHERE id = $1`,
      [invoiceId],
    );
    const onchain = type === "BTC-CHAIN";
    const seen = new Date((invoice?.createdAt.getTime() ?? 0) + afterMs);
    await buildPayment(ctx, invoiceId, {
      ...rest,
      type,
      // LND says that it is settled, or says nothing.
      state: onchain ? rest.state : "confirmed",
      neverCounts: onchain && rest.neverCounts,
      firstSeenAt: seen,
      confirmedAt: onchain && rest.state !== "confirmed" ? null : seen,
      ...(onchain ? {} : { txid: null, vout: null, blockHeight: null, blockHash: null }),
    });
  }

  /** As it stands when the clock has made it due, and nobody has decided it since. */
  async function build({ unopened, early, late, mark }: InvoicePlan): Promise<string> {
    const own = unopened ? lazyStore : store;
    const { id } = (await buildInvoice(ctx, { store: own, expiresInSeconds: TIME_MS / 1_000 })).invoice;
    for (const each of early) await pay(id, each);
    await changeInvoice(ctx, id);
    if (mark !== null) await markInvoice(ctx, own.id, id, { status: mark }).catch(() => undefined);
    for (const each of late) await pay(id, each);
    await db.query("UPDATE invoices SET decide_at = expires_at WHERE id = $1", [id]);
    return id;
  }

  const many = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await build(UNPAID));
    return ids;
  };

  /** All that was written about an invoice, without what differs between any two. */
  async function writtenOf(invoiceId: string): Promise<unknown> {
    const read = (sql: string): Promise<unknown[]> => db.query(sql, [invoiceId]);
    const written = [
      await read(`SELECT status, additional_status, marked_by_hand, mark_note, paid_sats, confirmed_sats,
                         decide_at IS NULL AS over, decide_at > expires_at AS later FROM invoices WHERE id = $1`),
      await read(`SELECT type, additional_status, round, by_hand, convert_from(body, 'UTF8') AS body
                    FROM invoice_events WHERE invoice_id = $1 ORDER BY seq`),
      await read(`SELECT e.type, e.additional_status, e.round, d.state, d.event_seq = e.seq AS "inOrder",
                         d.store_id = e.store_id AS "sameStore"
                    FROM webhook_deliveries d JOIN invoice_events e ON e.id = d.event_id
                   WHERE d.invoice_id = $1 ORDER BY e.seq`),
      await read("SELECT kind, details FROM invoice_history WHERE invoice_id = $1 ORDER BY id"),
      await read(
        `SELECT type, destination IS NOT NULL AS given, available, reason FROM invoice_payment_methods
          WHERE invoice_id = $1 ORDER BY type`,
      ),
      await read(
        "SELECT store_id IS NULL AS nameless FROM payments WHERE invoice_id = $1 ORDER BY amount_sats",
      ),
      await read("SELECT kind, severity, message FROM alerts WHERE invoice_id = $1 ORDER BY kind, subject"),
    ];
    return JSON.parse(JSON.stringify(written).replaceAll(invoiceId, "it")) as unknown;
  }

  async function eventsOf(invoiceIds: readonly string[]): Promise<string[]> {
    const rows = await db.query<{ told: string }[]>(
      `SELECT string_agg(e.type || ' ' || (SELECT count(*) FROM webhook_deliveries d WHERE d.event_id = e.id),
                         ', ' ORDER BY e.seq) AS told
         FROM invoice_events e WHERE e.invoice_id = ANY($1) GROUP BY e.invoice_id`,
      [invoiceIds],
    );
    return rows.map(({ told }) => told);
  }

  it("are decided and written as each is alone, whatever else is in the batch", async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 6 }), async (plans) => {
        const alone: string[] = [];
        const together: string[] = [];
        for (const each of [...plans, UNPAID]) {
          alone.push(await build(each));
          together.push(await build(each));
        }
        ctx.clock.advance(TIME_MS + MINUTE_MS);
        await lookedAtChain(ctx);
        for (const id of alone) await changeInvoice(ctx, id);
        await decideDueInvoices(ctx);
        for (const [at, id] of alone.entries())
          expect(
            await writtenOf(together[at] ?? ""),
            JSON.stringify(plans[at] ?? "unpaid", text),
          ).to.deep.equal(await writtenOf(id));
        ctx.clock.advance(-TIME_MS - MINUTE_MS);
      }),
      { numRuns: 8 },
    );
  });

  it("are skipped when they are no longer due by then", async () => {
    const [due = "", moved = "", over = ""] = await many(3);
    ctx.clock.advance(TIME_MS + 5_000);
    await lookedAtChain(ctx);
    const dueBy = await ctx.now(db.manager);
    await db.query("UPDATE invoices SET decide_at = $2::timestamptz + interval '1 ms' WHERE id = $1", [
      moved,
      dueBy,
    ]);
    await db.query("UPDATE invoices SET decide_at = NULL WHERE id = $1", [over]);
    expect([...(await changeInvoices(ctx, [due, moved, over], { dueBy })).keys()]).to.deep.equal([due]);
    expect(await eventsOf([due, moved, over])).to.have.members(["New 1, Expired 1", "New 1", "New 1"]);
  });

  it("are published once, however many sweeps run at once, in several processes", async () => {
    const ids = await many(40);
    const url = (db.options as { url?: string }).url ?? "";
    const otherDb = createDataSource({ databaseUrl: url, poolMax: 4, applicationName: "another process" });
    await otherDb.initialize();
    try {
      const other = await testContext({ db: otherDb });
      for (const each of [ctx, other]) each.clock.advance(TIME_MS + 5_000);
      await lookedAtChain(ctx);
      const sweeps = [ctx, other, ctx, other].map((each) => decideDueInvoices(each));
      const jobs = [ctx, other].flatMap((each) => ids.map((id) => decideDueInvoice(each, id)));
      await Promise.all([...sweeps, ...jobs]);
    } finally {
      await otherDb.destroy();
    }
    expect(await eventsOf(ids)).to.deep.equal(ids.map(() => "New 1, Expired 1"));
    expect(ctx.lines.filter(({ level }) => level !== "info")).to.deep.equal([]);
  });

  it("are each decided by the facts of that moment, when customers pay at the same time", async () => {
    const ids = await many(30);
    const paid = ids.filter((_, at) => at % 3 === 0);
    ctx.clock.advance(TIME_MS + 5_000);
    await lookedAtChain(ctx);
    const inTime: PaymentPlan = {
      type: "BTC-CHAIN",
      amountSats: 100_000n,
      state: "pending",
      neverCounts: false,
      afterMs: MINUTE_MS,
    };
    const paying = paid.map(async (id) => {
      await pay(id, inTime);
      await changeInvoice(ctx, id);
    });
    await Promise.all([decideDueInvoices(ctx), ...paying]);
    expect(await eventsOf(ids.filter((id) => !paid.includes(id)))).to.deep.equal(
      Array.from({ length: 20 }, () => "New 1, Expired 1"),
    );
    for (const told of await eventsOf(paid))
      expect(told).to.be.oneOf(["New 1, Processing 1", "New 1, Expired 1"]);
    for (const id of ids)
      expect((await changeInvoice(ctx, id)).moves, "nothing was left to decide").to.deep.equal([]);
    const sums = await db.query<unknown[]>("SELECT DISTINCT paid_sats FROM invoices WHERE id = ANY($1)", [
      paid,
    ]);
    expect(sums, "of all that were paid").to.deep.equal([{ paid_sats: "100000" }]);
  });

  it("are unchanged when the process dies before the commit, and all published once by the next sweep", async () => {
    const ids = await many(10);
    ctx.clock.advance(TIME_MS + 5_000);
    await lookedAtChain(ctx);
    await db.query(
      `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $$`,
    );
    await db.query("CREATE TRIGGER die AFTER UPDATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION die()");
    expect(await decideDueInvoices(ctx)).to.equal(10);
    expect(await eventsOf(ids), "undone").to.deep.equal(ids.map(() => "New 1"));
    expect(
      ctx.jobsOf("invoices").map(({ invoiceId }) => invoiceId),
      "left to jobs of their own",
    ).to.have.members(ids);
    await db.query("DROP TRIGGER die ON invoices");
    expect(await decideDueInvoices(ctx)).to.equal(10);
    expect(await eventsOf(ids)).to.deep.equal(ids.map(() => "New 1, Expired 1"));
  });
});

function text(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value} sats` : value;
}
