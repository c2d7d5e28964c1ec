import { ANCESTORS_MAX } from "../../../commands/chain/payment-transactions";
import { scriptOfAddress } from "../../../domain/wallet/address";
import { expect } from "chai";
import { detectOnchainPayments } from "../../../commands/chain/detect-onchain-payments";
import { PRUNE_FOLLOWED } from "../../../commands/chain/payment-queries";
import { prune } from "../../../commands/installation/prune";
import { presentInvoice } from "../../../api/invoices/present";
import { readInvoice } from "../../../commands/invoices/read-invoice";
import { NodeUnavailableError } from "../../../domain/errors";
import { Invoice } from "../../../entities/invoice";
import { PaymentInput } from "../../../entities/payment-input";
import { ChainBench } from "../../support/chain";
import { buildStore } from "../../support/factories";

const MINUTE = 60_000;

describe("on-chain payments", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  const raw = async (txid: string): Promise<Buffer> =>
    Buffer.from(await bench.node.rpc<string>("getrawtransaction", txid), "hex");
  const elsewhere = async (
    amountSats = 50_000n,
  ): Promise<{ to: { address: string; amountSats: bigint }[] }> => ({
    to: [{ address: await bench.node.newAddress(), amountSats }],
  });
  /** The node's next block, so many minutes from now; answers its time. */
  const mineLater = async (minutes: number): Promise<number> => {
    bench.node.core.clock = () => Math.floor(Date.now() / 1_000) + minutes * 60;
    const [hash] = await bench.node.mine(1);
    const { time } = await bench.node.rpc<{ time: number }>("getblockheader", hash);
    return time * 1_000;
  };

  describe("when detected", () => {
    it("are recorded for an archived invoice, and years after monitoring ended", async () => {
      const { id, address } = await bench.invoice();
      await bench.ctx.db.manager.update(Invoice, { id }, { archivedAt: await bench.now() });
      await bench.age(id, 3 * 365 * 24 * 60);
      const txid = await bench.node.pay(address, 100_000n);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ invoiceId: id, state: "pending" });
    });

    it("are recorded below dust and never count", async () => {
      const { id, address } = await bench.invoice();
      const script = (
        await bench.ctx.db.query<{ s: Buffer }[]>(
          `SELECT script_pub_key AS s FROM watched_scripts WHERE invoice_id = $1`,
          [id],
        )
      )[0]?.s;
      expect(script).to.have.length(22);
      const { core } = bench.node;
      const dust = core.wallet.fund({
        outputs: [{ scriptPubKey: script as Buffer, valueSats: 293n }],
        feeRate: 5,
        replaceable: true,
      });
      // No node relays it, but a miner may put it into a block.
      const fee = 1_000n;
      core.mineOne(core.wallet.rewardScript, [{ tx: dust, feeSats: fee }]);
      const limit = await bench.node.pay(address, 294n);
      await bench.look();
      expect(await bench.paymentOf(dust.getId())).to.include({ neverCounts: true, amountSats: 293n });
      expect(await bench.paymentOf(limit)).to.include({ neverCounts: false });
      const { paidSats } = await bench.ctx.db.manager.findOneByOrFail(Invoice, { id });
      expect(paidSats).to.equal(294n);
    });

    it("in a coinbase wait for 100 confirmations", async () => {
      const { id } = await bench.invoice();
      const [row] = await bench.ctx.db.query<{ s: Buffer }[]>(
        `SELECT script_pub_key AS s FROM watched_scripts WHERE invoice_id = $1`,
        [id],
      );
      bench.node.core.mineOne(row?.s as Buffer, []);
      await bench.look();
      expect((await bench.payments(id))[0]).to.include({ state: "pending", requiredConfirmations: 100 });
      await bench.node.mine(98);
      await bench.look();
      expect((await bench.payments(id))[0]?.state).to.equal("pending");
      await bench.node.mine(1);
      await bench.look();
      expect((await bench.payments(id))[0]?.state).to.equal("confirmed");
    });
  });

  describe("have as first-seen time", () => {
    it("the time of the node's mempool entry after a downtime", async () => {
      const { id, address } = await bench.invoice();
      await bench.age(id, 10);
      const txid = await bench.node.pay(address, 100_000n);
      const { time } = await bench.node.rpc<{ time: number }>("getmempoolentry", txid);
      bench.ctx.clock.advance(20 * MINUTE);
      await bench.look();
      expect((await bench.paymentOf(txid)).firstSeenAt.getTime()).to.equal(time * 1_000);
      expect(await bench.status(id)).to.equal("Processing/None");
    });

    it("the expiry when mined after it during a downtime, also where another payment waits for its block and is lost", async () => {
      const { id, address, view } = await bench.invoice();
      const lost = await bench.node.pay(address, 100_000n);
      await bench.look();
      expect(await bench.status(id)).to.equal("Processing/None");
      const txid = await bench.node.pay(address, 100_000n);
      bench.ctx.clock.advance(20 * MINUTE);
      await bench.node.doubleSpend(lost);
      await mineLater(20);
      await bench.look();
      expect((await bench.paymentOf(lost)).state).to.equal("replaced");
      expect((await bench.paymentOf(txid)).firstSeenAt).to.deep.equal(view.invoice.expiresAt);
      expect(await bench.status(id)).to.equal("Settled/None");
    });

    it("the block's time when the chain was checked after the expiry", async () => {
      const { id, address } = await bench.invoice();
      bench.ctx.clock.advance(20 * MINUTE);
      await bench.look();
      const txid = await bench.node.pay(address, 100_000n);
      const minedAt = await mineLater(20);
      await bench.look();
      expect((await bench.paymentOf(txid)).firstSeenAt.getTime()).to.equal(minedAt);
      expect(await bench.status(id)).to.equal("Settled/PaidAfterExpiration");
    });

    it("no time before the invoice was created", async () => {
      const { id, address, view } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      await bench.look();
      const acceptedAt = ((await bench.chain.mempoolEntry(txid))?.timeSeconds ?? 0) * 1_000; // whole seconds, mostly before
      const first = new Date(Math.max(view.invoice.createdAt.getTime(), acceptedAt));
      expect((await bench.paymentOf(txid)).firstSeenAt).to.deep.equal(first);
      expect(await bench.status(id)).to.equal("Processing/None");
    });
  });

  describe("older than the invoice", () => {
    /** The merchant's own wallet gives the address away: it is paid, and then an invoice gets it. */
    const paidBefore = async (ageMinutes = 2): Promise<{ id: string; txid: string }> => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n, { replaceable: true });
      await bench.age(id, -ageMinutes);
      return { id, txid };
    };

    it("are counted where the mempool was listed without them since, though the node's clock is behind", async () => {
      bench.node.core.clock = () => Math.floor(Date.now() / 1_000) - 120;
      const { id, address } = await bench.invoice();
      await bench.look();
      const txid = await bench.node.pay(address, 100_000n);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ neverCounts: false });
      expect(await bench.status(id)).to.equal("Processing/None");
    });

    it("are counted within the minute by which clocks may differ", async () => {
      const { id, txid } = await paidBefore(0.5);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ neverCounts: false });
      expect(await bench.status(id)).to.equal("Processing/None");
    });
  });

  describe("from hints", () => {
    it("change nothing when the hint comes twice, or after the block", async () => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      const bytes = await raw(txid);
      await detectOnchainPayments(bench.watch, [bytes, bytes]);
      const again = await detectOnchainPayments(bench.watch, [bytes]);
      expect(again.payments).to.equal(0);
      await bench.node.mine(1);
      await bench.look();
      const before = await bench.payments(id);
      await detectOnchainPayments(bench.watch, [bytes]);
      expect(await bench.payments(id)).to.deep.equal(before);
      expect(before).to.have.length(1);
    });

    it("are not recorded when the transaction is not in the mempool", async () => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      const bytes = await raw(txid);
      await bench.node.dropFromMempool(txid);
      await detectOnchainPayments(bench.watch, [bytes]);
      expect(await bench.payments(id)).to.deep.equal([]);
    });

    it("are skipped and counted when the hint is no transaction", async () => {
      const { address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      const detected = await detectOnchainPayments(bench.watch, [
        Buffer.alloc(0),
        Buffer.from("nonsense"),
        (await raw(txid)).subarray(1),
        await raw(txid),
      ]);
      expect(detected).to.include({ malformed: 3, payments: 1 });
    });

    it("are refused while the node is away, and nothing is recorded", async () => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      const bytes = await raw(txid);
      bench.node.faults.warmingUp = true;
      const error = await detectOnchainPayments(bench.watch, [bytes]).catch((cause: unknown) => cause);
      expect(error).to.be.instanceOf(NodeUnavailableError);
      expect(await bench.payments(id)).to.deep.equal([]);
    });
  });

  describe("when replaced", () => {
    it("by a fee bump that still pays count once, and keep their time", async () => {
      const { id, address } = await bench.invoice();
      await bench.age(id, 5);
      const first = await bench.node.pay(address, 100_000n);
      await bench.look();
      const { firstSeenAt } = await bench.paymentOf(first);
      bench.ctx.clock.advance(2 * MINUTE);
      const second = await bench.node.bump(first);
      const third = await (async () => {
        await bench.look();
        return bench.node.bump(second);
      })();
      await bench.look();
      expect((await bench.paymentOf(first)).state).to.equal("replaced");
      expect((await bench.paymentOf(second)).state).to.equal("replaced");
      expect(await bench.paymentOf(third)).to.deep.include({ state: "pending", firstSeenAt });
      const { paidSats } = await bench.ctx.db.manager.findOneByOrFail(Invoice, { id });
      expect(paidSats).to.equal(100_000n);
      expect(await bench.status(id)).to.equal("Processing/None");
      expect(await bench.alerts("double-spend")).to.deep.equal([]);
    });

    it("by a bump that then vanishes are pending again when the first transaction comes back", async () => {
      const { address } = await bench.invoice();
      const first = await bench.node.pay(address, 100_000n);
      const bytes = await raw(first);
      await bench.look();
      const second = await bench.node.bump(first);
      await bench.look();
      await bench.node.dropFromMempool(second);
      await bench.node.rpc("sendrawtransaction", bytes.toString("hex"));
      await bench.look();
      expect(await bench.paymentOf(first)).to.include({ state: "pending", conflictTxid: null });
      expect((await bench.paymentOf(second)).state).to.equal("replaced");
    });

    it("by a bump that pays elsewhere before the expiry vanish at once: back to New", async () => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      await bench.look();
      expect(await bench.status(id)).to.equal("Processing/None");
      const rival = await bench.node.bump(txid, await elsewhere());
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "replaced", conflictTxid: rival });
      expect(await bench.status(id)).to.equal("New/None");
      expect(await bench.alerts("double-spend")).to.have.length(1);
    });

    it("by a bump that leaves only dust vanish", async () => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      await bench.look();
      const { core } = bench.node;
      core.mempool.policy.fullRbf = true;
      const entry = core.mempool.entries.get(txid);
      if (!entry) throw new Error("it is not in the mempool");
      const [row] = await bench.ctx.db.query<{ s: Buffer }[]>(
        `SELECT script_pub_key AS s FROM watched_scripts WHERE invoice_id = $1`,
        [id],
      );
      const tx = core.wallet.fund({
        outputs: [{ scriptPubKey: row?.s as Buffer, valueSats: 100n }],
        mustSpend: core.mempool.coinsOf(entry.spends),
        feeRate: 50,
        replaceable: true,
      });
      core.mineOne(core.wallet.rewardScript, [{ tx, feeSats: 0n }]);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "replaced", conflictTxid: tx.getId() });
      expect(await bench.status(id)).to.equal("New/None");
    });

    it("by a conflict after the expiry count as lost only after ten minutes", async () => {
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      await bench.look();
      bench.ctx.clock.advance(20 * MINUTE);
      const rival = await bench.node.bump(txid, await elsewhere());
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "pending", conflictTxid: rival });
      expect(await bench.status(id)).to.equal("Processing/None");
      bench.ctx.clock.advance(9 * MINUTE);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("pending");
      bench.ctx.clock.advance(1 * MINUTE);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("replaced");
      expect(await bench.status(id)).to.equal("Invalid/None");
    });

    it("in one of two invoices that a transaction paid leave the other paid", async () => {
      const first = await bench.invoice();
      const second = await bench.invoice();
      const txid = await bench.node.payMany([
        { address: first.address, amountSats: 100_000n },
        { address: second.address, amountSats: 100_000n },
      ]);
      await bench.look();
      await bench.node.bump(txid, { to: [{ address: first.address, amountSats: 100_000n }] });
      await bench.look();
      expect(await bench.status(first.id)).to.equal("Processing/None");
      expect(await bench.status(second.id)).to.equal("New/None");
    });
  });

  describe("with ancestors", () => {
    it("keep at most the allowed number of ancestors, and are recorded in any case", async () => {
      const { id, address } = await bench.invoice();
      const { node } = bench;
      let parent = await node.pay(await node.newAddress(), 1_000_000n);
      for (let made = 0; made < ANCESTORS_MAX; made += 1)
        parent = await node.pay(await node.newAddress(), 900_000n - BigInt(made) * 5_000n, {
          spending: parent,
        });
      const txid = await node.pay(address, 100_000n, { spending: parent });
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "pending", amountSats: 100_000n });
      expect(await bench.status(id)).to.equal("Processing/None");
      const [kept] = await bench.ctx.db.query<{ ancestors: number }[]>(
        `SELECT count(DISTINCT ancestor_txid)::int AS ancestors FROM payment_inputs WHERE txid = $1`,
        [txid],
      );
      expect(kept?.ancestors).to.equal(ANCESTORS_MAX);
      expect(bench.ctx.lines.map(({ message }) => message)).to.include(
        "chain: payment has too many ancestors to store",
      );
    });

    it("keep an ancestor's bytes once, and for as long as one of the payments may come back", async () => {
      const { address } = await bench.invoice();
      const parent = await bench.node.pay(await bench.node.newAddress(), 500_000n);
      let txid = await bench.node.pay(address, 100_000n, { spending: parent });
      await bench.look();
      for (let bumps = 0; bumps < 3; bumps += 1) {
        txid = await bench.node.bump(txid);
        await bench.look();
      }
      const kept = async () =>
        bench.ctx.db.query<{ transactions: number; ancestors: number }[]>(
          `SELECT (SELECT count(*)::int FROM payment_transactions) AS transactions,
                  (SELECT count(*)::int FROM payment_transactions WHERE txid = '${parent}') AS ancestors`,
        );
      expect(await kept()).to.deep.equal([{ transactions: 5, ancestors: 1 }]);
      bench.ctx.clock.advance(31 * 24 * 60 * MINUTE);
      await prune(bench.ctx, { keptDays: 90, others: PRUNE_FOLLOWED });
      expect(await kept()).to.deep.equal([{ transactions: 2, ancestors: 1 }]);
      await bench.node.mine(101);
      await bench.look();
      await prune(bench.ctx, { keptDays: 90, others: PRUNE_FOLLOWED });
      expect(await kept()).to.deep.equal([{ transactions: 0, ancestors: 0 }]);
      expect(await bench.ctx.db.manager.count(PaymentInput)).to.equal(0);
    });
  });

  describe("when replaced again", () => {
    it("raise one alert when a bump pays less and the next one as much as the first", async () => {
      const { address } = await bench.invoice();
      const first = await bench.node.pay(address, 100_000n);
      await bench.look();
      const less = await bench.node.bump(first, { to: [{ address, amountSats: 40_000n }] });
      await bench.look();
      expect(await bench.alerts("double-spend")).to.have.length(1);
      const last = await bench.node.bump(less, { to: [{ address, amountSats: 100_000n }] });
      await bench.look();
      await bench.node.mine(1);
      await bench.look();
      expect((await bench.paymentOf(last)).state).to.equal("confirmed");
      expect(await bench.alerts("double-spend")).to.have.length(1);
    });

    it("raise an alert when one transaction replaces two and pays less than both", async () => {
      const { core } = bench.node;
      const { address } = await bench.invoice();
      const txids = [await bench.node.pay(address, 50_000n), await bench.node.pay(address, 50_000n)];
      await bench.look();
      const spends = txids.flatMap((txid) => core.mempool.entries.get(txid)?.spends ?? []);
      const script = scriptOfAddress(address, "regtest");
      if (script === null) throw new Error("no address");
      const confirmed = core.mempool.coinsOf(spends).filter(({ height }) => height !== null);
      const tx = core.wallet.fund({
        outputs: [{ scriptPubKey: script, valueSats: 99_999n }],
        mustSpend: confirmed,
        feeRate: 50,
        replaceable: true,
      });
      core.mineOne(core.wallet.rewardScript, [{ tx, feeSats: 0n }]);
      await bench.look();
      expect((await bench.alerts("double-spend")).map(({ subject }) => subject)).to.have.length(2);
    });
  });

  it("of the dust limit, which is asked for where less is due, settle the invoice", async () => {
    const { id, address, view } = await bench.invoice();
    await bench.node.pay(address, 99_900n);
    await bench.look();
    const { paymentMethods, paymentUri, remainingSats } = presentInvoice(
      await readInvoice(bench.ctx, view.invoice.storeId, id),
      "https://pay.example",
    );
    expect(remainingSats).to.equal(100n);
    expect(paymentMethods.map(({ amountSats }) => amountSats)).to.deep.equal([294n]);
    expect(paymentUri).to.equal(`bitcoin:${address}?amount=0.00000294`);
    await bench.node.pay(address, 294n);
    await bench.node.mine(1);
    await bench.look();
    expect(await bench.status(id), "by the 194 sats that cannot be paid less").to.equal("Settled/Overpaid");
  });

  describe("with zero confirmations", () => {
    const zeroConf = async (zeroConfMaxSats = 1_000_000n): Promise<{ id: string; address: string }> => {
      const store = await buildStore(bench.ctx);
      await bench.ctx.db.query(`UPDATE stores SET zero_conf_max_sats = $2 WHERE id = $1`, [
        store.id,
        zeroConfMaxSats.toString(),
      ]);
      return bench.invoice({ store, requiredConfirmations: 0 });
    };

    it("are not accepted while a gap is open, or 15 seconds after the last complete check", async () => {
      await bench.look();
      await bench.ctx.db.query("INSERT INTO chain_gaps (kind, began_at) VALUES ('blind', clock_timestamp())");
      const inGap = await zeroConf();
      const heard = await bench.node.pay(inGap.address, 100_000n, { replaceable: false });
      await detectOnchainPayments(bench.watch, [await raw(heard)]);
      await bench.ctx.db.query("UPDATE chain_gaps SET closed_at = clock_timestamp()");
      const unchecked = await zeroConf();
      const later = await bench.node.pay(unchecked.address, 100_000n, { replaceable: false });
      await bench.ctx.db.query(
        "UPDATE payment_method_syncs SET caught_up_to = clock_timestamp() - interval '16 seconds'",
      );
      await detectOnchainPayments(bench.watch, [await raw(later)]);
      for (const txid of [heard, later])
        expect(await bench.paymentOf(txid)).to.include({ state: "pending", requiredConfirmations: 1 });
      for (const { id } of [inGap, unchecked]) expect(await bench.status(id)).to.equal("Processing/None");
    });

    it("are not accepted over the store's cap, or when the transaction signals replaceability", async () => {
      for (const [amountSats, replaceable] of [
        [150_001n, false],
        [100_000n, true],
      ] as const) {
        const txid = await bench.node.pay((await zeroConf(150_000n)).address, amountSats, { replaceable });
        await bench.look();
        expect(await bench.paymentOf(txid)).to.include({ state: "pending", requiredConfirmations: 1 });
      }
    });
  });
});
