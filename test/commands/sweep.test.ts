import { expect } from "chai";
import type { DataSource } from "typeorm";
import { decideDueInvoices } from "../../commands/decide-due-invoices";
import { testContext, type TestContext } from "../support/context";
import { breaksInvariants } from "../support/invariants-always";
import { testDatabase } from "../support/database";
import { buildInvoice } from "../support/factories";

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

  it("asks for an invoice whose time has come, not for one whose time has not", async () => {
    expect(await decideDueInvoices(ctx)).to.equal(0);
    ctx.clock.advance(16 * 60_000);
    expect(await decideDueInvoices(ctx)).to.equal(1);
    expect(ctx.jobs).to.deep.equal([{ queue: "invoices", payload: { invoiceId }, options: { sweep: true } }]);
  });

  it("leaves it to the job of its own for a moment", async () => {
    await db.query("UPDATE invoices SET decide_at = clock_timestamp()");
    expect(await decideDueInvoices(ctx)).to.equal(0);
    ctx.clock.advance(4_000);
    expect(await decideDueInvoices(ctx)).to.equal(1);
  });

  it("asks for each of thousands once, also where they are due at the same microsecond", async () => {
    breaksInvariants(db, "the copies have no events");
    await db.query(
      `INSERT INTO invoices SELECT (jsonb_populate_record(i, jsonb_build_object('id', 'inv_copy_' || n,
           'decide_at', CASE WHEN n % 2 = 0 THEN timestamptz '2020-01-01 00:00:00.123456Z'
                             ELSE timestamptz '2020-01-01 00:00:00.123Z' + n * interval '1 microsecond' END))).*
         FROM invoices i, generate_series(1, 4500) AS n WHERE i.id = $1`,
      [invoiceId],
    );
    expect(await decideDueInvoices(ctx)).to.equal(4_500);
    expect(new Set(ctx.jobsOf("invoices").map((job) => job.invoiceId))).to.have.property("size", 4_500);
  });
});
