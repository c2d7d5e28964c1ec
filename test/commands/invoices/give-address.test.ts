import { expect } from "chai";
import { activateOnchain } from "../../../commands/invoices/give-address";
import { allocateAddresses } from "../../../commands/wallets/allocate-address";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { changeWallet, removeWallet } from "../../../commands/wallets/change-wallet";
import { giveAddress } from "../../../commands/invoices/give-address";
import { readPaymentMethod } from "../../../commands/wallets/list-payment-methods";
import { listInvoiceHistory } from "../../../commands/invoices/list-invoice-history";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { openCheckout } from "../../../commands/invoices/read-checkout";
import { readInvoice } from "../../../commands/invoices/read-invoice";
import { decideInvoice } from "../../../commands/invoices/sync-lightning-invoices";
import { deriveAddress } from "../../support/derive-address";
import { Wallet } from "../../../entities/wallet";
import { InvoicePaymentMethod } from "../../../entities/invoice-payment-method";
import { Store } from "../../../entities/store";
import { WatchedScript } from "../../../entities/watched-script";
import { ChainBench } from "../../support/chain";
import type { TestContext } from "../../support/context";
import { buildInvoice, buildStore, newXpub } from "../../support/factories";
import { LightningBench } from "../../support/lightning";
import { inTransaction, reading } from "../../../commands/transaction";
import { refusalCode } from "../../support/refusal";

const NOT_ACTIVATED = { destination: null, available: false, reason: "not-activated" };
const TOO_LATE = { destination: null, available: false, reason: "no-longer-payable" };

async function buildLazyStore(ctx: TestContext, overrides: Parameters<typeof buildStore>[1] = {}) {
  const store = await buildStore(ctx, overrides);
  await ctx.db.manager.update(Store, store.id, { lazyAddresses: true });
  return store;
}

async function methodOf(ctx: TestContext, invoiceId: string): Promise<Partial<InvoicePaymentMethod>> {
  const { destination, available, reason } = await ctx.db.manager.findOneByOrFail(InvoicePaymentMethod, {
    invoiceId,
    type: "BTC-CHAIN",
  });
  return { destination, available, reason };
}

describe("a lazy address", () => {
  let bench: ChainBench;
  let ctx: TestContext;
  let store: Store;
  let xpub: string;
  beforeEach(async () => {
    bench = await ChainBench.start();
    ({ ctx } = bench);
    await bench.look();
    xpub = newXpub();
    store = await buildLazyStore(ctx, { wallet: { xpub } });
  });
  afterEach(() => bench.stop());

  const create = async (input: Parameters<typeof buildInvoice>[1] = {}): Promise<string> =>
    (await buildInvoice(ctx, { store, ...input })).invoice.id;
  const open = async (id: string): Promise<string> => {
    const { view } = await openCheckout(ctx, id);
    return view.methods[0]?.destination ?? "";
  };
  const addressAt = (index: number): string =>
    deriveAddress({ xpub, scriptType: "wpkh" }, index, "regtest").address;
  const nextIndex = async (): Promise<number | undefined> =>
    (await readPaymentMethod(reading(ctx), store.id, "BTC-CHAIN")).wallet?.nextIndex;
  const warnings = (): unknown[] => ctx.lines.filter(({ level }) => level === "warn");

  it("is not given without a Bitcoin node to watch it", async () => {
    const { invoice } = await buildInvoice(ctx, { store });
    const given = giveAddress({ ...ctx, chain: null }, store.id, invoice.id);
    expect(await refusalCode(given)).to.equal("payment-method-unavailable");
    expect(await methodOf(ctx, invoice.id)).to.deep.equal(NOT_ACTIVATED);
  });

  it("is not given at creation, or by reading, deciding or checking the invoice", async () => {
    const id = await create();
    await readInvoice(ctx, store.id, id);
    await changeInvoice(ctx, id);
    await decideInvoice(ctx, id);
    expect(await methodOf(ctx, id)).to.deep.equal(NOT_ACTIVATED);
    expect([await nextIndex(), await ctx.db.manager.countBy(WatchedScript, {})]).to.deep.equal([0, 0]);
  });

  it("is not given by another store", async () => {
    const id = await create();
    const other = await buildStore(ctx);
    expect(await refusalCode(giveAddress(ctx, other.id, id))).to.equal("invoice-not-found");
    expect(await methodOf(ctx, id)).to.deep.equal(NOT_ACTIVATED);
  });

  it("is given once when the page is opened, appears in the history, and stays", async () => {
    const id = await create();
    const address = await open(id);
    expect(address).to.equal(addressAt(0));
    expect(await methodOf(ctx, id)).to.deep.equal({ destination: address, available: true, reason: null });
    expect(await open(id)).to.equal(address);
    const { methods } = await activateOnchain(ctx, store.id, id);
    expect(methods.map(({ destination }) => destination)).to.deep.equal([address]);
    const { items } = await listInvoiceHistory(ctx, store.id, id, { limit: 10 });
    expect(items.filter(({ kind }) => kind === "activated").map(({ details }) => details)).to.deep.equal([
      { type: "BTC-CHAIN", address },
    ]);
  });

  it("is one for 20 that open the page at once, without a skipped index", async () => {
    const ids = [await create(), await create()];
    const given = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => ({ at: at % 2, address: await open(ids[at % 2] ?? "") })),
    );
    expect(new Set(given.map(({ at, address }) => `${at} ${address}`)).size).to.equal(2);
    expect(new Set(given.map(({ address }) => address))).to.deep.equal(new Set([addressAt(0), addressAt(1)]));
    expect(await nextIndex()).to.equal(2);
    expect(await ctx.db.manager.countBy(WatchedScript, {})).to.equal(2);
    expect(warnings()).to.deep.equal([]);
  });

  it("is not taken, nor its index, when the process dies before the commit", async () => {
    const id = await create();
    const { id: walletId } = await ctx.db.manager.findOneByOrFail(Wallet, {});
    const wallet = { id: walletId, scriptType: "wpkh" as const, xpub };
    const died: unknown = await inTransaction(ctx, async (tx) => {
      await allocateAddresses(tx, [{ invoiceId: id, wallet }]);
      await tx.manager.query("SELECT pg_terminate_backend(pg_backend_pid())");
    }).catch((cause: unknown) => cause);
    expect(died).to.be.instanceOf(Error);
    expect([await nextIndex(), await ctx.db.manager.countBy(WatchedScript, {})]).to.deep.equal([0, 0]);
    expect(await open(id)).to.equal(addressAt(0));
  });

  it("is given when the store has turned the setting off", async () => {
    const id = await create();
    await ctx.db.manager.update(Store, store.id, { lazyAddresses: false });
    expect((await buildInvoice(ctx, { store })).methods[0]?.destination).to.equal(addressAt(0));
    expect(await open(id)).to.equal(addressAt(1));
  });

  it("is not given without a wallet: the page is shown, and has it when there is one again", async () => {
    const id = await create();
    await removeWallet(ctx, store.id);
    expect(await open(id)).to.equal("");
    expect(warnings()).to.have.length(1);
    expect(await refusalCode(activateOnchain(ctx, store.id, id))).to.equal("payment-method-unavailable");
    await changeWallet(ctx, store.id, { xpub });
    expect(await open(id)).to.equal(addressAt(0));
  });

  it("is not given when the price is dust to the wallet's script type of that moment", async () => {
    const id = await create({ amount: "300" });
    await changeWallet(ctx, store.id, { xpub, scriptType: "pkh" });
    expect(await refusalCode(activateOnchain(ctx, store.id, id))).to.equal("payment-method-unavailable");
    const wallets = await ctx.db.manager.find(Wallet);
    expect(wallets.map((wallet) => wallet.nextIndex)).to.deep.equal([0, 0]);
    expect(await ctx.db.manager.countBy(WatchedScript, {})).to.equal(0);
  });

  describe("of an ended invoice", () => {
    it("is never given once the time is up, decided or not", async () => {
      const id = await create();
      ctx.clock.advance(900_001);
      expect(await open(id)).to.equal("");
      expect(await refusalCode(activateOnchain(ctx, store.id, id))).to.equal("invalid-transition");
      expect(await methodOf(ctx, id)).to.deep.equal(NOT_ACTIVATED);
      await changeInvoice(ctx, id);
      expect(await bench.status(id)).to.equal("Expired/None");
      expect(await methodOf(ctx, id)).to.deep.equal(TOO_LATE);
      expect(await open(id)).to.equal("");
      expect(await refusalCode(activateOnchain(ctx, store.id, id))).to.equal("invalid-transition");
      expect(await nextIndex()).to.equal(0);
    });

    it("does not hold an expiry for a chain that cannot have paid it", async () => {
      const id = await create();
      const opened = await create();
      await open(opened);
      ctx.clock.advance(900_001);
      await changeInvoice(ctx, id);
      await changeInvoice(ctx, opened);
      expect(await bench.status(id)).to.equal("Expired/None");
      expect(await bench.status(opened), "its address may have been paid").to.equal("New/None");
    });

    for (const status of ["Settled", "Invalid"] as const)
      it(`is never given after a mark as ${status} by hand`, async () => {
        const id = await create();
        await markInvoice(ctx, store.id, id, { status });
        expect(await open(id)).to.equal("");
        expect(await refusalCode(activateOnchain(ctx, store.id, id))).to.equal("invalid-transition");
        expect(await methodOf(ctx, id)).to.deep.equal(TOO_LATE);
      });
  });

  describe("that was just given", () => {
    it("is watched: a payment that is first seen in a block settles", async () => {
      const id = await create();
      await bench.look();
      const txid = await bench.node.pay(await open(id), 100_000n);
      await bench.node.mine(1);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "confirmed" });
      expect(await bench.status(id)).to.equal("Settled/None");
    });
  });
});

describe("a lazy address beside Lightning", () => {
  let bench: LightningBench;
  let ctx: TestContext;
  let store: Store;
  beforeEach(async () => {
    bench = await LightningBench.start({ times: { call: 30_000, addInvoice: 30_000 } });
    ({ ctx } = bench);
    store = await buildLazyStore(ctx, { lightning: true });
  });
  afterEach(() => bench.stop());

  it("does not change the BOLT11, before and after", async () => {
    const { invoice, methods } = await buildInvoice(ctx, { store });
    const bolt11 = methods.find(({ type }) => type === "BTC-LN")?.destination ?? "";
    expect(bolt11).to.match(/^lnbcrt/);
    const { view } = await openCheckout(ctx, invoice.id);
    expect(view.methods.map(({ type, available }) => [type, available])).to.deep.equal([
      ["BTC-CHAIN", true],
      ["BTC-LN", true],
    ]);
    expect(view.methods[1]?.destination).to.equal(bolt11);
  });

  it("allows an invoice without an address while the node is away", async () => {
    await bench.node.stop();
    const { invoice, methods } = await buildInvoice(ctx, { store });
    expect(methods.map(({ destination, reason }) => [destination, reason])).to.deep.equal([
      [null, "not-activated"],
      [null, "node-unavailable"],
    ]);
    const { view } = await openCheckout(ctx, invoice.id);
    expect(view.methods[0]?.destination).to.match(/^bcrt1q/);
  });
});
