import { expect } from "chai";
import { ChainBench } from "../../support/chain";
import { eventually } from "../../support/eventually";
import { mineEmpty } from "../../support/node-tricks";
import { Payment } from "../../../entities/payment";
import { ChainHints, watchChain } from "../../../workers/chain/chain-loop";

const NEVER_MS = 3_600_000;

describe("chain-watch's hints", () => {
  const never = new AbortController().signal;

  it("are handed over once, in order", () => {
    const hints = new ChainHints();
    for (const text of ["a", "b"]) hints.transaction(Buffer.from(text));
    expect(hints.takeTransactions().map(String)).to.deep.equal(["a", "b"]);
    expect(hints.takeTransactions()).to.deep.equal([]);
    expect(hints.takeCheck()).to.equal(false);
  });

  it("wake present and later readers", async () => {
    const hints = new ChainHints();
    const waiting = hints.wait(NEVER_MS, never);
    hints.check();
    await waiting;
    await hints.wait(NEVER_MS, never);
    expect(hints.takeCheck()).to.equal(true);
    expect(hints.takeCheck()).to.equal(false);
    const listening = hints.wait(NEVER_MS, never);
    hints.transaction(Buffer.from("a"));
    await listening;
    await hints.wait(NEVER_MS, never);
    expect(hints.takeTransactions()).to.have.length(1);
  });

  it("keep no reader that ends, and none whose time is up", async () => {
    const hints = new ChainHints();
    const end = new AbortController();
    const waiting = hints.wait(NEVER_MS, end.signal);
    end.abort();
    await waiting;
    await hints.wait(1, never);
  });

  for (const [what, raw, kept] of [
    ["too many", Buffer.alloc(100), 20_000],
    ["too large", Buffer.alloc(1024 * 1024), 64],
  ] as const)
    it(`that are ${what} cost no more memory: a scan of the whole mempool is requested instead`, () => {
      const hints = new ChainHints();
      for (let count = 0; count < kept; count += 1) hints.transaction(raw);
      expect([hints.takeCheck(), hints.takeMissed()]).to.deep.equal([false, false]);
      hints.transaction(raw);
      expect([hints.takeCheck(), hints.takeMissed()]).to.deep.equal([true, true]);
      expect(hints.takeMissed()).to.equal(false);
      expect(hints.takeTransactions()).to.have.length(kept);
      hints.transaction(raw);
      expect(hints.takeTransactions()).to.have.length(1);
    });
});

describe("chain-watch's loop", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
  });
  afterEach(() => bench.stop());

  const heard = async (hints: ChainHints): Promise<string> => {
    const { address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    hints.transaction(Buffer.from(await bench.node.rpc<string>("getrawtransaction", txid), "hex"));
    return txid;
  };

  for (const where of ["blocks", "payments that it offers again"])
    it(`records what it hears between two ${where}, before a complete check has ended`, async () => {
      for (const { address } of [await bench.invoice(), await bench.invoice()])
        await bench.node.pay(address, 100_000n);
      const hints = new ChainHints();
      let begun = false;
      let hearing: Promise<string> | undefined;
      const states: (string | undefined)[] = [];
      const step = async (): Promise<void> => {
        const first = hearing === undefined;
        const txid = await (hearing ??= heard(hints));
        if (!first) states.push((await bench.ctx.db.manager.findOneBy(Payment, { txid }))?.state);
      };
      const chain = {
        ...bench.chain,
        rawBlock: async (hash: string) => {
          if (begun && where === "blocks") await step();
          return bench.chain.rawBlock(hash);
        },
        broadcast: async (raw: Buffer) => {
          if (begun && where !== "blocks") await step();
          return bench.chain.broadcast(raw);
        },
      };
      await bench.holdLease();
      const end = new AbortController();
      const parts = { hints, metrics: { malformed: () => undefined } };
      const watching = watchChain({ ...bench.watch, chain }, parts, end.signal, NEVER_MS);
      try {
        await eventually(async () => (await bench.methodSync())?.caughtUpTo ?? false);
        for (let count = 0; count < 5; count += 1) await mineEmpty(bench.node);
        begun = true;
        hints.check();
        await eventually(() => states.includes("pending"));
        const { bestBlockHash } = await bench.chain.info();
        await eventually(async () => (await bench.cursor())?.hash === bestBlockHash);
        expect(states.at(-1)).to.equal("pending");
      } finally {
        end.abort();
        await watching;
      }
    });
});
