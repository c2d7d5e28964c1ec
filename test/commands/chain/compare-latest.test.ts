import { expect } from "chai";
import { compareLatest } from "../../../commands/chain/rescan-chain";
import { Payment } from "../../../entities/payment";
import { ChainBench } from "../../support/chain";
import { breaksInvariants } from "../../support/invariants-always";
import { mineEmpty } from "../../support/node-tricks";

describe("the hourly comparison of the latest blocks with the payments' rows", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  /** A payment in a block, and two blocks upon it. */
  const paid = async (): Promise<{ id: string; payment: Payment }> => {
    const { id, address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await bench.node.mine(3);
    await bench.look();
    return { id, payment: await bench.paymentOf(txid) };
  };
  const tampered = () => breaksInvariants(bench.ctx.db, "somebody else wrote to the database");
  const theAlert = async (): Promise<{ subject: string; message: string }> => {
    const [alert, ...more] = await bench.alerts("books-differ");
    if (alert === undefined || more.length > 0) throw new Error(`${more.length} more alerts`);
    expect(alert).to.include({ severity: "critical", resolvedAt: null });
    return alert;
  };
  const warnings = () =>
    bench.ctx.lines.filter(({ level }) => level === "warn").map(({ fields }) => String(fields["reason"]));

  it("finds no difference where there is none, and changes nothing", async () => {
    const { payment } = await paid();
    const { address } = await bench.invoice();
    await bench.node.pay(address, 50_000n); // unconfirmed
    await bench.look();
    expect(await compareLatest(bench.ctx)).to.equal(0);
    expect(await bench.alerts("books-differ")).to.deep.equal([]);
    expect(await bench.paymentOf(payment.txid ?? "")).to.deep.equal(payment);
    expect(warnings()).to.deep.equal([]);
  });

  it("records a payment that was missed, once, and says so", async () => {
    const { id, payment } = await paid();
    tampered();
    await bench.ctx.db.manager.delete(Payment, { id: payment.id });
    expect(await compareLatest(bench.ctx)).to.equal(1);
    expect(await bench.paymentOf(payment.txid ?? "")).to.include({ invoiceId: id, amountSats: 100_000n });
    expect(await compareLatest(bench.ctx)).to.equal(0);
    const { subject, message } = await theAlert();
    expect(subject).to.equal(`block ${payment.blockHeight}`);
    expect(message).to.include("and are now: 1.");
  });

  it("puts a payment back into its block, and lets it count again", async () => {
    const { payment } = await paid();
    tampered();
    await bench.ctx.db.manager.update(Payment, payment.id, { state: "replaced", blockHash: "ab".repeat(32) });
    await compareLatest(bench.ctx);
    const { state, blockHash } = await bench.paymentOf(payment.txid ?? "");
    expect([state === "replaced", blockHash]).to.deep.equal([false, payment.blockHash]);
  });

  for (const [what, change] of [
    ["another amount", () => Promise.resolve({ amountSats: 100_001n })],
    ["another invoice", async () => ({ invoiceId: (await bench.invoice()).id })],
  ] as const)
    it(`names a payment with ${what} than in its block`, async () => {
      const { payment } = await paid();
      const values: Partial<Payment> = await change();
      tampered();
      await bench.ctx.db.manager.update(Payment, payment.id, values);
      await compareLatest(bench.ctx);
      expect((await theAlert()).message).to.include(
        `${payment.id} of invoice ${values.invoiceId ?? payment.invoiceId}`,
      );
    });

  it("names a payment that is not in the chain", async () => {
    const { id, payment } = await paid();
    const txid = "cd".repeat(32);
    tampered();
    await bench.ctx.db.manager.insert(Payment, { ...payment, id: `${txid}:0`, txid, vout: 0 });
    expect(await compareLatest(bench.ctx)).to.equal(0);
    expect((await theAlert()).message).to.include(`${txid}:0 of invoice ${id}`);
  });

  it("waits for chain-watch to follow a reorganisation, and then finds no difference", async () => {
    await paid();
    await bench.node.reorg(3);
    const compared = compareLatest(bench.ctx);
    await bench.look();
    expect(await compared).to.equal(0);
    expect(await bench.alerts("books-differ")).to.deep.equal([]);
  });

  it("does not count as missed what was paid to an address before its invoice was created", async () => {
    const { id, payment } = await paid();
    tampered();
    await bench.ctx.db.manager.delete(Payment, { id: payment.id });
    await bench.age(id, -24 * 60);
    expect(await compareLatest(bench.ctx)).to.equal(0);
    expect(await bench.alerts("books-differ")).to.deep.equal([]);
  });

  it("is left to the next hour while the node is away, pruned or on another network, or not configured", async () => {
    await paid();
    await mineEmpty(bench.node);
    await bench.look();
    bench.node.faults.prunedBelow = (await bench.cursor())?.height ?? 0;
    expect(await compareLatest(bench.ctx)).to.equal(0);
    bench.node.faults.chain = "signet";
    expect(await compareLatest(bench.ctx)).to.equal(0);
    expect(warnings()).to.have.length(2);
    expect(warnings()[0]).to.include("pruned");
    expect(warnings()[1]).to.include('"signet"');
    expect(await compareLatest({ ...bench.ctx, chain: null })).to.equal(0);
    await bench.node.stop();
    expect(await compareLatest(bench.ctx)).to.equal(0);
  });
});
