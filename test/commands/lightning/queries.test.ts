import { expect } from "chai";
import type { DataSource } from "typeorm";
import { openBolt11s } from "../../../commands/lightning/queries";
import { readOpen } from "../../../commands/lightning-watch/queries";
import { testDatabase } from "../../support/database";
import { keptPlan, planOfAny } from "../../support/plans";

describe("SQL statements about Lightning", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  it("open BOLT11s by their keys, also by a plan that was made for an empty table", async () => {
    expect(openBolt11s.planned).to.equal("once");
    expect(await keptPlan(db, openBolt11s)).not.to.include("Seq Scan on bolt11s");
  });

  it("find the next open BOLT11s by the index of unfinished ones, however many have ended", async () => {
    expect(readOpen.planned).to.equal("each time");
    expect(await planOfAny(db, readOpen)).to.match(
      /Index Scan using bolt11s_unfinished .*\n.*Index Cond: \(\(node_id = .*expires_at >= /,
    );
  });
});
