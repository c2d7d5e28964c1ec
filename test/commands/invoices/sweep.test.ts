import { expect } from "chai";
import type { DataSource } from "typeorm";
import { decideDue } from "../../../commands/invoices/decide-due";
import { testContext, type TestContext } from "../../support/context";
import { breaksInvariants } from "../../support/invariants-always";
import { testDatabase } from "../../support/database";
import { lookedAtChain } from "../../support/looked-at-chain";
import { buildInvoice, buildOpenBolt11 } from "../../support/factories";
import { poison } from "../../support/poison";

describe("the sweep of due invoices", () => {
  let db: DataSource;
  let ctx: TestContext;
  let invoiceId: string;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    invoiceId = (await buildInvoice(ctx)).invoice.id;
    ctx.jobs.length = 0;
  });
  afterEach(() => db.destroy());

  const statuses = async () => {
    const rows = await db.query<{ id: string; status: string }[]>("SELECT id, status FROM invoices");
    return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
  };

  it("decides an invoice that is due, and no other", async () => {
    expect(await decideDue(ctx)).to.equal(0);
    ctx.clock.advance(16 * 60_000);
    await lookedAtChain(ctx);
    expect(await decideDue(ctx)).to.equal(1);
    expect(await statuses()).to.deep.equal({ [invoiceId]: "Expired" });
    expect(await decideDue(ctx)).to.equal(0);
    expect(ctx.jobsOf("invoices")).to.deep.equal([]);
  });

  it("leaves an invoice to its own job for a moment", async () => {
    const at = await ctx.now(db.manager);
    await db.query("UPDATE invoices SET decide_at = $1", [at]);
    ctx.clock.freeze(at);
    expect(await decideDue(ctx)).to.equal(0);
    ctx.clock.advance(4_000);
    await lookedAtChain(ctx);
    expect(await decideDue(ctx)).to.equal(1);
  });

  it("skips an invoice that another process is deciding, without waiting", async () => {
    const other = (await buildInvoice(ctx)).invoice.id;
    ctx.clock.advance(16 * 60_000);
    await lookedAtChain(ctx);
    await db.transaction(async (manager) => {
      await manager.query("SELECT 1 FROM invoices WHERE id = $1 FOR UPDATE", [other]);
      expect(await decideDue(ctx)).to.equal(2);
      expect(await statuses()).to.deep.equal({ [invoiceId]: "Expired", [other]: "New" });
    });
    expect(await decideDue(ctx)).to.equal(1);
    expect(await statuses()).to.deep.equal({ [invoiceId]: "Expired", [other]: "Expired" });
  });

  it("leaves questions to the Lightning node to the invoice's job", async () => {
    breaksInvariants(db, "the BOLT11's node does not exist");
    await buildOpenBolt11(ctx, invoiceId);
    ctx.clock.advance(16 * 60_000);
    await lookedAtChain(ctx);
    expect(await decideDue(ctx)).to.equal(1);
    expect(ctx.jobs).to.deep.equal([{ queue: "invoices", payload: { invoiceId }, options: { sweep: true } }]);
    expect(await statuses()).to.deep.equal({ [invoiceId]: "New" });
  });

  it("gives each invoice its own job when one of the batch cannot be decided", async () => {
    const broken = (await buildInvoice(ctx)).invoice.id;
    await poison(db, "invoices", "UPDATE", `NEW.id = '${broken}'`);
    ctx.clock.advance(16 * 60_000);
    await lookedAtChain(ctx);
    expect(await decideDue(ctx)).to.equal(2);
    expect(ctx.jobsOf("invoices").map((job) => job.invoiceId)).to.have.members([invoiceId, broken]);
    expect(Object.values(await statuses())).to.deep.equal(["New", "New"]);
  });

  it("decides each of thousands once, also when due at the same microsecond", async () => {
    breaksInvariants(db, "the copies have no New event");
    await db.query(
      `INSERT INTO invoices SELECT (jsonb_populate_record(i, jsonb_build_object('id', 'inv_copy_' || n,
           'expires_at', timestamptz '2020-01-01 00:00:00Z',
           'decide_at', CASE WHEN n % 2 = 0 THEN timestamptz '2020-01-01 00:00:00.123456Z'
                             ELSE timestamptz '2020-01-01 00:00:00.123Z' + n * interval '1 microsecond' END))).*
         FROM invoices i, generate_series(1, 1050) AS n WHERE i.id = $1`,
      [invoiceId],
    );
    expect(await decideDue(ctx)).to.equal(1_050);
    const events = await db.query<unknown[]>("SELECT 1 FROM invoice_events WHERE type = 'Expired'");
    expect(events).to.have.length(1_050);
  });
});
