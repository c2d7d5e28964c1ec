import { expect } from "chai";
import type { DataSource } from "typeorm";
import {
  countInvoices,
  countMadeBy,
  lockEnabledUser,
  lockStoresOfMaker,
  lockUser,
  readKeys,
  readWebhookHealth,
  sumReceived,
  touchKey,
} from "../../../commands/stores/queries";
import { testDatabase } from "../../support/database";
import { plansOf } from "../../support/plans";

describe("SQL statements of stores", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  const works: [string, () => Promise<unknown>][] = [
    ["keys by their hashes", () => readKeys(db.manager, [Buffer.alloc(32)])],
    ["when a key was used", () => touchKey(db.manager, "k")],
    ["locking who makes a store", () => lockUser(db.manager, "u")],
    ["locking who makes something", () => lockEnabledUser(db.manager, "u")],
    ["what users have made", () => countMadeBy(db.manager, ["u"], "s")],
    ["locking where a user has made something", () => lockStoresOfMaker(db.manager, "u", null)],
    ["what was received", () => sumReceived(db.manager, "s", new Date(0), 30)],
    ["counting invoices", () => countInvoices(db.manager, "s", new Date(0), ["New", "Settled"])],
    ["the webhooks' health", () => readWebhookHealth(db.manager, "s")],
  ];
  for (const [what, work] of works)
    it(`scan no table: ${what}`, async () => {
      const plans = await plansOf(db, work);
      expect(plans).to.have.length(1);
      expect(plans[0]).to.not.match(/Seq Scan/);
    });
});
