import { expect } from "chai";
import type { DataSource } from "typeorm";
import { changeInvoices } from "../../commands/invoices/change-invoice";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { buildInvoice } from "../support/factories";
import { entriesRead } from "../support/index-reads";
import { lookedAtChain } from "../support/looked-at-chain";
import { breaksInvariants } from "../support/invariants-always";

const MANY = 3_000;

describe("thousands of due invoices", () => {
  let db: DataSource;
  let ctx: TestContext;
  let id: string;
  beforeEach(async () => {
    db = await testDatabase(1); // one connection: its own reads are what it counts
    breaksInvariants(db, "invoices without events and methods");
    ctx = await testContext({ db });
    ({ id } = (await buildInvoice(ctx)).invoice);
    await lookedAtChain(ctx);
  });
  afterEach(() => db.destroy());

  const addMany = (decideAt: string | null): Promise<unknown> =>
    db.query(
      `INSERT INTO invoices SELECT (jsonb_populate_record(i, jsonb_build_object(
         'id', $1 || n, 'decide_at', $2::timestamptz))).*
         FROM invoices i, generate_series(1, ${MANY}) AS n WHERE i.id = $3`,
      [decideAt === null ? "inv_past_" : "inv_due_", decideAt, id],
    );

  it("are locked by their ids: with statistics of a quiet hour, without a scan of all that are due", async () => {
    await addMany(null);
    await db.query("VACUUM (ANALYZE) invoices");
    await addMany("2020-01-01");
    const before = await entriesRead(db, "invoices_decide_at");
    const changed = await changeInvoices(ctx, ["inv_due_1", "inv_due_2"], {
      dueBy: await ctx.now(db.manager),
    });
    expect([...changed.keys()]).to.deep.equal(["inv_due_1", "inv_due_2"]);
    expect((await entriesRead(db, "invoices_decide_at")) - before).to.be.below(100);
  });
});
