import { expect } from "chai";
import { changeInvoice } from "../../commands/invoices/change-invoice";
import { openBlindGap } from "../../commands/chain/chain-gaps";
import { hearTransactions } from "../../commands/chain/check-chain";
import { decideDue } from "../../commands/invoices/decide-due";
import { NodeUnavailableError } from "../../domain/errors";
import { GIVEN_UP_AFTER_BLOCKS } from "../../domain/chain/refused-payment";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import { ChainBench } from "../support/chain";
import { checkInvariants } from "../support/invariants";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PRICE = 100_000n;

/** Reorganisations and double spends in every form: run against the simulated node and against a real bitcoind. */
export function doubleSpendStories(startNode: () => Promise<BitcoinNode>): void {
  let bench: ChainBench<BitcoinNode>;
  beforeEach(async function () {
    this.timeout(120_000);
    bench = await ChainBench.on(await startNode());
    await bench.look();
  });
  afterEach(async function () {
    this.timeout(60_000);
    await checkInvariants(bench.ctx.db);
    await bench.stop();
  });

  it("do not count what was in the mempool before the invoice, mined, reorganised or with a higher fee", async () => {
    const { id, address } = await bench.invoice();
    const other = await bench.invoice();
    const { db } = bench.ctx;
    // The merchant's own wallet has given the addresses to somebody else, who pays before there is an invoice.
    await db.query("CREATE TABLE unwatched AS SELECT * FROM watched_scripts");
    await db.query("DELETE FROM watched_scripts");
    const txid = await bench.node.pay(address, PRICE);
    await bench.look();
    const before = await bench.node.pay(other.address, PRICE);
    await db.query("INSERT INTO watched_scripts SELECT * FROM unwatched");
    await db.query("DROP TABLE unwatched");
    for (const each of [id, other.id]) await bench.age(each, -2);
    await bench.look();
    expect(await bench.paymentOf(before)).to.include({ state: "pending", neverCounts: true });
    const raised = await bench.node.bump(before);
    await bench.look();
    await bench.node.mine(1);
    await bench.look();
    await bench.node.reorg(1);
    await bench.look();
    for (const each of [txid, raised])
      expect(await bench.paymentOf(each)).to.include({ state: "confirmed", neverCounts: true });
    for (const each of [id, other.id]) expect(await bench.events(each)).to.deep.equal(["New/None"]);
    const alerts = await bench.alerts("payment-before-invoice");
    expect(alerts.map(({ invoiceId }) => invoiceId)).to.have.members([id, other.id]);
    expect(await bench.alerts("double-spend")).to.deep.equal([]);
  });

  interface Paid {
    id: string;
    txid: string;
    /** What it spends, in no block when it was made. */
    parent: string;
  }

  const raw = (txid: string): Promise<string> => bench.node.rpc<string>("getrawtransaction", txid);
  const elsewhere = async (amountSats = 400_000n): Promise<{ address: string; amountSats: bigint }> => ({
    address: await bench.node.newAddress(),
    amountSats,
  });

  /** An invoice, paid by a transaction that spends another unconfirmed one. */
  async function payWithParent(address: string): Promise<{ txid: string; parent: string }> {
    const parent = await bench.node.pay(await bench.node.newAddress(), 500_000n, { replaceable: false });
    const txid = await bench.node.pay(address, PRICE, { spending: parent, replaceable: false });
    return { txid, parent };
  }

  async function paidWithParent(): Promise<Paid> {
    const { id, address } = await bench.invoice();
    const paid = await payWithParent(address);
    await bench.look();
    expect(await bench.status(id)).to.equal("Processing/None");
    return { id, ...paid };
  }

  /** Mines so many blocks, with a check after each. */
  async function blocks(count: number): Promise<void> {
    for (let mined = 0; mined < count; mined += 1) {
      await bench.node.mine(1);
      await bench.look();
    }
  }

  async function expectDoubleSpent({ id, txid }: { id: string; txid: string }): Promise<void> {
    const payment = await bench.paymentOf(txid);
    expect(payment.state).to.equal("replaced");
    expect(payment.conflictHeights).to.have.length(1);
    await decideDue(bench.ctx); // after the expiry it waits for a complete check
    expect(await bench.status(id)).to.equal("Invalid/None");
    const alerts = await bench.alerts("double-spend");
    expect(alerts.map(({ invoiceId }) => invoiceId)).to.include(id);
  }

  describe("row 8", () => {
    for (const requiredConfirmations of [2, 3])
      it(`never makes an invoice Invalid when three reorganisations follow each other before ${requiredConfirmations} confirmations, without a monitoring window`, async function () {
        this.timeout(120_000);
        bench.runJobsBetweenBlocks();
        const { id, address } = await bench.invoice({ requiredConfirmations, monitoringSeconds: 0 });
        const txid = await bench.node.pay(address, PRICE);
        await bench.look();
        await blocks(1);
        bench.ctx.clock.advance(30 * MINUTE);
        await bench.look();
        expect(await bench.status(id)).to.equal("Processing/None");
        for (let count = 0; count < 3; count += 1) {
          await bench.node.reorg(1, { exclude: [txid] });
          await bench.look();
          expect(await bench.paymentOf(txid)).to.include({ state: "pending", blockHeight: null });
          await changeInvoice(bench.ctx, id);
          expect(await bench.status(id)).to.equal("Processing/None");
          await blocks(1);
        }
        await blocks(requiredConfirmations - 1);
        expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None", "Settled/None"]);
      });

    it("waits until the reorganisation is followed when monitoring ended before it", async () => {
      const { id, address } = await bench.invoice({ monitoringSeconds: 0 });
      const txid = await bench.node.pay(address, PRICE);
      await bench.look();
      bench.ctx.clock.advance(30 * MINUTE);
      // It ends past the monitoring, and nobody decides then.
      await bench.look();
      const during: string[] = [];
      bench.beforeBlock = async () => {
        if ((await bench.methodSync())?.lossAt === null) return;
        await changeInvoice(bench.ctx, id);
        during.push(await bench.status(id));
      };
      await bench.node.reorg(1, { exclude: [txid] });
      await bench.look();
      expect(during).to.not.be.empty;
      expect(new Set(during)).to.deep.equal(new Set(["Processing/None"]));
      expect(await bench.methodSync()).to.include({ lossAt: null });
      await changeInvoice(bench.ctx, id);
      expect(await bench.status(id)).to.equal("Invalid/None");
    });

    it("ends the monitoring a day after a payment left its block when no block has it again", async () => {
      const { id, address } = await bench.invoice({ requiredConfirmations: 2, monitoringSeconds: 0 });
      const txid = await bench.node.pay(address, PRICE);
      await blocks(1);
      bench.ctx.clock.advance(30 * MINUTE);
      await bench.look();
      await bench.node.reorg(1, { exclude: [txid] });
      await bench.look();
      bench.ctx.clock.advance(23 * HOUR);
      await bench.look();
      await changeInvoice(bench.ctx, id);
      expect(await bench.status(id)).to.equal("Processing/None");
      bench.ctx.clock.advance(2 * HOUR);
      await bench.look();
      await changeInvoice(bench.ctx, id);
      expect(await bench.status(id)).to.equal("Invalid/None");
    });
  });

  describe("zero confirmations", () => {
    it("are not accepted when the payment has an unconfirmed ancestor, though neither signals replaceability", async () => {
      const { id, address } = await bench.zeroConfInvoice();
      const { txid } = await payWithParent(address);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "pending", requiredConfirmations: 1 });
      expect(await bench.status(id)).to.equal("Processing/None");
    });

    it("raise an alert at once when a replacement pays less, and end Invalid when that confirms", async () => {
      const { id, address } = await bench.zeroConfInvoice();
      const txid = await bench.node.pay(address, PRICE, { replaceable: false });
      await bench.look();
      expect(await bench.status(id)).to.equal("Settled/None");
      const { firstSeenAt } = await bench.paymentOf(txid);
      bench.ctx.clock.advance(1 * HOUR);
      const rival = await bench.node.bump(txid, {
        to: [{ address, amountSats: 300n }, await elsewhere(50_000n)],
      });
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "replaced", conflictTxid: rival });
      expect(await bench.paymentOf(rival)).to.deep.include({ amountSats: 300n, firstSeenAt });
      expect(await bench.status(id)).to.equal("Settled/None");
      const [alert, ...more] = await bench.alerts("double-spend");
      expect(alert).to.include({ invoiceId: id, severity: "warning", resolvedAt: null });
      expect(more).to.deep.equal([]);
      await blocks(1);
      expect(await bench.status(id)).to.equal("Invalid/None");
      expect(await bench.events(id)).to.deep.equal(["New/None", "Settled/None", "Invalid/None"]);
    });

    it("raise no alert when a replacement pays as much", async () => {
      const { id, address } = await bench.zeroConfInvoice();
      const txid = await bench.node.pay(address, PRICE, { replaceable: false });
      await bench.look();
      const rival = await bench.node.bump(txid);
      await bench.look();
      await blocks(1);
      expect(await bench.paymentOf(rival)).to.include({ state: "confirmed", amountSats: PRICE });
      expect(await bench.status(id)).to.equal("Settled/None");
      expect(await bench.alerts("double-spend")).to.deep.equal([]);
    });
  });

  describe("a payment that a block took back while nobody watched, and one made instead that no block has", () => {
    /** Paid, then double-spent in a block, then paid again. Nobody watches from the double spend on. */
    async function paidTwice(invoice: { id: string; address: string }): Promise<{ again: string }> {
      const txid = await bench.node.pay(invoice.address, PRICE, { replaceable: false });
      await bench.look();
      await bench.node.doubleSpend(txid);
      return { again: await bench.node.pay(invoice.address, PRICE) };
    }
    /** The node answers no more when the blocks were walked. */
    async function lookAtBlocksAlone(): Promise<void> {
      const { mempoolTxids } = bench.chain;
      bench.chain.mempoolTxids = () => Promise.reject(new NodeUnavailableError("away"));
      expect(await bench.look()).to.include({ caughtUp: false });
      bench.chain.mempoolTxids = mempoolTxids;
      bench.forget();
    }

    it("make an unpaid invoice of it New once all is read, when nothing was paid instead", async () => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, PRICE, { replaceable: false });
      await bench.look();
      await bench.node.doubleSpend(txid);
      await lookAtBlocksAlone();
      expect(await bench.status(id)).to.equal("Processing/None");
      await bench.look();
      expect(await bench.status(id)).to.equal("New/None");
    });

    const heard: { name: string; first: bigint; second: bigint; zero: boolean; events: string[] }[] = [
      { name: "twice the price", first: PRICE, second: PRICE, zero: true, events: ["Settled/None"] },
      { name: "the price", first: 60_000n, second: 40_000n, zero: true, events: [] },
      { name: "more than the price", first: 60_000n, second: 60_000n, zero: false, events: [] },
    ];
    for (const { name, first, second, zero, events } of heard)
      it(`do not make ${name} together when the one is heard of while the block is not read`, async () => {
        const { id, address } = await (zero ? bench.zeroConfInvoice() : bench.invoice());
        const txid = await bench.node.pay(address, first, { replaceable: false });
        await bench.look();
        bench.forget();
        await bench.node.doubleSpend(txid);
        let times = 0;
        bench.beforeBlock = async () => {
          if ((times += 1) > 1) return;
          const again = await bench.node.pay(address, second, { replaceable: false });
          expect(
            await hearTransactions(bench.watch, bench.view, [Buffer.from(await raw(again), "hex")]),
          ).to.equal(null);
        };
        expect(await bench.look()).to.include({ caughtUp: true });
        expect(times).to.be.greaterThan(0);
        expect(await bench.events(id)).to.deep.equal(["New/None", ...events]);
      });

    it("leave the invoice Settled when the check ends between blocks and mempool", async () => {
      const invoice = await bench.zeroConfInvoice();
      await paidTwice(invoice);
      await lookAtBlocksAlone();
      await decideDue(bench.ctx);
      await changeInvoice(bench.ctx, invoice.id);
      expect(await bench.status(invoice.id)).to.equal("Settled/None");
      await blocks(1);
      expect(await bench.events(invoice.id)).to.deep.equal(["New/None", "Settled/None"]);
    });

    it("make the invoice Invalid when the check ends there, and nothing was paid instead", async () => {
      const { id, address } = await bench.zeroConfInvoice();
      const txid = await bench.node.pay(address, PRICE, { replaceable: false });
      await bench.look();
      await bench.node.doubleSpend(txid);
      await lookAtBlocksAlone();
      expect(await bench.alerts("double-spend"), "the alert does not wait").to.have.length(1);
      expect(await bench.status(id)).to.equal("Settled/None");
      await bench.look();
      expect(await bench.status(id)).to.equal("Invalid/None");
    });
  });

  describe("a node that has lost its mempool", () => {
    it("gets a payment back that burns sats in another output", async function () {
      this.timeout(60_000);
      const { address } = await bench.invoice();
      const txid = await bench.node.pay(address, PRICE, { burnSats: 1_000n });
      await bench.look();
      await bench.node.restart({ mempool: false });
      await bench.look();
      await bench.look();
      expect(await bench.node.rpc<string[]>("getrawmempool")).to.deep.equal([txid]);
      expect(await bench.paymentOf(txid)).to.include({ state: "pending", missingSince: null });
    });
  });

  describe("a double spend of an unconfirmed ancestor", () => {
    it("makes the payment replaced when it is in the mempool", async () => {
      const { id, txid, parent } = await paidWithParent();
      const rival = await bench.node.bump(parent, { to: [await elsewhere()] });
      await bench.look();
      expect(await bench.paymentOf(txid)).to.deep.include({
        state: "replaced",
        conflictTxid: rival,
        conflictHeights: [],
      });
      expect(await bench.status(id)).to.equal("New/None");
      expect(await bench.alerts("double-spend")).to.have.length(1);
    });

    it("makes Processing Invalid when it is in a block after the expiry", async () => {
      const paid = await paidWithParent();
      bench.ctx.clock.advance(20 * MINUTE);
      await bench.node.doubleSpend(paid.parent);
      await bench.look();
      await expectDoubleSpent(paid);
    });

    it("is none when only the ancestor is left in the mempool", async function () {
      this.timeout(60_000);
      const { id, txid } = await paidWithParent();
      const hex = await raw(txid);
      await bench.node.dropFromMempool(txid);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "pending", conflictTxid: null });
      expect(await raw(txid)).to.equal(hex);
      await blocks(1);
      expect(await bench.status(id)).to.equal("Settled/None");
      expect(await bench.alerts("double-spend")).to.deep.equal([]);
    });

    const made: [string, () => Promise<Paid>][] = [
      [
        "was seen in the mempool",
        async () => {
          const paid = await paidWithParent();
          await blocks(1);
          return paid;
        },
      ],
      [
        "was first seen in the block of its ancestor",
        async () => {
          const { id, address } = await bench.invoice();
          const paid = await payWithParent(address);
          await blocks(1);
          return { id, ...paid };
        },
      ],
      [
        "was made when its ancestor was in a block",
        async () => {
          const { id, address } = await bench.invoice();
          const parent = await bench.node.pay(await bench.node.newAddress(), 500_000n);
          await blocks(1);
          const txid = await bench.node.pay(address, PRICE, { spending: parent });
          await blocks(1);
          return { id, txid, parent };
        },
      ],
    ];
    for (const [how, settle] of made)
      it(`makes Settled Invalid in a reorganisation when the payment ${how}`, async () => {
        const paid = await settle();
        expect(await bench.status(paid.id)).to.equal("Settled/None");
        await bench.node.reorg(2, { doubleSpend: [paid.parent] });
        await bench.look();
        await expectDoubleSpent(paid);
        expect((await bench.alerts("double-spend"))[0]).to.include({ severity: "critical" });
        expect(await bench.events(paid.id)).to.include.members(["Settled/None", "Invalid/None"]);
      });

    /** A settled invoice whose payment lost its inputs to a transaction that nobody saw. */
    async function lostInputs(): Promise<Paid> {
      const paid = await paidWithParent();
      await blocks(1);
      expect(await bench.status(paid.id)).to.equal("Settled/None");
      await bench.node.reorg(1, { exclude: [paid.parent] });
      await bench.look();
      await bench.ctx.db.query(`DELETE FROM payment_inputs WHERE ancestor_txid IS NOT NULL`);
      await bench.node.doubleSpend(paid.parent);
      await bench.look();
      return paid;
    }

    it("that nobody saw makes Settled Invalid when the inputs were missing for six blocks", async function () {
      this.timeout(120_000);
      const paid = await lostInputs();
      await blocks(GIVEN_UP_AFTER_BLOCKS - 1);
      expect(await bench.status(paid.id)).to.equal("Settled/None");
      expect((await bench.paymentOf(paid.txid)).inputsMissingHeight).to.be.a("number");
      await blocks(1);
      expect(await bench.paymentOf(paid.txid)).to.include({ state: "replaced", givenUp: true });
      expect(await bench.status(paid.id)).to.equal("Invalid/None");
      await blocks(1);
      expect(await bench.alerts("double-spend")).to.have.length(1);
    });

    it("that nobody saw makes Settled Invalid when the inputs were missing for six blocks after a gap, and the payment was evicted before it", async function () {
      this.timeout(120_000);
      const paid = await lostInputs();
      bench.ctx.clock.advance(11 * MINUTE);
      await blocks(1);
      expect(await bench.paymentOf(paid.txid)).to.include({ state: "evicted" });
      await openBlindGap(bench.watch, "a test");
      await blocks(1); // it ends,
      await blocks(1); // and is closed
      await bench.look();
      expect(await bench.gaps()).to.have.length(1);
      expect((await bench.gaps())[0]?.closedAt).to.be.instanceOf(Date);
      await blocks(1); // from which on they are counted
      await blocks(GIVEN_UP_AFTER_BLOCKS - 1);
      expect(await bench.status(paid.id)).to.equal("Settled/None");
      await blocks(1);
      expect(await bench.paymentOf(paid.txid)).to.include({ state: "replaced", givenUp: true });
      expect(await bench.status(paid.id)).to.equal("Invalid/None");
    });
  });
}
