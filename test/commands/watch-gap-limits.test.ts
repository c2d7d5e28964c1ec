import { expect } from "chai";
import type { DataSource } from "typeorm";
import { watchGapLimits } from "../../commands/watch-gap-limits";
import { Alert } from "../../entities/alert";
import type { Store } from "../../entities/store";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { buildInvoice, buildPayment, buildStore } from "../support/factories";

describe("the watch over gap limits", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  before(async () => (db = await testDatabase()));
  after(() => db.destroy());
  beforeEach(async () => {
    ctx = await testContext({ db });
    store = await buildStore(ctx);
  });

  const unpaid = async (count: number): Promise<string> => {
    let id = "";
    for (let made = 0; made < count; made += 1) id = (await buildInvoice(ctx, { store })).invoice.id;
    return id;
  };
  const alerts = async (): Promise<boolean[]> => {
    const rows = await db.manager.findBy(Alert, { kind: "gap-limit", storeId: store.id });
    return rows.map(({ resolvedAt }) => resolvedAt === null);
  };

  it("alerts once when more than 20 addresses in a row were not paid, and ends it when one is", async () => {
    await unpaid(20);
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([]);
    const last = await unpaid(1);
    expect(await watchGapLimits(ctx)).to.equal(1);
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([true]);
    await buildPayment(ctx, last, { state: "pending" });
    expect(await watchGapLimits(ctx)).to.equal(0);
    expect(await alerts()).to.deep.equal([false]);
  });

  it("says nothing of a wallet that is paid now and then", async () => {
    const paid = await unpaid(15);
    await buildPayment(ctx, paid, { state: "pending" });
    await unpaid(15);
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([]);
  });
});
