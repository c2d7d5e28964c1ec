import { expect } from "chai";
import type { DataSource } from "typeorm";
import { listInvoices } from "../../../commands/invoices/list-invoices";
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
});
