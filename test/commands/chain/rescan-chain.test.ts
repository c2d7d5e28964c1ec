import { expect } from "chai";
import type { CommandContext } from "../../../commands/context";
import { awaitChainCheck } from "../../../commands/server/await-chain-check";
import { rescanChain } from "../../../commands/chain/rescan-chain";
import { PRUNE_FOLLOWED } from "../../../commands/chain/payment-queries";
import { prune } from "../../../commands/installation/prune";
import { decideDue } from "../../../commands/invoices/decide-due";
import { Payment } from "../../../entities/payment";
import { PaymentInput } from "../../../entities/payment-input";
import { ChainBench } from "../../support/chain";
import { refusal } from "../../support/refusal";

const HOUR_MS = 3_600_000;

describe("a rescan", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  const height = async (): Promise<number> => (await bench.cursor())?.height ?? -1;
  /** An invoice that was paid in a block, and nobody recorded it. */
  const overlooked = async (): Promise<{ id: string; txid: string; height: number }> => {
    const { id, address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await bench.node.mine(1);
    await bench.look();
    await bench.ctx.db.manager.delete(Payment, { txid });
    await bench.ctx.db.query(
      `UPDATE invoices SET status = 'New', paid_sats = 0, confirmed_sats = 0 WHERE id = $1`,
      [id],
    );
    await bench.ctx.db.query(`DELETE FROM invoice_events WHERE invoice_id = $1 AND type <> 'New'`, [id]);
    return { id, txid, height: await height() };
  };

  describe("of blocks that the node had pruned, after a payment was double-spent", () => {
    const zeroConf = async (): Promise<{ id: string; address: string; txid: string; from: number }> => {
      const { id, address } = await bench.zeroConfInvoice();
      const txid = await bench.node.pay(address, 100_000n, { replaceable: false });
      await bench.look();
      expect(await bench.status(id)).to.equal("Settled/None");
      return { id, address, txid, from: (await height()) + 1 };
    };
    /**
     * The node has no block below this one for a while: it is skipped, and then rescanned. `checkedMeanwhile`: there is a
     * check, and due invoices are decided, before the second block is read again.
     */
    const withHole = async (
      below: number,
      from: number,
      { checkedMeanwhile = false } = {},
    ): Promise<void> => {
      bench.node.faults.prunedBelow = below;
      expect(await bench.look()).to.include({ caughtUp: true });
      expect((await bench.gaps()).filter(({ closedAt }) => closedAt === null)).to.have.length(1);
      bench.node.faults.prunedBelow = 0;
      let read = 0;
      const rawBlock: typeof bench.chain.rawBlock = async (hash) => {
        if ((read += 1) === 2 && checkedMeanwhile) {
          await bench.look();
          await decideDue(bench.ctx);
        }
        return bench.chain.rawBlock(hash);
      };
      await rescanChain({ ...bench.ctx, chain: { ...bench.chain, rawBlock } }, from);
      expect(read).to.be.at.least(2);
      await bench.look();
    };

    it("finds what was paid instead in the hole below the double spend, and the invoice stays Settled", async () => {
      const { id, address, txid, from } = await zeroConf();
      await bench.node.pay(address, 100_000n);
      await bench.node.mine(1);
      await bench.node.reorg(1, { exclude: [txid] });
      await bench.node.doubleSpend(txid);
      await bench.node.mine(3);
      await withHole(from + 2, from);
      expect(await bench.events(id)).to.deep.equal(["New/None", "Settled/None"]);
    });

    it("decides nothing of a double spend in the hole before the blocks above are read, whoever checks meanwhile", async () => {
      const { id, address, txid, from } = await zeroConf();
      await bench.node.doubleSpend(txid);
      await bench.node.pay(address, 100_000n);
      await bench.node.mine(3);
      await withHole(from + 2, from, { checkedMeanwhile: true });
      expect(await bench.events(id)).to.deep.equal(["New/None", "Settled/None"]);
    });

    /** Paid in time, and then nobody watched for long after the expiry. */
    const processing = async (): Promise<{ id: string; address: string; txid: string; from: number }> => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n, { replaceable: false });
      await bench.look();
      bench.ctx.clock.advance(2 * HOUR_MS);
      await bench.look();
      expect(await bench.status(id)).to.equal("Processing/None");
      bench.forget();
      return { id, address, txid, from: (await height()) + 1 };
    };
    const expectPaid = async (id: string): Promise<void> => {
      expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None", "Settled/None"]);
    };

    it("does not end an invoice whose time is up before what was paid instead is read in the hole", async () => {
      const { id, address, txid, from } = await processing();
      await bench.node.pay(address, 100_000n);
      const hex = await bench.node.rpc<string>("getrawtransaction", txid);
      await bench.node.dropFromMempool(txid);
      await bench.node.mine(1);
      await bench.node.rpc("sendrawtransaction", hex);
      await bench.node.doubleSpend(txid);
      bench.node.faults.prunedBelow = from + 1;
      expect(await bench.look()).to.include({ caughtUp: true });
      expect((await bench.paymentOf(txid)).state).to.equal("replaced");
      await decideDue(bench.ctx);
      expect(await bench.status(id)).to.equal("Processing/None");
      bench.node.faults.prunedBelow = 0;
      await rescanChain(bench.ctx, from);
      await bench.look();
      await expectPaid(id);
    });

    it("does not end it between two blocks of the hole either, whoever checks meanwhile", async () => {
      const { id, address, txid, from } = await processing();
      await bench.node.doubleSpend(txid);
      await bench.node.pay(address, 100_000n);
      await bench.node.mine(2);
      await withHole(from + 2, from, { checkedMeanwhile: true });
      await expectPaid(id);
    });

    it("dates what is found in a hole of the invoice's time in time, when a loss holds it longer than an expiry", async () => {
      const { id, address } = await bench.invoice({ requiredConfirmations: 6 });
      const txid = await bench.node.pay(address, 100_000n, { replaceable: false });
      await bench.look();
      const from = (await height()) + 1;
      const hex = await bench.node.rpc<string>("getrawtransaction", txid);
      await bench.node.pay(address, 100_000n);
      await bench.node.dropFromMempool(txid);
      await bench.node.mine(2);
      await bench.node.rpc("sendrawtransaction", hex);
      bench.node.faults.prunedBelow = from + 1;
      await bench.look();
      await bench.agePaid(id, 150);
      await bench.ctx.db.query(`UPDATE chain_gaps SET began_at = began_at - interval '150 minutes'`);
      await bench.node.doubleSpend(txid);
      await bench.look();
      await decideDue(bench.ctx);
      expect(await bench.status(id), "the hole holds the loss").to.equal("Processing/None");
      bench.node.faults.prunedBelow = 0;
      await rescanChain(bench.ctx, from);
      await bench.look();
      await decideDue(bench.ctx);
      expect(await bench.status(id)).to.equal("Processing/None");
      await bench.node.mine(6);
      await bench.look();
      await expectPaid(id);
    });

    it("ends an invoice that was made after the hole, which nobody fills", async () => {
      const from = (await height()) + 1;
      await bench.node.mine(2);
      bench.node.faults.prunedBelow = from + 1;
      await bench.look();
      bench.node.faults.prunedBelow = 0;
      bench.ctx.clock.advance(HOUR_MS);
      bench.node.core.clock = () => Math.floor((Date.now() + HOUR_MS) / 1_000);
      await bench.look();
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      await bench.look();
      await bench.endTime(id);
      await bench.node.doubleSpend(txid);
      await bench.look();
      await decideDue(bench.ctx);
      expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None", "Invalid/None"]);
    });

    it("makes the invoice Invalid when the hole is closed, and nothing was paid instead", async () => {
      const { id, txid, from } = await zeroConf();
      await bench.node.doubleSpend(txid);
      await bench.node.mine(3);
      bench.node.faults.prunedBelow = from + 2;
      await bench.look();
      bench.node.faults.prunedBelow = 0;
      await rescanChain(bench.ctx, from);
      await bench.look();
      expect(await bench.events(id)).to.deep.equal(["New/None", "Settled/None", "Invalid/None"]);
    });
  });

  it("does not keep what it stored of a payment that is buried", async () => {
    const { txid, height: paidAt } = await overlooked();
    await bench.node.mine(100);
    await bench.look();
    await rescanChain(bench.ctx, paidAt);
    await prune(bench.ctx, { keptDays: 90, others: PRUNE_FOLLOWED });
    expect(await bench.rawTransaction(txid)).to.equal(null);
    expect(await bench.ctx.db.manager.countBy(PaymentInput, { txid })).to.equal(0);
  });

  it("records what an address was paid long before its invoice, and does not count it", async () => {
    const { id, txid, height: paidAt } = await overlooked();
    await bench.age(id, -24 * 60);
    for (let times = 0; times < 2; times += 1)
      expect(await rescanChain(bench.ctx, paidAt)).to.include({ payments: 0 });
    expect(await bench.paymentOf(txid)).to.include({ neverCounts: true });
    expect(await bench.events(id)).to.deep.equal(["New/None"]);
  });

  it("waits for chain-watch to follow a reorganisation", async () => {
    const { height: paidAt, txid } = await overlooked();
    await bench.node.mine(1);
    await bench.look();
    await bench.node.reorg(2);
    const rescan = rescanChain(bench.ctx, paidAt);
    await bench.look();
    await rescan;
    expect(await bench.paymentOf(txid)).to.include({ blockHeight: paidAt });
    expect((await bench.paymentOf(txid)).blockHash).to.equal(
      await bench.node.rpc<string>("getblockhash", paidAt),
    );
  });

  it("refuses a node of another network", async () => {
    bench.node.faults.chain = "signet";
    expect((await refusal(rescanChain(bench.ctx, await height()))).message).to.contain(
      'on the network "signet"',
    );
  });
});

describe("waiting for a check of the chain", () => {
  let bench: ChainBench;
  before(async () => {
    bench = await ChainBench.start();
  });
  after(() => bench.stop());

  it("answers no when no process checks", async () => {
    expect(await awaitChainCheck(bench.ctx)).to.equal(false);
  });

  it("answers yes when a check that began after the request is complete", async () => {
    await bench.look();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const now: CommandContext["now"] = (manager) => bench.ctx.now(manager).finally(() => begin());
    const asked = awaitChainCheck({ ...bench.ctx, now });
    await begun;
    await bench.look();
    expect(await asked).to.equal(true);
  });

  it("answers no when no such check ends in time", async () => {
    await bench.look();
    expect(await awaitChainCheck(bench.ctx, 300)).to.equal(false);
  });

  it("shares one read among all that wait, and each waits for as long as it may", async () => {
    await bench.look();
    let reads = 0;
    const ctx: CommandContext = { ...bench.ctx, now: (manager) => ((reads += 1), bench.ctx.now(manager)) };
    const start = performance.now();
    const patient = awaitChainCheck(ctx, 60_000);
    const hasty = await Promise.all(Array.from({ length: 50 }, () => awaitChainCheck(ctx, 1_000)));
    expect(new Set(hasty)).to.deep.equal(new Set([false]));
    // One for each when it begins, and one every 200 ms for all.
    expect(reads).to.be.within(52, 52 + (performance.now() - start) / 200);
    await bench.look();
    expect(await patient).to.equal(true);
  });
});
