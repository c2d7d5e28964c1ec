import { expect } from "chai";
import { ChainBench } from "../support/chain";

/** Of an ordinary transaction of 100,000 vbytes, as every node relays it. */
const RELAYED_OUTPUTS = 3_000;
const OUTPUT_SATS = 1_000n;

describe("a transaction of thousands of outputs", function () {
  this.timeout(60_000);
  let bench: ChainBench;
  before(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  after(() => bench.stop());

  it("uses memory in proportion to a transaction's outputs when they are seen and mined", async () => {
    const { id, address } = await bench.invoice({ amount: "3000000" });
    const txid = await bench.node.payMany(
      Array.from({ length: RELAYED_OUTPUTS }, () => ({ address, amountSats: OUTPUT_SATS })),
    );
    const { external, heapUsed } = process.memoryUsage();
    let peak = 0;
    const timer = setInterval(() => {
      const now = process.memoryUsage();
      peak = Math.max(peak, now.external + now.heapUsed - external - heapUsed);
    }, 5);
    await bench.look();
    expect(await bench.status(id)).to.equal("Processing/None");
    expect((await bench.rawTransaction(txid))?.length).to.be.greaterThan(90_000);
    await bench.node.mine(1);
    await bench.look();
    clearInterval(timer);
    expect(await bench.status(id)).to.equal("Settled/None");
    // A copy of the transaction with each of its outputs would be 290 MB.
    expect(peak).to.be.below(150e6);
    const [row] = await bench.ctx.db.query<{ kept: number }[]>(
      `SELECT count(*)::int AS kept FROM payment_transactions`,
    );
    expect(row?.kept).to.equal(1);
  });
});
