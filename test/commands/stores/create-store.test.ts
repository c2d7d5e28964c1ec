import { expect } from "chai";
import type { DataSource } from "typeorm";
import { createStore } from "../../../commands/stores/create-store";
import { Wallet } from "../../../entities/wallet";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import type { Store } from "../../../entities/store";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { newXpub } from "../../support/factories";

describe("create-store", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  after(() => db.destroy());

  const walletOf = async (store: Store) => {
    const { walletId } = await db.manager.findOneByOrFail(StorePaymentMethod, { storeId: store.id });
    return db.manager.findOneByOrFail(Wallet, { id: walletId ?? "" });
  };

  it("gives stores with one key the same wallet, and another script type its own", async () => {
    const xpub = newXpub();
    const first = await walletOf(await createStore(ctx, { name: "A", wallet: { xpub } }));
    const second = await walletOf(
      await createStore(ctx, { name: "B", wallet: { descriptor: `wpkh(${xpub}/0/*)` } }),
    );
    const third = await walletOf(await createStore(ctx, { name: "C", wallet: { xpub, scriptType: "pkh" } }));
    expect(second.id).to.equal(first.id);
    expect(third.id).not.to.equal(first.id);
  });

  it("only raises the next index, also when many stores are created at once", async () => {
    const xpub = newXpub();
    const stores = await Promise.all(
      [5, 20, 0, 11, 19].map((startIndex) =>
        createStore(ctx, { name: "Shop", wallet: { xpub, startIndex } }),
      ),
    );
    for (const store of stores) expect((await walletOf(store)).nextIndex).to.equal(20);
    const late = await createStore(ctx, { name: "Shop", wallet: { xpub, startIndex: 3 } });
    expect((await walletOf(late)).nextIndex).to.equal(20);
  });
});
