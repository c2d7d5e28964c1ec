import { expect } from "chai";
import type { DataSource } from "typeorm";
import * as queries from "../../../commands/lightning/queries";
import { testDatabase } from "../../support/database";
import { keptPlan, LARGE, planOfAny, statementsIn } from "../../support/plans";

/** As `LARGE`: what an invoice with Lightning has. */
const LIGHTNING = /Seq Scan on (bolt11s|invoice_payment_methods)\b/;
/** By no index: it is asked when a connection to a node begins whose macaroon hides its key. */
const READS_ALL = ["readLatestOfNodes"];

describe("SQL statements about Lightning", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  for (const [name, statement] of statementsIn(queries)) {
    if (READS_ALL.includes(name)) continue;

    it(`scan no large table: ${name}`, async () => {
      const plan = await planOfAny(db, statement);
      expect(plan).to.not.match(LARGE);
      expect(plan).to.not.match(LIGHTNING);
    });

    if (statement.planned === "once")
      it(`keep no plan that scans a large table: ${name}`, async () => {
        const plan = await keptPlan(db, statement);
        expect(plan).to.not.match(LARGE);
        expect(plan).to.not.match(LIGHTNING);
      });
  }

  it("plan the read of open BOLT11s each time: a plan for an empty table would scan it", async () => {
    expect(queries.openBolt11s.planned).to.equal("each time");
    expect(await keptPlan(db, queries.openBolt11s)).to.match(LIGHTNING);
  });
});
