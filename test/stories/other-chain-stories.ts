import { expect } from "chai";
import { acceptChain } from "../../commands/chain/other-chain";
import { DomainError } from "../../domain/errors";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import { ChainBench } from "../support/chain";

/** A node that follows a chain which leaves ours at a buried block. */
export function otherChainStories(startNode: () => Promise<BitcoinNode>): void {
  let node: BitcoinNode;
  let bench: ChainBench<BitcoinNode>;
  let tip: number;
  beforeEach(async function () {
    this.timeout(60_000);
    node = await startNode();
    bench = await ChainBench.on(node);
    await bench.look();
    await node.mine(101);
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    tip = await node.rpc<number>("getblockcount");
  });
  afterEach(() => bench.stop());

  it("follows a reorganisation when the deepest block that differs is not buried", async function () {
    this.timeout(60_000);
    await node.reorg(100);
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    expect((await bench.cursor())?.hash).to.equal(await node.rpc("getbestblockhash"));
    expect(await bench.alerts("other-chain")).to.deep.equal([]);
  });

  it("stops when a buried block differs, with an alert, until the operator accepts the chain", async function () {
    this.timeout(60_000);
    const before = await bench.cursor();
    const { id, address } = await bench.invoice();
    const hashes = await node.reorg(101);
    await node.pay(address, 100_000n);
    for (let times = 0; times < 2; times += 1) {
      const outcome = await bench.look();
      expect(outcome).to.deep.include({ caughtUp: false, fault: "other-chain" });
      bench.forget(); // another leader
    }
    expect(await bench.cursor()).to.deep.equal(before);
    expect(await bench.payments(id), "of the other chain's mempool").to.deep.equal([]);
    const [alert, ...others] = await bench.alerts("other-chain");
    expect(others).to.deep.equal([]);
    expect(alert).to.include({ severity: "critical", resolvedAt: null });
    expect(alert?.message).to.contain(`cli chain accept --hash ${hashes[0]}`);
    expect(await bench.methodSync()).to.include({ synchronized: false, problem: alert?.message });
    const accepted = { fromHeight: tip - 100, toHeight: tip };
    for (let times = 0; times < 2; times += 1)
      expect(await acceptChain(bench.ctx, hashes[0] ?? "")).to.deep.equal(accepted);
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    expect((await bench.cursor())?.hash).to.equal(hashes.at(-1));
    expect(await bench.payments(id)).to.have.length(1);
    expect((await bench.alerts("other-chain"))[0]?.resolvedAt).to.be.instanceOf(Date);
  });

  it("stops again at a chain that leaves ours above one that was accepted before", async function () {
    this.timeout(60_000);
    const [accepted = ""] = await node.reorg(101);
    expect((await bench.look()).caughtUp).to.equal(false);
    await acceptChain(bench.ctx, accepted);
    await node.mine(5);
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    await node.reorg(101);
    expect(await bench.look()).to.deep.include({ caughtUp: false, fault: "other-chain" });
  });

  it("continues when the node is on our chain again", async function () {
    this.timeout(60_000);
    const last = await node.rpc<string>("getblockhash", tip - 100);
    const [first = ""] = await node.reorg(101);
    expect((await bench.look()).caughtUp).to.equal(false);
    await node.rpc("invalidateblock", first);
    await node.rpc("reconsiderblock", last);
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
  });

  it("refuses to accept a block at which nothing has stopped", async () => {
    const error: unknown = await acceptChain(bench.ctx, "00".repeat(32)).catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(DomainError).and.to.include({ code: "validation-failed" });
  });
}
