import { expect } from "chai";
import type { DataSource } from "typeorm";
import {
  answerKey,
  countPayments,
  eraseAnswers,
  eraseNotes,
  findHeld,
  lockDeliveries,
  readDue,
  readHeld,
  readHistory,
  readKey,
  readPayments,
  readStoresThatWait,
} from "../../../commands/invoices/queries";
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

  const now = new Date(0);
  const works: [string, () => Promise<unknown>][] = [
    ["what is due", () => readDue(db.manager, now, "-infinity", "")],
    ["held expiries", () => readHeld(db.manager, "")],
    ["whether any is held", () => findHeld(db.manager)],
    ["stores with held expiries", () => readStoresThatWait(db.manager, now, 10)],
    ["locking deliveries", () => lockDeliveries(db.manager, "i")],
    ["erasing what receivers answered", () => eraseAnswers(db.manager, "i")],
    ["erasing notes", () => eraseNotes(db.manager, "i")],
    ["an idempotency key", () => readKey(db.manager, "s", "k", now)],
    [
      "answering an idempotency key",
      () => answerKey(db.manager, "s", "k", "c", Buffer.alloc(1), Buffer.alloc(32)),
    ],
    ["an invoice's history", () => readHistory(db.manager, "i", "1", "d1", 50)],
    ["invoices' payments", () => readPayments(db.manager, ["i"])],
    ["counting invoices' payments", () => countPayments(db.manager, ["i"])],
  ];
  for (const [what, work] of works)
    it(`scan no table: ${what}`, async () => {
      const plans = await plansOf(db, work);
      expect(plans).to.have.length(1);
      expect(plans[0]).to.not.match(/Seq Scan/);
    });

  it("scan no table: a search", async () => {
    const ctx = await testContext({ db });
    const plans = await plansOf(db, () => listInvoices(ctx, "s", { q: "x", archived: false }, { limit: 50 }));
    for (const plan of plans) expect(plan).to.not.match(/Seq Scan/);
  });
});
