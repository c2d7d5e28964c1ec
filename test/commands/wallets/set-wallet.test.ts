import { expect } from "chai";
import type { DataSource } from "typeorm";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { changeWallet } from "../../../commands/wallets/change-wallet";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import { createStore } from "../../../commands/stores/create-store";
import type { Actor } from "../../../commands/context";
import { giveAddress } from "../../../commands/invoices/give-address";
import { readPaymentMethod } from "../../../commands/wallets/list-payment-methods";
import { skipAddresses } from "../../../commands/wallets/skip-addresses";
import { Alert } from "../../../entities/alert";
import { Store } from "../../../entities/store";
import { StoreMember } from "../../../entities/store-member";
import { User } from "../../../entities/user";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";
import { newXpub } from "../../support/factories";
import { reading } from "../../../commands/transaction";
import { refusal } from "../../support/refusal";

const KEY: Actor = { kind: "key", id: "key_1" };
const INDEX_MAX = 0x7fff_ffff;

describe("a store's wallet", () => {
  let db: DataSource;
  /** The operator's. */
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  afterEach(() => db.destroy());

  const by = (actor: Actor): TestContext => ({ ...ctx, actor });
  const store = async (xpub?: string, startIndex?: number): Promise<string> =>
    (
      await createStore(ctx, {
        name: "Shop",
        ...(xpub === undefined ? {} : { wallet: { xpub, startIndex } }),
      })
    ).id;
  /** As its owners may in the dashboard. */
  const allowKeys = async (...ids: string[]): Promise<void> => {
    for (const id of ids) await db.manager.update(Store, id, { walletChangesByKey: true });
    await acceptRows(ctx);
  };
  const nextIndex = async (storeId: string) =>
    (await readPaymentMethod(reading(ctx), storeId, "BTC-CHAIN")).wallet?.nextIndex;
  const user = async (admin: boolean, ...owned: string[]): Promise<Actor> => {
    const id = ctx.newId("usr");
    await db.manager.insert(User, { id, email: `${id}@example.com`, admin });
    for (const storeId of owned)
      await db.manager.insert(StoreMember, { storeId, userId: id, role: "owner", createdAt: new Date() });
    await acceptRows(ctx);
    return { kind: "user", id };
  };
  const alertsOf = async (storeId: string) =>
    (await db.manager.findBy(Alert, { storeId })).map(({ kind, message }) => ({ kind, message }));

  describe("its start index", () => {
    const refusedAt = async (work: Promise<unknown>) =>
      (await refusal(work)).errors.map(({ pointer }) => pointer);

    it("is refused by REST and dashboard when it is more than 10,000 above the highest index in use", async () => {
      const id = await store();
      await allowKeys(id);
      const xpub = newXpub();
      for (const actor of [KEY, await user(false, id), await user(true)])
        expect(await refusedAt(changeWallet(by(actor), id, { xpub, startIndex: 10_000 }))).to.deep.equal([
          "/startIndex",
        ]);
      await changeWallet(by(KEY), id, { xpub, startIndex: 9_999 });
      // Nothing was given out since: to ask again goes no further.
      expect(await refusedAt(changeWallet(by(KEY), id, { xpub, startIndex: 10_000 }))).to.have.length(1);
      await createInvoice(ctx, id, { amount: "1000", currency: "SATS" });
      await changeWallet(by(KEY), id, { xpub, startIndex: 19_999 });
      expect(await nextIndex(id)).to.equal(19_999);
    });

    it("is accepted by REST when the operator has moved the wallet further already", async () => {
      const xpub = newXpub();
      const id = await store(xpub);
      await skipAddresses(ctx, id, 1_000_000);
      await changeWallet(by(KEY), id, { xpub, startIndex: 1_000_000 });
      expect(await nextIndex(id)).to.equal(1_000_000);
    });

    it("has no such limit on the command line, and ends at 2^31-1 there too", async () => {
      const id = await store(newXpub(), INDEX_MAX - 5);
      expect(await nextIndex(id)).to.equal(INDEX_MAX - 5);
      expect((await refusal(store(newXpub(), INDEX_MAX + 1))).errors[0]?.pointer).to.equal("/startIndex");
      const refused = await refusal(skipAddresses(ctx, id, 6));
      expect(refused.errors).to.deep.equal([
        { pointer: "/by", message: "This wallet has 5 addresses left." },
      ]);
      expect(await skipAddresses(ctx, id, 5)).to.equal(INDEX_MAX);
    });
  });

  it("does not count as moved because of addresses that invoices take during the change", async () => {
    const xpub = newXpub();
    const id = await store(xpub);
    const busy = db.createQueryRunner();
    await busy.startTransaction();
    await busy.query("UPDATE wallets SET next_index = next_index + 7");
    const again = changeWallet(by(KEY), id, { xpub, startIndex: 5 });
    await eventually(async () => {
      const waiting = await db.query<unknown[]>("SELECT 1 FROM pg_locks WHERE NOT granted");
      expect(waiting).not.to.be.empty;
    });
    await busy.commitTransaction();
    await busy.release();
    expect((await again).wallet?.nextIndex).to.equal(7);
    expect(await alertsOf(id)).to.deep.equal([]);
  });

  it("that is exhausted fails with an error that says so, at creation and when an address is requested", async () => {
    const id = await store(newXpub(), INDEX_MAX - 1);
    const invoice = { amount: "1000", currency: "SATS" };
    await createInvoice(ctx, id, invoice);
    const words = /^The store's wallet has no address left/;
    const refused = await refusal(createInvoice(ctx, id, invoice));
    expect([refused.code, words.test(refused.message)]).to.deep.equal(["payment-method-unavailable", true]);
    await db.manager.update(Store, id, { lazyAddresses: true });
    const lazy = await createInvoice(ctx, id, invoice);
    expect((await refusal(giveAddress(ctx, id, lazy.invoice.id))).message).to.match(words);
  });

  describe("that another store uses", () => {
    const inUse = async (actor: Actor, storeId: string, xpub: string) => {
      const { code, message } = await refusal(changeWallet(by(actor), storeId, { xpub }));
      expect(code).to.equal("wallet-in-use");
      return message;
    };

    it("is refused by key, to a worker and from a user who does not own both stores, without naming the other store", async () => {
      const xpub = newXpub();
      const theirs = await store(xpub);
      const mine = await store();
      const worker: Actor = { kind: "system", id: null };
      const others = [KEY, worker, await user(false), await user(false, mine), await user(false, theirs)];
      for (const actor of others) {
        const message = await inUse(actor, mine, xpub);
        expect(message).not.to.include(theirs);
      }
      await db.manager.update(Store, theirs, { archivedAt: new Date() });
      await inUse(KEY, mine, xpub);
      expect((await db.query<unknown[]>("SELECT 1 FROM store_payment_methods")).length).to.equal(1);
    });

    it("is accepted from a user who owns all of them, an admin and the command line", async () => {
      const xpub = newXpub();
      const theirs = await store(xpub);
      for (const actorOf of [
        (mine: string) => user(false, mine, theirs),
        () => user(true),
        () => Promise.resolve(ctx.actor),
      ]) {
        const mine = await store();
        await changeWallet(by(await actorOf(mine)), mine, { xpub });
        await db.query("DELETE FROM store_payment_methods WHERE store_id = $1", [mine]);
      }
    });

    it("stays with a store that has it, whoever sets it again", async () => {
      const xpub = newXpub();
      await store(xpub);
      const mine = await store(xpub);
      await allowKeys(mine);
      await changeWallet(by(KEY), mine, { xpub, startIndex: 100 });
      expect(await nextIndex(mine)).to.equal(100);
    });

    it("goes to one of two stores that set it at once", async () => {
      const xpub = newXpub();
      const stores = await Promise.all([store(), store(), store()]);
      const set = await Promise.allSettled(stores.map((id) => changeWallet(by(KEY), id, { xpub })));
      expect(set.filter(({ status }) => status === "fulfilled")).to.have.length(1);
    });

    it("alerts every store that shares it when its next index is moved", async () => {
      const xpub = newXpub();
      const stores = [await store(xpub), await store(xpub), await store(newXpub())] as const;
      await db.manager.update(Store, stores[0], { archivedAt: new Date() });
      await allowKeys(stores[1]);
      await changeWallet(by(KEY), stores[1], { xpub, startIndex: 500 });
      await skipAddresses(ctx, stores[0], 10);
      for (const [at, id] of stores.entries()) {
        const alerts = await alertsOf(id);
        expect(alerts, `store ${at}`).to.have.length(at === 2 ? 0 : 2);
        for (const [jump, { kind, message }] of alerts.entries()) {
          expect(kind).to.equal("wallet-changed");
          const moved = at === 1 ? "next index 500), by an API key" : "from index 0 to 500, by an API key";
          expect(message).to.include(jump === 0 ? moved : "from index 500 to 510");
          for (const other of stores) expect(message).not.to.include(other);
        }
      }
    });
  });
});
