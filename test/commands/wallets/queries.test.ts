import { expect } from "chai";
import type { DataSource } from "typeorm";
import {
  MACS,
  moveBehindGivenOut,
  readAnswers,
  readDestinations,
  readLink,
  readOffers,
  readUse,
  takeIndexes,
} from "../../../commands/wallets/queries";
import { testDatabase } from "../../support/database";
import { plansOf } from "../../support/plans";

describe("SQL statements of wallets", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  const works: [string, () => Promise<unknown>][] = [
    ["taking indexes", () => takeIndexes(db.manager, "d", 1)],
    ["going on behind what was given out", () => moveBehindGivenOut(db.manager, "d", Buffer.alloc(22))],
    ["destinations", () => readDestinations(db.manager, ["i"])],
    ["a store's wallet", () => readLink(db.manager, "s")],
    ["stores' offers", () => readOffers(db.manager, ["s"])],
    ["how far a wallet was paid", () => readUse(db.manager, "d", 21)],
    ["kept answers", () => readAnswers(db.manager, ["s"], ["k"])],
    ...Object.entries(MACS).flatMap(([place, { readAfter, renew }]): [string, () => Promise<unknown>][] => [
      [`the MACs of ${place}`, () => readAfter(db.manager, "a", "b")],
      [
        `renewing the MACs of ${place}`,
        () => renew(db.manager, ["a"], ["b"], [Buffer.alloc(32)], [Buffer.alloc(32)]),
      ],
    ]),
  ];
  for (const [what, work] of works)
    it(`scan no table: ${what}`, async () => {
      const plans = await plansOf(db, work);
      expect(plans).to.have.length(1);
      expect(plans[0]).to.not.match(/Seq Scan/);
    });
});
