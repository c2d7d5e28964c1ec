import { expect } from "chai";
import type { DataSource } from "typeorm";
import { listInvoices } from "../../../commands/invoices/list-invoices";
import { copyInvoice } from "../../support/copy-invoice";
import { buildInvoice, buildStore } from "../../support/factories";
import { breaksInvariants } from "../../support/invariants-always";
import { testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { plansOf } from "../../support/plans";

describe("SQL statements of invoices", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  it("scan no table: a search", async () => {
    const ctx = await testContext({ db });
    const plans = await plansOf(db, () => listInvoices(ctx, "s", { q: "x", archived: false }, { limit: 50 }));
    for (const plan of plans) expect(plan).to.not.match(/Seq Scan/);
  });

  it("find words by their index among 20,000 invoices, as long as few have them", async () => {
    const ctx = await testContext({ db });
    const store = await buildStore(ctx);
    const { invoice } = await buildInvoice(ctx, { store });
    breaksInvariants(db, "copies have no events");
    await copyInvoice(db, invoice.id, 20_000);
    await db.query("UPDATE invoices SET order_id = 'A-' || right(id, 5), description = 'Darjeeling'");
    await db.query("ANALYZE invoices");
    const planOf = async (search: string) =>
      (await plansOf(db, () => listInvoices(ctx, store.id, { search, archived: false }, { limit: 50 })))[0];
    for (const search of ["9-nothing", "1234", "darjeeling 49.90 9-nothing", "zz", "z"])
      expect(await planOf(search), search)
        .to.include("invoices_search")
        .and.not.to.match(/Seq Scan/);
    expect(await planOf("darjeeling"))
      .to.include("Index Scan")
      .and.not.to.match(/Seq Scan/);
  });
});
