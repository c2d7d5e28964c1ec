import { expect } from "chai";
import type { DataSource } from "typeorm";
import { countsBeganAgain, holdsHeight } from "../../../commands/chain/payment-queries";
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

  describe("say that lost payments are counted again", () => {
    const NOW = new Date("2026-01-01T12:00:00Z");
    const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
    const begins = async (caughtUpTo: Date, closedAt: Date | null): Promise<boolean | undefined> =>
      db.transaction(async (manager) => {
        await manager.query("DELETE FROM chain_gaps");
        await manager.query(
          `INSERT INTO payment_method_syncs (type, checked_at, synchronized, caught_up_to)
           VALUES ('BTC-CHAIN', $1, true, $1) ON CONFLICT (type) DO UPDATE SET caught_up_to = $1`,
          [caughtUpTo],
        );
        await manager.query(
          "INSERT INTO chain_gaps (kind, began_at, ended_at, closed_at) VALUES ('blind', $1, $1, $2)",
          [at(-1_000), closedAt],
        );
        return (await countsBeganAgain(manager, NOW)).rows[0]?.again;
      });

    it("after a gap that closed since the last complete check", async () => {
      expect(await begins(at(-5), at(-2))).to.equal(true);
      expect(await begins(at(-5), at(-8))).to.equal(false);
    });

    it("after a pause of the checks", async () => {
      expect(await begins(at(-3_600), at(-5_000))).to.equal(true);
    });

    it("not while a gap is open", async () => {
      expect(await begins(at(-5), null)).to.equal(undefined);
    });

    it("not at every check because of a gap that closed by a clock that was ahead", async () => {
      expect(await begins(at(-5), at(7_200))).to.equal(false);
    });
  });
});
