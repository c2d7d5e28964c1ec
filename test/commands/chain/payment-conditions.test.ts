import { expect } from "chai";
import type { DataSource } from "typeorm";
import { isLive, isLost } from "../../../domain/chain/onchain-payment";

import { PAYMENT_STATES } from "../../../domain/invoice/status";
import { countsByRow } from "../../../domain/invoice/vanished";
import { Payment, whereCounted, whereLive, whereLost, whereUnmined } from "../../../entities/payment";
import { testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { breaksInvariants } from "../../support/invariants-always";
import { buildInvoice, buildPayment } from "../../support/factories";

describe("the conditions of SQL about payments", () => {
  let db: DataSource;
  let rows: Payment[];

  before(async () => {
    db = await testDatabase();
    breaksInvariants(db, "its rows have every combination of columns");
    const ctx = await testContext({ db });
    const { id } = (await buildInvoice(ctx)).invoice;
    for (const state of PAYMENT_STATES)
      for (const neverCounts of [false, true])
        for (const confirmedAt of [null, new Date()])
          for (const conflictHeights of [[], [90]])
            for (const givenUp of [false, true])
              for (const blockHeight of [null, 100])
                await buildPayment(ctx, id, {
                  ...{ state, neverCounts, confirmedAt, conflictHeights, givenUp, blockHeight },
                  blockHash: blockHeight === null ? null : "hash-100",
                });
    rows = await db.manager.find(Payment);
  });
  after(() => db.destroy());

  const unmined = ({ blockHeight }: Payment): boolean => blockHeight === null;
  const conditions: [string, (alias?: string) => string, (row: Payment) => boolean][] = [
    ["isLive", whereLive, isLive],
    ["countsByRow", whereCounted, countsByRow],
    ["isLive of what is in no block", whereUnmined, (row) => unmined(row) && isLive(row)],
    ["isLost of what is in no block", whereLost, (row) => unmined(row) && isLost(row)],
  ];
  for (const [name, where, rule] of conditions)
    it(`select by SQL what ${name} says`, async () => {
      const found = await db.query<{ id: string }[]>(`SELECT p.id FROM payments p WHERE ${where("p")}`);
      const wanted = rows.filter(rule);
      expect(found.map(({ id }) => id)).to.have.members(wanted.map(({ id }) => id));
      expect(wanted.length).to.be.within(1, rows.length - 1);
    });

  it("select no Lightning payment as one that is in no block", async () => {
    const runner = db.createQueryRunner();
    await runner.startTransaction();
    await runner.query("UPDATE payments SET type = 'BTC-LN'");
    const found: unknown = await runner.query(
      `SELECT id FROM payments WHERE ${whereUnmined()} OR ${whereLost()}`,
    );
    await runner.rollbackTransaction();
    await runner.release();
    expect(found).to.deep.equal([]);
  });
});
