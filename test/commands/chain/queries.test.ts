import { expect } from "chai";
import type { DataSource } from "typeorm";
import * as paymentQueries from "../../../commands/chain/payment-queries";
import * as queries from "../../../commands/chain/queries";
import { holdsHeight } from "../../../commands/chain/payment-queries";
import { endSetAsideInBlock, readSetAside } from "../../../commands/chain/set-aside";
import { Payment } from "../../../entities/payment";
import { testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { keptPlan, LARGE, planOfAny, plansOf, statementsIn } from "../../support/plans";

/** As `LARGE`: what is kept of payments. */
const KEPT = /Seq Scan on (payment_transactions|set_aside)\b/;
/** Reads a few rows of a table of any size, or all of one that is as small as what is followed. */
const READS_FEW = ["readFewInputs", "readTip", "countEachSetAside"];

describe("SQL statements about the chain", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  for (const [name, statement] of [...statementsIn(queries), ...statementsIn(paymentQueries)]) {
    if (READS_FEW.includes(name)) continue;

    it(`scan no large table: ${name}`, async () => {
      const plan = await planOfAny(db, statement);
      expect(plan).to.not.match(LARGE);
      expect(plan).to.not.match(KEPT);
    });

    if (statement.planned === "once")
      it(`keep no plan that scans a large table: ${name}`, async () => {
        expect(await keptPlan(db, statement)).to.not.match(LARGE);
      });
  }

  it("do so as TypeORM writes them", async () => {
    const ctx = await testContext({ db });
    const plans = await plansOf(db, async () => {
      await db.manager.findBy(Payment, [{ blockHash: "aa" }, { conflictHeights: holdsHeight(7) }]);
      await readSetAside(db.manager, "transaction", ["aa"]);
      await endSetAsideInBlock(db.manager, ctx, "aa");
    });
    expect(plans).to.not.be.empty;
    for (const plan of plans) expect(plan).to.not.match(LARGE);
  });
});
