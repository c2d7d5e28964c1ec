import { Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import {
  checkChain,
  type CheckOutcome,
  hearTransactions,
  noteMissed,
} from "../../../commands/chain/check-chain";
import { EVICTED_AFTER_MS } from "../../../domain/chain/refused-payment";
import { NodeUnavailableError } from "../../../domain/errors";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { Invoice } from "../../../entities/invoice";
import { PaymentInput } from "../../../entities/payment-input";
import { ChainBench, idleHooks } from "../../support/chain";
import { mineEmpty } from "../../support/node-tricks";

const MINUTE = 60_000;

const GONE = "bad-txns-inputs-missingorspent";

describe("a complete check of mempool and chain", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  const problemOf = (outcome: CheckOutcome): string => (outcome.caughtUp ? "none" : outcome.problem);
  const inMempool = async (txid: string): Promise<boolean> =>
    (await bench.node.rpc<string[]>("getrawmempool")).includes(txid);
  const paid = async (): Promise<{ id: string; txid: string }> => {
    const { id, address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await bench.look();
    return { id, txid };
  };
  /** A payment that the node has dropped, and refuses since. */
  const refused = async (): Promise<string> => {
    const { txid } = await paid();
    bench.node.faults.refusal = GONE;
    await bench.node.dropFromMempool(txid);
    await bench.look();
    return txid;
  };

  describe("moves caughtUpTo", () => {
    it("to the time when the check began", async () => {
      const before = await bench.now();
      await bench.look();
      const sync = await bench.methodSync();
      expect(sync?.caughtUpTo).to.be.at.least(before);
      expect(sync?.caughtUpTo).to.be.at.most(await bench.now());
      expect(sync).to.include({ synchronized: true, problem: null, nodeHeight: 150 });
    });

    const breakages: { name: string; breakIt(): void; problem: RegExp }[] = [
      {
        name: "while the node starts",
        breakIt: () => (bench.node.faults.warmingUp = true),
        problem: /the node is starting: Loading block index/,
      },
      {
        name: "while it loads its mempool",
        breakIt: () => (bench.node.faults.mempoolLoading = true),
        problem: /loading its mempool/,
      },
      {
        name: "while it downloads the chain",
        breakIt: () => (bench.node.faults.initialBlockDownload = true),
        problem: /downloading the chain/,
      },
      {
        name: "while its answers are garbled",
        breakIt: () => (bench.node.faults.garbledRpc = "<html>"),
        problem: /not JSON/,
      },
      {
        name: "while its answers are JSON of another shape",
        breakIt: () => (bench.node.faults.garbledRpc = '{"result":{"blocks":"many"},"error":null,"id":0}'),
        problem: /malformed/,
      },
      {
        name: "while it is on another network",
        breakIt: () => (bench.node.faults.chain = "main"),
        problem: /on the network "main", but this installation is for "regtest"/,
      },
    ];
    for (const { name, breakIt, problem } of breakages)
      it(`not ${name}; says so without host names, and no payment vanishes`, async () => {
        const { txid } = await paid();
        const before = (await bench.methodSync())?.caughtUpTo;
        breakIt();
        await bench.node.dropFromMempool(txid);
        bench.ctx.clock.advance(60 * MINUTE);
        expect(problemOf(await bench.look())).to.match(problem);
        const sync = await bench.methodSync();
        expect(sync?.caughtUpTo).to.deep.equal(before);
        expect(sync).to.include({ synchronized: false });
        expect(sync?.problem)
          .to.match(problem)
          .and.not.match(/127\.0\.0\.1|localhost|:\d{4}/);
        expect(await bench.paymentOf(txid)).to.include({ state: "pending", missingSince: null });
      });

    it("not when the node's tip is below the last processed block, which it does not know", async () => {
      await bench.node.mine(2);
      await bench.look();
      const cursor = await bench.cursor();
      const younger = await ChainBench.start();
      try {
        const watch = { ...bench.watch, chain: younger.chain };
        const outcome = await checkChain(watch, bench.view, idleHooks());
        expect(problemOf(outcome)).to.match(/at block 150, below block 152/);
        expect(await bench.cursor()).to.deep.equal(cursor);
      } finally {
        await younger.stop();
      }
    });
  });

  describe("alerts once", () => {
    it("when the node has been away for a minute, and resolves it when it is back", async () => {
      bench.node.faults.warmingUp = true;
      await bench.look();
      expect(await bench.alerts("node-away")).to.deep.equal([]);
      bench.ctx.clock.advance(MINUTE);
      await bench.look();
      await bench.look();
      expect(await bench.alerts("node-away")).to.have.length(1);
      bench.forget(); // another leader
      bench.node.faults.warmingUp = false;
      await bench.look();
      expect((await bench.alerts("node-away"))[0]?.resolvedAt).to.be.instanceOf(Date);
    });

    it("when the node has been behind for a minute", async () => {
      bench.node.faults.initialBlockDownload = true;
      await bench.look();
      bench.ctx.clock.advance(MINUTE);
      await bench.look();
      expect((await bench.alerts("node-behind"))[0]?.message).to.match(/downloading the chain/);
    });
  });

  describe("handles payments in no block", () => {
    it("keeps one pending that the node's own policy refuses, with an alert, until the node takes it or a block has it", async () => {
      const { id, txid } = await paid();
      bench.node.faults.refusal = "min relay fee not met, 500 < 700";
      await bench.node.dropFromMempool(txid);
      await bench.look();
      bench.ctx.clock.advance(2 * EVICTED_AFTER_MS);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("pending");
      expect(await bench.status(id)).to.equal("Processing/None");
      const [alert] = await bench.alerts("payment-refused");
      expect(alert).to.include({ severity: "warning", invoiceId: id, resolvedAt: null });
      expect(alert?.message).to.include("min relay fee not met");
      bench.node.faults.refusal = GONE; // what counts now begins now
      bench.ctx.clock.advance(EVICTED_AFTER_MS - 60_000);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("pending");
      bench.node.faults.refusal = null;
      bench.ctx.clock.advance(60_000);
      await bench.look();
      await bench.node.mine(1);
      await bench.look();
      expect(await bench.status(id)).to.equal("Settled/None");
      expect((await bench.alerts("payment-refused"))[0]?.resolvedAt).to.be.instanceOf(Date);
    });

    it("ends the alert about one when the node takes it again, without a block", async () => {
      const { txid } = await paid();
      bench.node.faults.refusal = "mempool min fee not met, 500 < 700";
      await bench.node.dropFromMempool(txid);
      await bench.look();
      expect((await bench.alerts("payment-refused"))[0]?.resolvedAt).to.equal(null);
      bench.node.faults.refusal = null;
      bench.ctx.clock.advance(31_000);
      await bench.look();
      expect(await bench.paymentOf(txid)).to.include({ state: "pending", missingSince: null });
      expect((await bench.alerts("payment-refused"))[0]?.resolvedAt).to.be.instanceOf(Date);
    });

    it("follows one that the node's own policy refuses no further than its invoice's monitoring", async () => {
      const { id, txid } = await paid();
      bench.node.faults.refusal = "min relay fee not met, 500 < 700";
      await bench.node.dropFromMempool(txid);
      await bench.look();
      const { monitoringUntil } = await bench.ctx.db.manager.findOneByOrFail(Invoice, { id });
      bench.ctx.clock.freeze(new Date(monitoringUntil.getTime() + 1));
      await bench.look();
      await changeInvoice(bench.ctx, id);
      expect(await bench.status(id)).to.equal("Invalid/None");
      bench.ctx.clock.advance(EVICTED_AFTER_MS - MINUTE);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("pending");
      bench.ctx.clock.advance(2 * MINUTE);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("evicted");
      expect((await bench.alerts("payment-refused"))[0]?.resolvedAt).to.be.instanceOf(Date);
      expect(await bench.alerts("double-spend")).to.have.length(0);
    });

    it("does not count time in which the node was away towards the ten minutes", async () => {
      const txid = await refused();
      await bench.node.stop();
      await bench.look();
      bench.ctx.clock.advance(EVICTED_AFTER_MS + MINUTE);
      await bench.node.restart();
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("pending");
      bench.ctx.clock.advance(EVICTED_AFTER_MS);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("evicted");
    });

    describe("after the database's clock was set back", () => {
      const lookFor = async (minutes: number): Promise<void> => {
        for (let minute = 0; minute < minutes; minute += 1) {
          bench.ctx.clock.advance(MINUTE);
          await bench.look();
        }
      };

      it("evicts one after ten minutes of refusal", async () => {
        const txid = await refused();
        bench.ctx.clock.advance(-60 * MINUTE);
        await lookFor(9);
        expect((await bench.paymentOf(txid)).state).to.equal("pending");
        await lookFor(2);
        expect((await bench.paymentOf(txid)).state).to.equal("evicted");
      });

      it("broadcasts one again that the node accepts again", async () => {
        const txid = await refused();
        bench.ctx.clock.advance(-60 * MINUTE);
        bench.node.faults.refusal = null;
        await lookFor(1);
        expect(await inMempool(txid)).to.equal(true);
      });

      it("replaces one ten minutes after a conflict that came after the expiry", async () => {
        const { id, txid } = await paid();
        await bench.agePaid(id, 60);
        await bench.node.bump(txid, {
          to: [{ address: await bench.node.newAddress(), amountSats: 1_000n }],
        });
        await bench.look();
        expect((await bench.paymentOf(txid)).state).to.equal("pending");
        bench.ctx.clock.advance(-30 * MINUTE);
        await lookFor(9);
        expect((await bench.paymentOf(txid)).state).to.equal("pending");
        await lookFor(2);
        expect((await bench.paymentOf(txid)).state).to.equal("replaced");
      });
    });

    for (const later of ["what was paid instead", "the conflict"])
      it(`does not count a replaced one beside what was paid instead, where the node lists ${later} last`, async () => {
        const { id, address } = await bench.invoice();
        const first = await bench.node.pay(address, 60_000n);
        await bench.look();
        const rival = await bench.node.bump(first, {
          to: [{ address: await bench.node.newAddress(), amountSats: 1_000n }],
        });
        const second = await bench.node.pay(address, 60_000n);
        const listed = later === "the conflict" ? [second, rival] : [rival, second];
        const chain = { ...bench.chain, mempoolTxids: () => Promise.resolve(listed) };
        await bench.holdLease();
        await checkChain({ ...bench.watch, chain }, bench.view, idleHooks());
        expect((await bench.paymentOf(second)).state).to.equal("pending");
        expect((await bench.paymentOf(first)).state).to.equal("replaced");
        expect(await bench.events(id)).to.deep.equal(["New/None"]);
      });

    it("does not count a replaced one beside what was paid instead and is in a block", async () => {
      const { id, address } = await bench.invoice();
      const first = await bench.node.pay(address, 60_000n);
      await bench.look();
      const rival = await bench.node.bump(first, {
        to: [{ address: await bench.node.newAddress(), amountSats: 1_000n }],
      });
      const raw = await bench.node.rpc<string>("getrawtransaction", rival);
      const second = await bench.node.pay(address, 60_000n);
      bench.node.core.drop(rival);
      await bench.node.mine(1);
      await bench.node.rpc("sendrawtransaction", raw);
      await bench.look();
      expect((await bench.paymentOf(second)).blockHeight).to.equal(151);
      expect((await bench.paymentOf(first)).state).to.equal("replaced");
      expect(await bench.events(id)).to.deep.equal(["New/None"]);
    });

    for (const later of ["what pays more", "what takes back"])
      it(`does not count a replaced one beside a bump that pays more, where the node answers ${later} last`, async () => {
        const { id, address } = await bench.invoice();
        const [first, second] = [
          await bench.node.pay(address, 60_000n),
          await bench.node.pay(address, 30_000n),
        ];
        await bench.look();
        const back = await bench.node.bump(first, {
          to: [
            { address: await bench.node.newAddress(), amountSats: 1_000n },
            { address, amountSats: 1_000n },
          ],
        });
        const more = await bench.node.bump(second, { to: [{ address, amountSats: 60_000n }] });
        const mempoolTransactions = async (txids: readonly string[]): Promise<Map<string, Buffer>> => {
          const known = [...(await bench.chain.mempoolTransactions(txids))];
          return new Map(known.sort(([txid]) => ((txid === more) === (later === "what pays more") ? 1 : -1)));
        };
        await bench.holdLease();
        await checkChain(
          { ...bench.watch, chain: { ...bench.chain, mempoolTransactions } },
          bench.view,
          idleHooks(),
        );
        expect((await bench.paymentOf(first)).state).to.equal("replaced");
        expect((await bench.paymentOf(second)).state).to.equal("replaced");
        expect((await bench.paymentOf(back)).state).to.equal("pending");
        expect((await bench.paymentOf(more)).state).to.equal("pending");
        expect(await bench.events(id)).to.deep.equal(["New/None"]);
      });

    it("asks for one coin of each that is in the mempool, however many it and its ancestors spend", async () => {
      const { address } = await bench.invoice();
      const parent = await bench.node.pay(await bench.node.newAddress(), 100_000n);
      await bench.node.pay(address, 50_000n, { spending: parent });
      await bench.node.pay(address, 50_000n);
      await bench.look();
      const asked: number[] = [];
      const mempoolSpenders: typeof bench.chain.mempoolSpenders = (outpoints) => {
        asked.push(outpoints.length);
        return bench.chain.mempoolSpenders(outpoints);
      };
      await bench.holdLease();
      await checkChain(
        { ...bench.watch, chain: { ...bench.chain, mempoolSpenders } },
        bench.view,
        idleHooks(),
      );
      expect(await bench.ctx.db.manager.count(PaymentInput)).to.equal(3);
      expect(asked.filter((outpoints) => outpoints > 0)).to.deep.equal([2]);
    });

    it("broadcasts them after a block, and not because the checks paused", async () => {
      const { txid } = await paid();
      const broadcasts: string[] = [];
      const broadcast: typeof bench.chain.broadcast = (rawTx) => {
        broadcasts.push(Transaction.fromBuffer(rawTx).getId());
        return bench.chain.broadcast(rawTx);
      };
      const check = async (): Promise<void> => {
        await bench.holdLease();
        await checkChain({ ...bench.watch, chain: { ...bench.chain, broadcast } }, bench.view, idleHooks());
      };
      bench.ctx.clock.advance(2 * MINUTE);
      noteMissed(bench.view);
      await check();
      expect(broadcasts).to.deep.equal([]);
      await mineEmpty(bench.node);
      await check();
      expect(broadcasts).to.deep.equal([txid]);
    });

    it("detects those in the mempool while the node cannot read a block", async () => {
      const { id, address } = await bench.invoice();
      await bench.node.mine(1);
      await bench.node.pay(address, 100_000n);
      const chain = { ...bench.chain, rawBlock: () => Promise.resolve(null) };
      await bench.holdLease();
      const outcome = await checkChain({ ...bench.watch, chain }, bench.view, idleHooks());
      expect(problemOf(outcome)).to.match(/does not have block 151/);
      expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None"]);
    });

    it("does not wait for a block of which only the header is known", async () => {
      // `headers` above `blocks`: the node knows of a block that it does not have.
      const { txid } = await paid();
      const before = (await bench.methodSync())?.caughtUpTo;
      const chain = {
        ...bench.chain,
        info: async () => {
          const info = await bench.chain.info();
          return { ...info, headers: info.blocks + 2 };
        },
      };
      await bench.node.mine(1);
      await bench.holdLease();
      const outcome = await checkChain({ ...bench.watch, chain }, bench.view, idleHooks());
      expect(problemOf(outcome)).to.match(/2 blocks behind/);
      expect((await bench.paymentOf(txid)).blockHeight, "what is there is processed").to.equal(151);
      expect((await bench.methodSync())?.caughtUpTo).to.deep.equal(before);
    });
  });

  describe("after something was missed", () => {
    const raw = async (txid: string): Promise<Buffer> =>
      Buffer.from(await bench.node.rpc<string>("getrawtransaction", txid), "hex");
    const misses: { name: string; miss(replacement: Buffer): Promise<void> }[] = [
      {
        name: "of what the node published",
        miss: async (replacement) => {
          const mempoolEntry = (): Promise<null> => Promise.reject(new NodeUnavailableError("away"));
          const chain = { ...bench.chain, mempoolEntry };
          expect(await hearTransactions({ ...bench.watch, chain }, bench.view, [replacement])).to.equal(null);
        },
      },
      {
        name: "by a check that failed",
        miss: async () => {
          const info = (): Promise<never> => Promise.reject(new Error("a defect"));
          const chain = { ...bench.chain, info };
          const failed = await checkChain({ ...bench.watch, chain }, bench.view, idleHooks()).catch(String);
          expect(failed).to.equal("Error: a defect");
        },
      },
    ];
    for (const { name, miss } of misses)
      it(`${name}, nothing is recorded before what replaced payments`, async () => {
        const { id, address } = await bench.invoice();
        const first = await bench.node.pay(address, 60_000n);
        await bench.look();
        const rival = await bench.node.bump(first, {
          to: [{ address: await bench.node.newAddress(), amountSats: 1_000n }],
        });
        await miss(await raw(rival));
        const second = await bench.node.pay(address, 60_000n);
        expect(await hearTransactions(bench.watch, bench.view, [await raw(second)])).to.equal(null);
        await bench.look();
        expect((await bench.paymentOf(first)).state).to.equal("replaced");
        expect((await bench.paymentOf(second)).state).to.equal("pending");
        expect(await bench.events(id)).to.deep.equal(["New/None"]);
        const third = await bench.node.pay(address, 60_000n);
        expect((await hearTransactions(bench.watch, bench.view, [await raw(third)]))?.payments).to.equal(1);
        expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None"]);
      });
  });

  it("records nothing of what is published after it has missed something in a check's walk, until the next check", async () => {
    const { id, address } = await bench.zeroConfInvoice();
    const first = await bench.node.pay(address, 60_000n, { replaceable: false });
    await bench.look();
    const elsewhere = { address: await bench.node.newAddress(), amountSats: 1_000n };
    let infos = 0;
    const chain = {
      ...bench.chain,
      blockHash: async (height: number) => {
        const hash = await bench.chain.blockHash(height);
        if (hash === null && infos === 1) {
          await bench.node.bump(first, { to: [elsewhere] });
          noteMissed(bench.view); // as the loop does when ZMQ skips a number
        }
        return hash;
      },
      info: async () => {
        if ((infos += 1) === 2) {
          const second = await bench.node.pay(address, 60_000n, { replaceable: false });
          const raw = Buffer.from(await bench.node.rpc<string>("getrawtransaction", second), "hex");
          expect(await hearTransactions(bench.watch, bench.view, [raw])).to.equal(null);
        }
        return bench.chain.info();
      },
    };
    await bench.holdLease();
    await checkChain({ ...bench.watch, chain }, bench.view, idleHooks());
    expect(infos).to.be.greaterThan(1);
    expect(await bench.events(id)).to.deep.equal(["New/None"]);
    expect((await bench.payments(id)).map(({ state }) => state)).to.have.members(["replaced", "confirmed"]);
  });
});
