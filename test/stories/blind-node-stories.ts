import { expect } from "chai";
import { newChainView } from "../../commands/chain/check-chain";
import { decideDue } from "../../commands/invoices/decide-due";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import { ChainBench } from "../support/chain";
import { eventually } from "../support/eventually";

const PATIENCE_MS = 60_000;
const PRICE = 100_000n;

type StartNode = (options?: { empty?: boolean }) => Promise<BitcoinNode>;

/** Our node, and another that is the rest of the network: the customer's wallet is there, and the miner. */
export function blindNodeStories(startNode: StartNode): void {
  let network: BitcoinNode;
  let ours: BitcoinNode;
  let bench: ChainBench<BitcoinNode>;
  const more: BitcoinNode[] = [];

  beforeEach(async function () {
    this.timeout(PATIENCE_MS);
    network = await startNode();
    ours = await startNode({ empty: true });
    bench = await ChainBench.on(ours, { minPeers: 1 });
    await ours.connect(network);
    await untilCaughtUp();
  });
  afterEach(async () => {
    await bench.stop();
    for (const node of [network, ...more.splice(0)]) await node.stop();
  });

  /** What chain-watch and reconcile do, again and again. */
  const work = async (): Promise<boolean> => {
    const outcome = await bench.look();
    await decideDue({ ...bench.ctx, now: later });
    return outcome.caughtUp;
  };
  /** The sweep leaves the last seconds to the jobs. */
  const later = async (): Promise<Date> => new Date((await bench.now()).getTime() + 3_500);
  const untilCaughtUp = (): Promise<void> =>
    eventually(async () => {
      expect(await work()).to.equal(true);
      expect((await bench.methodSync())?.nodeHeight).to.equal(await network.rpc("getblockcount"));
    }, PATIENCE_MS);
  const untilStatus = (id: string, status: string): Promise<void> =>
    eventually(async () => {
      await work();
      expect(await bench.status(id)).to.equal(status);
    }, PATIENCE_MS);
  /** A node that has just started counts as restarted at each check. */
  const untilNoGap = (): Promise<void> =>
    eventually(async () => {
      await network.mine(1);
      await untilCaughtUp();
      expect((await bench.gaps()).filter(({ closedAt }) => closedAt === null)).to.deep.equal([]);
    }, PATIENCE_MS);
  /** However often it is checked, it has not been sent Expired. */
  const expectHeld = async (id: string): Promise<void> => {
    for (let times = 0; times < 3; times += 1) await work();
    expect(await bench.events(id)).to.deep.equal(["New/None"]);
  };
  const inOurMempool = async (txid: string): Promise<boolean> =>
    (await ours.rpc<string[]>("getrawmempool")).includes(txid);

  it("does not expire what was paid while our node was down, before it was mined", async function () {
    this.timeout(PATIENCE_MS);
    const { id, address } = await bench.invoice();
    await untilCaughtUp();
    await ours.halt();
    const txid = await network.pay(address, PRICE);
    await bench.endTime(id);
    await work();
    await ours.restart();
    bench.forget(); // another leader
    await ours.connect(network);
    await untilCaughtUp();
    expect(await inOurMempool(txid), "nobody told our node").to.equal(false);
    await expectHeld(id);
    await network.mine(1);
    await untilStatus(id, "Settled/None");
    expect(await bench.events(id)).not.to.include("Expired/None");
    expect(await bench.paymentOf(txid)).to.include({ state: "confirmed" });
  });

  it("does not expire what was paid while our node and the service were down", async function () {
    this.timeout(PATIENCE_MS);
    const { id, address } = await bench.invoice();
    await untilCaughtUp();
    await ours.halt();
    await network.pay(address, PRICE);
    await ours.restart();
    await ours.connect(network);
    await bench.endTime(id);
    bench.forget();
    await untilCaughtUp();
    await expectHeld(id);
    await network.mine(1);
    await untilStatus(id, "Settled/None");
    expect(await bench.events(id)).not.to.include("Expired/None");
  });

  it("does not expire what was paid while the line to our node's peers was dead, and they were listed", async function () {
    this.timeout(2 * PATIENCE_MS);
    const { id, address } = await bench.invoice();
    await untilCaughtUp();
    await ours.loseLine();
    const txid = await network.pay(address, PRICE);
    await bench.endTime(id);
    for (let times = 0; times < 3; times += 1) await expectHeld(id);
    expect(await ours.rpc("getpeerinfo"), "peers").to.have.length(1);
    bench.ctx.clock.advance(10_000);
    await eventually(async () => {
      await work();
      expect((await bench.methodSync())?.problem).to.match(/lists 1 peers .* too few of them answer/);
    }, PATIENCE_MS);
    await ours.disconnect();
    await ours.connect(network);
    await untilCaughtUp();
    expect(await inOurMempool(txid), "nobody told our node").to.equal(false);
    await expectHeld(id);
    await network.mine(1);
    await untilStatus(id, "Settled/None");
    expect(await bench.events(id)).not.to.include("Expired/None");
  });

  it("does not expire what was paid while our node stood still, before it has read what peers sent", async function () {
    this.timeout(2 * PATIENCE_MS);
    bench.view = newChainView(); // with the time in which a real node gets what was announced
    const { id, address } = await bench.invoice();
    await untilCaughtUp();
    await ours.standStill();
    const txid = await network.pay(address, PRICE);
    await bench.endTime(id);
    const { now } = bench.ctx;
    let begun = false;
    Object.assign(bench.ctx, {
      now: async (...at: Parameters<typeof now>) => now(...at).finally(() => (begun = true)),
    });
    const working = work();
    await eventually(() => Promise.resolve(expect(begun).to.equal(true)));
    bench.ctx.clock.advance(20_000);
    await ours.goOn();
    await working;
    await untilCaughtUp();
    expect(await inOurMempool(txid)).to.equal(true);
    expect(await bench.status(id)).to.equal("Processing/None");
    expect(await bench.events(id)).not.to.include("Expired/None");
  });

  it("does not expire while the only peer of a restarted node has sent no headers", async function () {
    this.timeout(PATIENCE_MS);
    const { id, address } = await bench.invoice();
    await untilCaughtUp();
    await ours.halt();
    await network.pay(address, PRICE);
    await network.mine(1);
    await bench.endTime(id);
    await ours.restart();
    const stranger = await startNode({ empty: true });
    more.push(stranger);
    await ours.connect(stranger);
    // It follows our chain, and has none of its own.
    await eventually(async () =>
      expect(await stranger.rpc("getblockcount")).to.equal(await ours.rpc("getblockcount")),
    );
    expect(await work(), "a check is complete").to.equal(false);
    await expectHeld(id);
    await ours.connect(network);
    await untilStatus(id, "Settled/None");
    expect(await bench.events(id)).not.to.include("Expired/None");
  });

  it("settles nothing without a confirmation while our node is alone, and the network has another transaction", async function () {
    this.timeout(PATIENCE_MS);
    await untilNoGap();
    const { id, address } = await bench.zeroConfInvoice();
    await ours.disconnect();
    await eventually(async () => expect(await work()).to.equal(false));
    const txid = await network.pay(address, PRICE, { replaceable: false });
    await ours.rpc("sendrawtransaction", await network.rpc("getrawtransaction", txid));
    await network.doubleSpend(txid);
    await untilStatus(id, "Processing/None");
    expect(await bench.paymentOf(txid)).to.include({ state: "pending", requiredConfirmations: 1 });
    await ours.connect(network);
    await network.mine(1);
    await untilStatus(id, "New/None");
    expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None"]);
  });

  it("keeps a payment late that our node's mempool dates after the expiry", async function () {
    this.timeout(PATIENCE_MS);
    const { id, address } = await bench.invoice();
    await untilCaughtUp();
    await ours.restart();
    await ours.connect(network);
    await untilCaughtUp();
    await bench.endTime(id);
    const ended = await bench.now();
    // The mempool dates by whole seconds.
    await eventually(async () =>
      expect((await bench.now()).getTime()).to.be.greaterThan(ended.getTime() + 1_000),
    );
    const txid = await network.pay(address, PRICE);
    await eventually(async () => expect(await inOurMempool(txid)).to.equal(true), PATIENCE_MS);
    await expectHeld(id);
    await network.mine(1);
    await untilStatus(id, "Settled/PaidAfterExpiration");
    expect(await bench.events(id)).to.deep.equal(["New/None", "Expired/None", "Settled/PaidAfterExpiration"]);
  });

  it("expires an unpaid invoice when a block came after the gap, and no sooner", async function () {
    this.timeout(PATIENCE_MS);
    const { id } = await bench.invoice();
    await untilCaughtUp();
    await ours.restart({ mempool: false });
    await ours.connect(network);
    await bench.endTime(id);
    await untilCaughtUp();
    await expectHeld(id);
    await network.mine(1);
    await untilStatus(id, "Expired/None");
  });
}
