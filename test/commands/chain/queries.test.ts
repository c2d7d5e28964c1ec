import { expect } from "chai";
import type { DataSource } from "typeorm";
import { holdsHeight } from "../../../commands/chain/payment-queries";
import { endSetAside, readSetAside } from "../../../commands/chain/set-aside";
import { Payment } from "../../../entities/payment";
import { testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { LARGE, plansOf } from "../../support/plans";
import { inTransaction } from "../../../commands/transaction";

describe("SQL statements about the chain", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  it("scan no large table as TypeORM writes them", async () => {
    const ctx = await testContext({ db });
    const plans = await plansOf(db, async () => {
      await db.manager.findBy(Payment, [{ blockHash: "aa" }, { conflictHeights: holdsHeight(7) }]);
      await readSetAside(db.manager, ["aa"]);
      await inTransaction(ctx, (tx) => endSetAside(tx, ["aa"]));
    });
    expect(plans).to.not.be.empty;
    for (const plan of plans) expect(plan).to.not.match(LARGE);
  });
});
