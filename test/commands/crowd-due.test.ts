import { expect } from "chai";
import type { DataSource } from "typeorm";
import { changeDueInvoices } from "../../commands/change-invoice";
import { decideDueInvoices } from "../../commands/decide-due-invoices";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { buildInvoice } from "../support/factories";
import { entriesRead } from "../support/index-reads";
import { breaksInvariants } from "../support/invariants-always";

const MANY = 3_000;

describe("a crowd of invoices whose time is up", () => {
  let db: DataSource;
  let ctx: TestContext;
  let id: string;
  beforeEach(async () => {
    db = await testDatabase(1); // one connection: its own reads are what it counts
    breaksInvariants(db, "invoices without events and methods");
    ctx = await testContext({ db });
    ({ id } = (await buildInvoice(ctx)).invoice);
    await db.query(
      "INSERT INTO rails (type, checked_at, caught_up_to) VALUES ('BTC-CHAIN', clock_timestamp(), 'infinity')",
    );
  });
  afterEach(() => db.destroy());

  const addMany = (decideAt: string | null, metadata = "{}"): Promise<unknown> =>
    db.query(
      `INSERT INTO invoices SELECT (jsonb_populate_record(i, jsonb_build_object(
         'id', $1 || n, 'decide_at', $2::timestamptz, 'metadata', $3::text))).*
         FROM invoices i, generate_series(1, ${MANY}) AS n WHERE i.id = $4`,
      [decideAt === null ? "inv_past_" : "inv_due_", decideAt, metadata, id],
    );

  it("is locked by its ids: with statistics of a quiet hour no walk through all that are due", async () => {
    await addMany(null);
    await db.query("VACUUM (ANALYZE) invoices");
    await addMany("2020-01-01");
    const before = await entriesRead(db, "invoices_decide_at");
    const changed = await changeDueInvoices(ctx, ["inv_due_1", "inv_due_2"], await ctx.now(db.manager));
    expect([...changed.keys()]).to.deep.equal(["inv_due_1", "inv_due_2"]);
    expect((await entriesRead(db, "invoices_decide_at")) - before).to.be.below(100);
  });

  it("goes into smaller transactions the more metadata there is to hold in memory", async () => {
    const transactions = async (): Promise<number> => {
      await decideDueInvoices(ctx);
      const [row] = await db.query<{ count: number }[]>(
        "SELECT count(DISTINCT xmin::text)::int AS count FROM invoices WHERE id LIKE 'inv_due_%'",
      );
      return row?.count ?? NaN;
    };
    ctx.clock.advance(20 * 60_000);
    await addMany("2020-01-01", JSON.stringify({ note: "x".repeat(9 * 4_096) }));
    expect(await transactions()).to.equal(MANY / 50);
  });
});
