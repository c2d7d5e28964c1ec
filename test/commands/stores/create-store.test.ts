import { expect } from "chai";
import { openXpub } from "../../../commands/wallets/wallet-link";
import type { DataSource } from "typeorm";
import { createStore } from "../../../commands/stores/create-store";
import type { DomainError } from "../../../domain/errors";
import { Wallet } from "../../../entities/wallet";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import { Store } from "../../../entities/store";
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
  async function refusal(work: Promise<unknown>): Promise<DomainError> {
    try {
      await work;
    } catch (error) {
      return error as DomainError;
    }
    throw new Error("it was not refused");
  }

  it("keeps currency, confirmations and wallet", async () => {
    const xpub = newXpub();
    const store = await createStore(ctx, {
      name: "Shop",
      defaultCurrency: "EUR",
      requiredConfirmations: 3,
      wallet: { xpub, scriptType: "tr", startIndex: 7 },
    });
    expect(store).to.deep.include({ defaultCurrency: "EUR", requiredConfirmations: 3 });
    const wallet = await walletOf(store);
    expect(wallet).to.deep.include({ scriptType: "tr", nextIndex: 7 });
    expect(openXpub(ctx.secrets, wallet)).to.equal(xpub);
  });

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

  it("refuses invalid fields by name, and writes nothing", async () => {
    const before = await db.manager.count(Store);
    const xpub = newXpub();
    const wrong: [Parameters<typeof createStore>[1], string][] = [
      [{ name: " " }, "/name"],
      [{ name: "x".repeat(101) }, "/name"],
      [{ name: "Shop", defaultCurrency: "eur" }, "/defaultCurrency"],
      [{ name: "Shop", requiredConfirmations: 0 }, "/requiredConfirmations"],
      [{ name: "Shop", requiredConfirmations: 101 }, "/requiredConfirmations"],
      [{ name: "Shop", requiredConfirmations: 1.5 }, "/requiredConfirmations"],
      [{ name: "Shop", wallet: { xpub: "xpub" } }, "/xpub"],
      [{ name: "Shop", wallet: { xpub: newXpub("mainnet") } }, "/xpub"],
      [{ name: "Shop", wallet: { xpub, startIndex: -1 } }, "/startIndex"],
      [{ name: "Shop", wallet: { xpub, startIndex: 2 ** 31 } }, "/startIndex"],
      [{ name: "Shop", wallet: { xpub, startIndex: 0.5 } }, "/startIndex"],
    ];
    for (const [input, pointer] of wrong) {
      const error = await refusal(createStore(ctx, input));
      expect([error.code, error.errors[0]?.pointer], error.stack).to.deep.equal([
        "validation-failed",
        pointer,
      ]);
    }
    expect(await db.manager.count(Store)).to.equal(before);
  });
});
