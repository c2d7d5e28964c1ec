import { expect } from "chai";
import { In } from "typeorm";
import { ChainBench } from "../../support/chain";
import { eventually } from "../../support/eventually";
import { mineEmpty } from "../../support/node-tricks";
import { Payment } from "../../../entities/payment";
import { SetAside } from "../../../entities/set-aside";
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
      const { length } = hints.takeTransactions();
      hints.transaction(raw);
      for (let left = kept - length + 1; left > 0; left -= hints.takeTransactions().length)
        expect(hints.takeMissed()).to.equal(false);
      expect(hints.takeTransactions()).to.deep.equal([]);
    });
});

describe("chain-watch's loop", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
  });
  afterEach(() => bench.stop());

  const payment = async (): Promise<{ txid: string; raw: Buffer }> => {
    const { address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    const digits = await bench.node.rpc<string>("getrawtransaction", txid);
    return { txid, raw: Buffer.from(digits, "hex") };
  };
  const heard = async (hints: ChainHints): Promise<string> => {
    const { txid, raw } = await payment();
    hints.transaction(raw);
    return txid;
  };

  const watching = async (hints: ChainHints, chain: typeof bench.chain, tickMs = NEVER_MS) => {
    await bench.holdLease();
    const end = new AbortController();
    const parts = { hints, metrics: { malformed: () => undefined } };
    const watched = watchChain({ ...bench.watch, chain }, parts, end.signal, tickMs);
    return {
      end: (): Promise<void> => {
        end.abort();
        return watched;
      },
    };
  };

  it("logs a failure that lasts once, whatever it hears meanwhile", async () => {
    const hints = new ChainHints();
    let checks = 0;
    const info = (): Promise<never> => {
      checks += 1;
      return Promise.reject(new Error("a defect"));
    };
    // Longer than the pause after a failure: some turns take hints alone.
    const loop = await watching(hints, { ...bench.chain, info }, 1_500);
    const news = setInterval(() => hints.transaction(Buffer.alloc(0)), 20);
    try {
      await eventually(() => checks >= 3);
    } finally {
      clearInterval(news);
      await loop.end();
    }
    const failures = bench.ctx.lines.filter(({ message }) => message === "chain: poll failed");
    expect(failures).to.have.length(1);
  });

  it("begins a check that is due before it has recorded all that it heard", async () => {
    const hints = new ChainHints();
    const calls: string[] = [];
    const chain = {
      ...bench.chain,
      info: () => {
        calls.push("check");
        return bench.chain.info();
      },
      mempoolEntry: (txid: string) => {
        calls.push(txid);
        return bench.chain.mempoolEntry(txid);
      },
    };
    const loop = await watching(hints, chain);
    try {
      await eventually(async () => (await bench.methodSync())?.caughtUpTo ?? false);
      const { txid, raw } = await payment();
      for (let count = 0; count < 1_000; count += 1) hints.transaction(Buffer.alloc(1));
      hints.transaction(raw);
      hints.check();
      calls.length = 0;
      await eventually(() => calls.includes(txid));
      expect(calls[0]).to.equal("check");
    } finally {
      await loop.end();
    }
  });

  it("ends between two payments that it offers again", async () => {
    for (let count = 0; count < 3; count += 1) await payment();
    let offered = 0;
    let ended: Promise<void> | null = null;
    const broadcast = (raw: Buffer): ReturnType<typeof bench.chain.broadcast> => {
      offered += 1;
      ended = loop.end();
      return bench.chain.broadcast(raw);
    };
    const loop = await watching(new ChainHints(), { ...bench.chain, broadcast });
    await eventually(() => ended !== null);
    await loop.end();
    expect(offered).to.equal(1);
  });

  const setAside = async (): Promise<void> => {
    const item = { invoiceIds: [], failedAt: new Date(), error: "a defect", retryAsked: true };
    const txids = ["aa", "bb", "cc"].map((byte) => byte.repeat(32));
    await bench.ctx.db.manager.insert(
      SetAside,
      txids.map((txid) => ({ txid, ...item })),
    );
  };

  const OFFERED = "payments that it offers again";
  const SET_ASIDE = "transactions that were set aside";
  for (const where of ["blocks", OFFERED, SET_ASIDE])
    it(`records what it hears between two ${where}, before a complete check has ended`, async () => {
      for (const { address } of [await bench.invoice(), await bench.invoice()])
        await bench.node.pay(address, 100_000n);
      const hints = new ChainHints();
      let begun = false;
      let hearing: Promise<string> | undefined;
      const states: (string | undefined)[] = [];
      const step = async (at: string): Promise<void> => {
        if (!begun || at !== where) return;
        const first = hearing === undefined;
        const txid = await (hearing ??= heard(hints));
        if (!first) states.push((await bench.ctx.db.manager.findOneBy(Payment, { txid }))?.state);
      };
      const chain = {
        ...bench.chain,
        rawBlock: async (hash: string) => {
          await step("blocks");
          return bench.chain.rawBlock(hash);
        },
        broadcast: async (raw: Buffer) => {
          await step(OFFERED);
          return bench.chain.broadcast(raw);
        },
        mempoolTransactions: async (txids: readonly string[]) => {
          if (await bench.ctx.db.manager.existsBy(SetAside, { txid: In(txids) })) await step(SET_ASIDE);
          return bench.chain.mempoolTransactions(txids);
        },
      };
      const loop = await watching(hints, chain);
      try {
        await eventually(async () => (await bench.methodSync())?.caughtUpTo ?? false);
        for (let count = 0; count < 5; count += 1) await mineEmpty(bench.node);
        if (where === SET_ASIDE) await setAside();
        begun = true;
        hints.check();
        await eventually(() => states.includes("pending"));
        const { bestBlockHash } = await bench.chain.info();
        await eventually(async () => (await bench.cursor())?.hash === bestBlockHash);
        expect(states.at(-1)).to.equal("pending");
      } finally {
        await loop.end();
      }
    });
});
