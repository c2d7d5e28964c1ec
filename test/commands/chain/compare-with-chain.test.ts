import { expect } from "chai";
import { compareWithChain } from "../../../commands/chain/compare-with-chain";
import { rescanChain } from "../../../commands/chain/rescan-chain";
import { Payment } from "../../../entities/payment";
import { type BookDifference, ReconciliationReport } from "../../../entities/reconciliation-report";
import { ChainBench } from "../../support/chain";
import { breaksInvariants } from "../../support/invariants-always";
import { mineEmpty } from "../../support/node-tricks";

const HOUR_MS = 3_600_000;

describe("the reconciliation report", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  /** A payment in a block, and two blocks upon it. */
  const paid = async (amountSats = 100_000n): Promise<{ id: string; payment: Payment }> => {
    const { id, address } = await bench.invoice();
    const txid = await bench.node.pay(address, amountSats);
    await bench.node.mine(3);
    await bench.look();
    return { id, payment: await bench.paymentOf(txid) };
  };
  /** What it answers while chain-watch goes on looking. */
  const reconcile = async (): Promise<number> => {
    let over = false;
    const answer = compareWithChain(bench.ctx).finally(() => (over = true));
    answer.catch(() => undefined);
    while (!over) await bench.look();
    return answer;
  };
  const reports = () => bench.ctx.db.manager.find(ReconciliationReport, { order: { at: "ASC" } });
  const lastReport = async (): Promise<ReconciliationReport> => {
    const last = (await reports()).at(-1);
    if (!last) throw new Error("there is no report");
    return last;
  };
  const openAlerts = async () =>
    (await bench.alerts("books-differ")).filter(({ resolvedAt }) => resolvedAt === null);
  const warnings = () => bench.ctx.lines.filter(({ level }) => level === "warn").map(({ fields }) => fields);
  /** The one difference of the one report, and its alert, which names it. */
  const theDifference = async (): Promise<BookDifference> => {
    expect(await reconcile()).to.equal(1);
    const [difference] = (await lastReport()).differences;
    const [alert, ...more] = await openAlerts();
    expect(more).to.deep.equal([]);
    expect(alert?.severity).to.equal("critical");
    expect(alert?.message).to.contain(`${difference?.kind} ${difference?.paymentId}`);
    if (!difference) throw new Error("the report names no difference");
    return difference;
  };

  it("reports no difference when there is none: a report, a log line and no alert", async () => {
    const { payment } = await paid();
    const { address } = await bench.invoice();
    await bench.node.pay(address, 50_000n); // unconfirmed
    await bench.look();
    expect(await reconcile()).to.equal(0);
    const report = await lastReport();
    expect(report).to.include({ checkedPayments: 1, toHeight: (await bench.cursor())?.height });
    expect(report.fromHeight).to.be.at.most(payment.blockHeight ?? 0);
    expect(report.differences).to.deep.equal([]);
    expect(await bench.alerts("books-differ")).to.deep.equal([]);
    expect(bench.ctx.lines.map(({ message }) => message)).to.include("reconciliation: done");
  });

  it("raises an alert for an open invoice whose address was changed in the database", async () => {
    const { id } = await bench.invoice();
    breaksInvariants(bench.ctx.db, "somebody else wrote to the database");
    await bench.ctx.db.query(
      "UPDATE invoice_payment_methods SET destination = 'bcrt1qthief' WHERE invoice_id = $1",
      [id],
    );
    await bench.look();
    await reconcile();
    expect((await bench.alerts("destination-not-authentic")).map(({ invoiceId }) => invoiceId)).to.deep.equal(
      [id],
    );
  });

  it("is written once a day, however often it is requested", async () => {
    await paid();
    for (let times = 0; times < 3; times += 1) await reconcile();
    expect(await reports()).to.have.length(1);
    bench.ctx.clock.advance(24 * HOUR_MS);
    await reconcile();
    expect(await reports()).to.have.length(2);
  });

  it("continues where the last one ended, and repeats what may have been reorganised since", async () => {
    await paid();
    await reconcile();
    const { toHeight } = await lastReport();
    await paid();
    bench.ctx.clock.advance(24 * HOUR_MS);
    await reconcile();
    expect(await lastReport()).to.include({
      fromHeight: Math.max(toHeight - 5, (await reports())[0]!.fromHeight),
      toHeight: toHeight + 3,
    });
  });

  const tampered = () => breaksInvariants(bench.ctx.db, "somebody else wrote to the database");

  it("names a payment missing in the database, until a rescan finds it", async () => {
    const { id, payment } = await paid();
    tampered();
    await bench.ctx.db.manager.delete(Payment, { id: payment.id });
    expect(await theDifference()).to.deep.equal({
      kind: "not-in-database",
      paymentId: payment.id,
      invoiceId: id,
      height: payment.blockHeight,
      chainSats: "100000",
      databaseSats: null,
    });
    // Far behind by now, it is checked all the same, and not reported a second time.
    await bench.node.mine(20);
    await bench.look();
    bench.ctx.clock.advance(HOUR_MS);
    expect(await reconcile()).to.equal(1);
    expect(await bench.alerts("books-differ")).to.have.length(1);

    await rescanChain(bench.ctx, payment.blockHeight ?? 0);
    await bench.runJobs();
    bench.ctx.clock.advance(HOUR_MS);
    expect(await reconcile()).to.equal(0);
    expect(await openAlerts()).to.deep.equal([]);
    expect(await reports()).to.have.length(3);
  });

  it("names a payment that differs in amount, invoice or block, or does not count", async () => {
    const { payment } = await paid();
    const { id: other } = await bench.invoice();
    tampered();
    const { manager } = bench.ctx.db;
    const wrong = [
      { amountSats: 100_001n },
      { invoiceId: other },
      { state: "replaced" as const },
      { blockHash: "ab".repeat(32) },
    ];
    for (const values of wrong) {
      await manager.delete(ReconciliationReport, { toHeight: (await bench.cursor())?.height ?? 0 });
      await manager.update(Payment, payment.id, values);
      expect(await reconcile(), JSON.stringify(Object.keys(values))).to.equal(1);
      expect((await lastReport()).differences).to.deep.include({
        kind: "differs",
        paymentId: payment.id,
        invoiceId: payment.invoiceId,
        height: payment.blockHeight,
        chainSats: "100000",
        databaseSats: values.amountSats === undefined ? "100000" : "100001",
      });
      await manager.save(payment);
    }
  });

  it("names a payment that is not in the chain", async () => {
    const { id, payment } = await paid();
    const invented = { ...payment, id: `${"cd".repeat(32)}:0`, txid: "cd".repeat(32), vout: 0 };
    tampered();
    await bench.ctx.db.manager.insert(Payment, invented);
    expect(await theDifference()).to.deep.equal({
      kind: "not-in-block",
      paymentId: invented.id,
      invoiceId: id,
      height: payment.blockHeight,
      chainSats: null,
      databaseSats: "100000",
    });
  });

  it("ignores a reorganisation that chain-watch has not followed yet", async () => {
    await paid();
    await bench.node.reorg(3);
    expect(await reconcile()).to.equal(0);
    expect((await lastReport()).differences).to.deep.equal([]);
  });

  it("confirms a difference with chain-watch, and waits for the next run when chain-watch is away", async () => {
    const { payment } = await paid();
    tampered();
    await bench.ctx.db.manager.delete(Payment, { id: payment.id });
    await bench.ctx.db.query("UPDATE payment_method_syncs SET checked_at = checked_at - interval '1 hour'");
    expect(await compareWithChain(bench.ctx)).to.equal(0);
    expect(await reports()).to.deep.equal([]);
    expect(warnings()).to.deep.include({ reason: "chain-watch is not running or behind." });
  });

  it("includes payments to an address from before its invoice was created", async () => {
    const { id, payment } = await paid();
    tampered();
    await bench.ctx.db.manager.delete(Payment, { id: payment.id });
    await bench.age(id, -24 * 60);
    expect(await reconcile()).to.equal(0);
    expect((await lastReport()).differences).to.deep.equal([]);
  });

  it("reads the blocks that a pruned node still has, and reports the others", async () => {
    const { payment } = await paid();
    await mineEmpty(bench.node);
    await bench.look();
    bench.node.faults.prunedBelow = (payment.blockHeight ?? 0) + 1;
    expect(await reconcile()).to.equal(0);
    expect(await lastReport()).to.include({ fromHeight: (payment.blockHeight ?? 0) + 1, checkedPayments: 0 });
    expect(warnings()).to.deep.include.members([
      { from: warnings().find(({ from }) => from)?.["from"], to: payment.blockHeight },
    ]);
  });

  it("keeps naming a difference whose block was pruned before it was fixed", async () => {
    const { payment } = await paid();
    tampered();
    await bench.ctx.db.manager.delete(Payment, { id: payment.id });
    const difference = await theDifference();
    bench.node.faults.prunedBelow = (payment.blockHeight ?? 0) + 1;
    bench.ctx.clock.advance(HOUR_MS);
    expect(await reconcile()).to.equal(1);
    expect((await lastReport()).differences).to.deep.equal([difference]);
    expect(await openAlerts()).to.have.length(1);
  });

  it("waits for the next run while the node is away, on another network or not configured", async () => {
    await paid();
    bench.node.faults.chain = "signet";
    expect(await compareWithChain(bench.ctx)).to.equal(0);
    expect(warnings().some(({ reason }) => String(reason).includes('"signet"'))).to.equal(true);
    expect(await compareWithChain({ ...bench.ctx, chain: null })).to.equal(0);
    await bench.node.stop();
    expect(await compareWithChain(bench.ctx)).to.equal(0);
    expect(await reports()).to.deep.equal([]);
  });
});
