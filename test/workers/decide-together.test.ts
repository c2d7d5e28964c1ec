import { expect } from "chai";
import type { DataSource } from "typeorm";
import type { InvoiceStatus } from "../../domain/invoice/status";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { buildInvoice } from "../support/factories";
import { makeDecide } from "../../workers/decide-together";

describe("invoices that are decided together", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    await db.query(
      `INSERT INTO rails (type, checked_at, caught_up_to)
       VALUES ('BTC-CHAIN', clock_timestamp(), clock_timestamp() + interval '1 year')`,
    );
  });
  afterEach(() => db.destroy());

  /** Past their expiry. */
  async function dueInvoices(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1) ids.push((await buildInvoice(ctx)).invoice.id);
    ctx.clock.advance(16 * 60_000);
    return ids;
  }
  const statusOf = async (id: string): Promise<InvoiceStatus | undefined> =>
    (await db.query<{ status: InvoiceStatus }[]>("SELECT status FROM invoices WHERE id = $1", [id]))[0]
      ?.status;

  it("each get their own answer, whoever asks twice too", async () => {
    const ids = await dueInvoices(7);
    const decide = makeDecide(ctx, { transactionsAtOnce: 1 });
    const first = ids[0] ?? "";
    const outcomes = await Promise.all([...ids, first].map((id) => decide(id)));
    expect(outcomes.slice(0, 7)).to.deep.equal(ids.map(() => ({ kind: "done", reason: "1 moves" })));
    for (const id of ids) expect(await statusOf(id)).to.equal("Expired");
    expect(await decide(first)).to.deep.equal({ kind: "done", reason: "0 moves" });
  });

  it("keep nobody from being decided who comes with one that does not exist", async () => {
    const ids = await dueInvoices(5);
    const decide = makeDecide(ctx, { transactionsAtOnce: 1 });
    const outcomes = await Promise.allSettled(
      [ids[0], "inv_unknown", ...ids.slice(1)].map((id) => decide(id ?? "")),
    );
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      "fulfilled",
      "rejected",
      ...ids.slice(1).map(() => "fulfilled"),
    ]);
    for (const id of ids) expect(await statusOf(id)).to.equal("Expired");
  });

  it("keep nobody from being decided who comes with one that cannot be", async () => {
    const ids = await dueInvoices(5);
    const broken = ids[3] ?? "";
    await db.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$`,
    );
    await db.query(
      `CREATE TRIGGER refuse BEFORE UPDATE ON invoices FOR EACH ROW WHEN (NEW.id = '${broken}') EXECUTE FUNCTION refuse()`,
    );
    const decide = makeDecide(ctx, { transactionsAtOnce: 1 });
    const outcomes = await Promise.allSettled(ids.map((id) => decide(id)));
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      ...["fulfilled", "fulfilled", "fulfilled", "rejected", "fulfilled"],
    ]);
    for (const id of ids) expect(await statusOf(id)).to.equal(id === broken ? "New" : "Expired");
  });
});
