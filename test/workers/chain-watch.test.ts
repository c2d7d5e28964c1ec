import { makeProcessMetrics } from "../../adapters/metrics/process-metrics";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { makeBitcoindRpc } from "../../adapters/bitcoind/rpc";
import { NodeUnavailableError } from "../../domain/errors";
import { Lease } from "../../entities/lease";
import { runChainWatch, type ChainWatchParts } from "../../workers/chain-watch";
import type { RunningWorker } from "../../workers/worker";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import { ChainBench } from "../support/chain";
import { failNow, testContext, type TestContext } from "../support/context";
import { eventually } from "../support/eventually";

/** So long that only hints can wake the watcher within a test. */
const NEVER_MS = 3_600_000;

describe("chain-watch", () => {
  let bench: ChainBench;
  let running: RunningWorker[];
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.ctx.db.query("DELETE FROM leases");
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((worker) => worker.close()));
    await bench.stop();
  });

  const start = async (
    parts: Partial<ChainWatchParts> = {},
    node: BitcoinNode = bench.node,
  ): Promise<{ worker: RunningWorker; ctx: TestContext }> => {
    const ctx = await testContext({ db: bench.ctx.db, chain: bench.chain });
    const worker = runChainWatch({
      ctx,
      chain: bench.chain,
      metrics: makeProcessMetrics({ worker: "chain-watch", instanceId: "test" }),
      zmq: { rpcUrl: node.rpcUrl, reconnectMs: { first: 20, most: 100 } },
      holder: "test",
      onFatal: failNow,
      tickMs: NEVER_MS,
      ...parts,
    });
    running.push(worker);
    return { worker, ctx };
  };
  const caughtUp = (): Promise<unknown> =>
    eventually(async () => (await bench.methodSync())?.caughtUpTo ?? false);
  const stateOf = async (txid: string): Promise<string | undefined> => {
    const rows = await bench.ctx.db.query<{ state: string }[]>(`SELECT state FROM payments WHERE txid = $1`, [
      txid,
    ]);
    return rows[0]?.state;
  };
  /** The subscription needs a moment: from here on every message is heard. */
  const hearing = async (): Promise<void> => {
    await caughtUp();
    await eventually(async () => {
      const { address } = await bench.invoice();
      const txid = await bench.node.pay(address, 1_000n);
      return eventually(async () => (await stateOf(txid)) !== undefined, 300);
    });
    await eventually(async () => {
      const [hash] = await bench.node.mine(1);
      return eventually(async () => (await bench.cursor())?.hash === hash, 300);
    });
  };

  it("records a payment and its block as ZMQ publishes them, long before the next poll", async () => {
    await start();
    await hearing();
    const { address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await eventually(async () => (await stateOf(txid)) === "pending");
    const [hash] = await bench.node.mine(1);
    await eventually(async () => (await bench.cursor())?.hash === hash);
    expect((await bench.paymentOf(txid)).blockHash).to.equal(hash);
  });

  it("requests confirmations at a block, and decides the invoices concerned", async () => {
    const { ctx } = await start();
    await hearing();
    const { id, address } = await bench.invoice({ requiredConfirmations: 2 });
    await bench.node.pay(address, 100_000n);
    const hashes = await bench.node.mine(2);
    await eventually(async () => (await bench.cursor())?.hash === hashes.at(-1));
    const height = (await bench.cursor())?.height ?? 0;
    await eventually(() => expect(ctx.jobsOf("confirmations")).to.deep.include({ height }));
    expect(await bench.status(id)).to.equal("Processing/None");
    expect(ctx.jobsOf("invoices")).to.deep.equal([]);
  });

  it("requests confirmations once a second while catching up, and for the last block", async () => {
    const before = await start();
    await caughtUp();
    await before.worker.close();
    const hashes = await bench.node.mine(60);
    const begin = performance.now();
    const { ctx } = await start();
    await eventually(async () => (await bench.cursor())?.hash === hashes.at(-1));
    const height = (await bench.cursor())?.height ?? 0;
    await eventually(() => expect(ctx.jobsOf("confirmations")).to.deep.include({ height }));
    const seconds = (performance.now() - begin) / 1_000;
    expect(ctx.jobsOf("confirmations")).to.have.length.below(seconds + 3);
  });

  it("requests the last block's confirmations before it reads unconfirmed payments", async () => {
    const before = await start();
    await caughtUp();
    await before.worker.close();
    await bench.node.mine(3);
    const { address } = await bench.invoice();
    await bench.node.pay(address, 100_000n);
    const chain = makeBitcoindRpc({ url: bench.node.rpcUrl });
    let goOn: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (goOn = resolve));
    const { broadcast } = chain;
    let waits = false;
    chain.broadcast = async (raw) => {
      waits = true;
      await asked;
      return broadcast(raw);
    };
    const { ctx } = await start({ chain });
    await eventually(() => waits);
    const height = (await bench.cursor())?.height ?? 0;
    expect(ctx.jobsOf("confirmations")).to.deep.include({ height });
    goOn();
  });

  it("requests the confirmations of blocks that came before the node went away", async () => {
    const before = await start();
    await caughtUp();
    await before.worker.close();
    const hashes = await bench.node.mine(6);
    const away = (): Promise<never> => Promise.reject(new NodeUnavailableError("the test says so"));
    const chain = makeBitcoindRpc({ url: bench.node.rpcUrl });
    const { rawBlock } = chain;
    chain.rawBlock = (hash) => (hash === hashes.at(-1) ? away() : rawBlock(hash));
    const { ctx } = await start({ chain });
    await eventually(async () => (await bench.cursor())?.hash === hashes.at(-2));
    const height = (await bench.cursor())?.height ?? 0;
    await eventually(() => expect(ctx.jobsOf("confirmations")).to.deep.include({ height }));
  });

  it("scans everything after a gap in the sequence, but nothing twice", async () => {
    const asked: string[] = [];
    const mempoolTransactions = (txids: readonly string[]): Promise<Map<string, Buffer>> => {
      asked.push(...txids);
      return bench.chain.mempoolTransactions(txids);
    };
    await start({ chain: { ...bench.chain, mempoolTransactions } });
    await hearing();
    const [told, silent] = [await bench.invoice(), await bench.invoice()];
    const heard = await bench.node.pay(told.address, 100_000n);
    await eventually(async () => (await stateOf(heard)) === "pending");
    bench.node.faults.dropZmq = true;
    const missed = await bench.node.pay(silent.address, 100_000n);
    bench.node.faults.dropZmq = false;
    await bench.node.pay(await bench.node.newAddress(), 1_000n); // of no invoice, but its sequence number reveals the gap
    await eventually(async () => (await stateOf(missed)) === "pending");
    expect(asked).to.include(missed).and.not.include(heard);
  });

  it("skips malformed messages", async () => {
    const { ctx } = await start();
    await hearing();
    bench.node.publish("rawtx", Buffer.from("nonsense"));
    bench.node.publishNonsense("rawtx", ["rawtx"]);
    bench.node.publishNonsense("hashblock", ["hashblock", "short", Buffer.alloc(4)]);
    await eventually(() => {
      const said = ctx.lines.map((line) => line.message);
      expect(said)
        .to.include("chain: malformed transactions skipped")
        .and.include("zmq: malformed message skipped");
      const skipped = ctx.lines.filter(({ message }) => message === "zmq: malformed message skipped");
      expect(skipped.at(-1)?.fields).to.include({ total: 2 });
    });
    const { address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await eventually(async () => (await stateOf(txid)) === "pending");
  });

  it("continues when the node was restarted, with one warning meanwhile", async () => {
    const { ctx } = await start({ tickMs: 200 });
    await hearing();
    await bench.node.stop();
    await eventually(async () => (await bench.methodSync())?.synchronized === false);
    await bench.node.restart();
    await eventually(async () => (await bench.methodSync())?.synchronized === true);
    const warnings = ctx.lines.filter((line) => line.level === "warn" && /unusable/.test(line.message));
    expect(warnings, "one clear line, however often it was tried").to.have.length(1);
    await eventually(() => ctx.lines.some((line) => line.message === "chain: node usable again"));
  });

  it("has one leader among several processes, and another takes over at once when it is closed", async () => {
    const copies = await Promise.all(["a", "b", "c"].map((holder) => start({ tickMs: 100, holder })));
    await caughtUp();
    const led = copies.map(({ ctx }) => ctx.lines.some((line) => line.message === "leading"));
    expect(led.filter(Boolean)).to.have.length(1);
    const leader = copies[led.indexOf(true)];
    const { epoch } = await bench.ctx.db.manager.findOneByOrFail(Lease, { name: "chain-watch" });
    await leader?.worker.close();
    const left = await bench.ctx.db.manager.findOneByOrFail(Lease, { name: "chain-watch" });
    // It is free at once, not when it would have run out.
    if (left.epoch === epoch) expect(left.expiresAt).to.be.at.most(await bench.now());
    await eventually(async () => {
      const now = await bench.ctx.db.manager.findOneByOrFail(Lease, { name: "chain-watch" });
      expect(Number(now.epoch)).to.be.greaterThan(Number(epoch));
    });
    const { address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await eventually(async () => (await stateOf(txid)) === "pending");
  });

  it("reports that it is catching up when that takes long, and records what comes meanwhile after the blocks", async () => {
    await start();
    await hearing();
    await Promise.all(running.splice(0).map((worker) => worker.close()));
    await bench.node.mine(60);
    const tipHash = await bench.node.rpc<string>("getbestblockhash");
    let goOn = (): void => undefined;
    const looked = new Promise<void>((resolve) => (goOn = resolve));
    let farMs = 300;
    const chain = {
      ...bench.chain,
      rawBlock: async (hash: string) => {
        await (hash === tipHash ? looked : sleep(farMs)); // a far node
        return bench.chain.rawBlock(hash);
      },
    };
    await start({ chain });
    const { id, address } = await bench.invoice();
    await eventually(async () => /Catching up/.test((await bench.methodSync())?.problem ?? ""));
    farMs = 0; // its last block still waits
    const txid = await bench.node.pay(address, 1_000n);
    const tip = await bench.node.rpc<number>("getblockcount");
    const waits = await bench.payments(id);
    expect((await bench.cursor())?.height, "it was not done yet").to.be.below(tip);
    expect(waits, "a block may have taken back what it would count beside").to.deep.equal([]);
    goOn();
    await eventually(async () => (await stateOf(txid)) === "pending");
    await eventually(async () => (await bench.methodSync())?.problem === null);
    expect((await bench.cursor())?.height).to.equal(tip);
  }).timeout(90_000);
});
