import { expect } from "chai";
import type { DataSource } from "typeorm";
import { deleteOldSessions, readMadeKeys, deleteChallenge } from "../../../commands/accounts/queries";
import { testDatabase } from "../../support/database";
import { plansOf } from "../../support/plans";

describe("SQL statements of accounts", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(1);
  });
  after(() => db.destroy());

  const works: [string, () => Promise<unknown>][] = [
    ["the end of old sessions", () => deleteOldSessions(db.manager, "usr", "full")],
    ["the keys that a user made", () => readMadeKeys(db.manager, "usr")],
    ["a passkey's challenge", () => deleteChallenge(db.manager, "challenge", "login", null, new Date())],
  ];
  for (const [what, work] of works)
    it(`use an index: ${what}`, async () => {
      const plans = await plansOf(db, work);
      expect(plans).to.have.lengthOf(1);
      for (const plan of plans) expect(plan).to.not.include("Seq Scan on");
    });
});
