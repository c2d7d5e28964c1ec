import { expect } from "chai";
import type { DataSource } from "typeorm";
import { watchGapLimits } from "../../../commands/wallets/watch-gap-limits";
import { skipAddresses } from "../../../commands/wallets/skip-addresses";
import { readWalletUse } from "../../../commands/wallets/wallet-use";
import { Alert } from "../../../entities/alert";
import { Store } from "../../../entities/store";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildStore, newXpub } from "../../support/factories";

describe("the check of gap limits", () => {
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

  it("alerts once when more than 20 addresses in a row were not paid, and resolves it when one is", async () => {
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

  it("suggests lazy addresses, of which abandoned invoices use none", async () => {
    await ctx.db.manager.update(Store, store.id, { lazyAddresses: true });
    await unpaid(21);
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([]);
    await ctx.db.manager.update(Store, store.id, { lazyAddresses: false });
    await unpaid(21);
    await watchGapLimits(ctx);
    const [alert] = await db.manager.findBy(Alert, { kind: "gap-limit", storeId: store.id });
    expect(alert?.message).to.include("lazyAddresses");
  });

  for (const [what, payment] of [
    ["by Lightning", { type: "BTC-LN", txid: null, vout: null, state: "confirmed" }],
    ["by a transaction that was replaced", { state: "replaced" }],
    ["by a transaction that left the mempool", { state: "evicted" }],
  ] as const)
    it(`counts an address as unused that was paid ${what}: so does the merchant's wallet`, async () => {
      await buildPayment(ctx, await unpaid(21), payment);
      expect(await watchGapLimits(ctx)).to.be.at.least(1);
      expect(await alerts()).to.deep.equal([true]);
    });

  it("counts after the last paid address, and at most as many as it reads", async () => {
    await buildPayment(ctx, await unpaid(3), { state: "confirmed" });
    await unpaid(4);
    const { walletId } = await db.manager.findOneByOrFail(StorePaymentMethod, { storeId: store.id });
    const use = async (lookBack?: number) => {
      const [of] = await readWalletUse(db.manager, {
        walletId,
        ...(lookBack === undefined ? {} : { lookBack }),
      });
      return [of?.highestPaidIndex, of?.unpaidInARow];
    };
    expect(await use()).to.deep.equal([2, 4]);
    expect(await use(4)).to.deep.equal([null, 4]);
    expect(await use(3)).to.deep.equal([null, 3]);
  });

  it("counts addresses that were skipped after the last paid one: the merchant's wallet has to find them unused", async () => {
    await buildPayment(ctx, await unpaid(1), { state: "confirmed" });
    await skipAddresses(ctx, store.id, 30);
    await watchGapLimits(ctx);
    expect(await alerts(), "nothing was given out behind them yet").to.deep.equal([]);
    const next = await unpaid(1);
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([true]);
    await buildPayment(ctx, next, { state: "pending" });
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([false]);
  });

  it("does not count addresses before the first that was given out: another wallet used them", async () => {
    store = await buildStore(ctx, { wallet: { xpub: newXpub(), startIndex: 1_000 } });
    await unpaid(20);
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([]);
  });

  it("alerts each store that uses the wallet", async () => {
    const xpub = newXpub();
    store = await buildStore(ctx, { wallet: { xpub } });
    const other = await buildStore(ctx, { wallet: { xpub } });
    await unpaid(21);
    await watchGapLimits(ctx);
    expect(await alerts()).to.deep.equal([true]);
    expect(await db.manager.countBy(Alert, { kind: "gap-limit", storeId: other.id })).to.equal(1);
  });
});
