import { expect } from "chai";
import { detectOnchainPayments } from "../../../commands/chain/detect-onchain-payments";
import { LeaseLostError } from "../../../database/lease";
import { followChain } from "../../../commands/chain/follow-chain";
import { PRUNE_FOLLOWED } from "../../../commands/chain/payment-queries";
import { prune } from "../../../commands/installation/prune";
import { decode, processBlock } from "../../../commands/chain/process-block";
import { scriptOfAddress } from "../../../domain/wallet/address";
import { undoBlock } from "../../../commands/chain/undo-block";
import { ChainBlock } from "../../../entities/chain-block";
import { PaymentInput } from "../../../entities/payment-input";
import { ChainBench } from "../../support/chain";

describe("following the chain", () => {
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
  });
  afterEach(() => bench.stop());

  const tip = (): Promise<string> => bench.node.rpc<string>("getbestblockhash");
  const raw = async (txid: string): Promise<Buffer> =>
    Buffer.from(await bench.node.rpc<string>("getrawtransaction", txid), "hex");
  const expectAtTip = async (): Promise<void> => {
    expect((await bench.cursor())?.hash).to.equal(await tip());
  };
  const settled = async (requiredConfirmations = 1): Promise<{ id: string; txid: string }> => {
    const { id, address } = await bench.invoice({ requiredConfirmations });
    const txid = await bench.node.pay(address, 100_000n);
    await bench.node.mine(requiredConfirmations);
    await bench.look();
    expect(await bench.status(id)).to.equal("Settled/None");
    return { id, txid };
  };

  it("begins at the tip when there are no invoices", async () => {
    await bench.look();
    expect(await bench.ctx.db.manager.count(ChainBlock)).to.equal(1);
    await expectAtTip();
  });

  it("begins before the oldest invoice, and finds one paid before the first start", async () => {
    const { id, address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await bench.node.mine(3);
    await bench.look();
    expect((await bench.paymentOf(txid)).state).to.equal("confirmed");
    expect(await bench.status(id)).to.equal("Settled/None");
    await expectAtTip();
  });

  it("begins at the first block when the oldest invoice is older than the chain", async () => {
    const { id } = await bench.invoice();
    await bench.age(id, 60 * 24 * 365);
    await bench.look();
    expect(await bench.ctx.db.manager.minimum(ChainBlock, "height")).to.equal(0);
    await expectAtTip();
  });

  it("keeps what is needed to follow a payment until it is buried 100 deep", async () => {
    await bench.look();
    const { txid } = await settled();
    await bench.node.mine(99);
    await bench.look();
    await prune(bench.ctx, { keptDays: 90, others: PRUNE_FOLLOWED });
    expect(await bench.rawTransaction(txid)).to.not.equal(null);
    await bench.node.mine(1);
    await bench.look();
    await prune(bench.ctx, { keptDays: 90, others: PRUNE_FOLLOWED });
    expect(await bench.rawTransaction(txid)).to.equal(null);
    expect(await bench.ctx.db.manager.countBy(PaymentInput, { txid })).to.equal(0);
  });

  it("fetches each block once", async () => {
    await bench.look();
    await bench.node.mine(12);
    let fetched = 0;
    const rawBlock = (hash: string): Promise<Buffer | null> => {
      fetched += 1;
      return bench.chain.rawBlock(hash);
    };
    await followChain({ ...bench.watch, chain: { ...bench.chain, rawBlock } }, new AbortController().signal);
    await expectAtTip();
    expect(fetched).to.equal(12);
  });

  it("continues when another process moved the cursor meanwhile", async () => {
    await bench.look();
    await bench.node.mine(8);
    const first = ((await bench.cursor())?.height ?? 0) + 1;
    const { id, address } = await bench.invoice();
    await bench.node.pay(address, 100_000n);
    await bench.node.mine(4);
    const seen: number[] = [];
    await followChain(bench.watch, new AbortController().signal, async ({ height }) => {
      seen.push(height - first);
      if (seen.length === 4)
        await bench.ctx.db.query("DELETE FROM chain_blocks WHERE height > $1", [height - 3]);
      if (seen.length === 6) {
        const hash = (await bench.chain.blockHash(height + 1)) ?? "";
        const next = decode((await bench.chain.rawBlock(hash)) ?? Buffer.alloc(0), hash);
        await processBlock(bench.watch, next, height + 1);
      }
    });
    await expectAtTip();
    expect(seen).to.deep.equal([0, 1, 2, 3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
    await bench.runJobs();
    expect(await bench.payments(id)).to.have.length(1);
  });

  describe("a block that Postgres may lose", () => {
    /** Which blocks' transactions had asked Postgres not to wait for the disk, at their end. */
    const noteCommits = (): Promise<unknown> =>
      bench.ctx.db.query(`
        CREATE TABLE test_commits (height integer, waits boolean);
        CREATE FUNCTION test_note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO test_commits SELECT NEW.height, source <> 'session' OR setting <> 'off' FROM pg_settings
            WHERE name = 'synchronous_commit'; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER test_note_commit AFTER INSERT ON chain_blocks
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION test_note_commit()`);

    it("is not flushed to disk, unless it pays an invoice", async () => {
      await bench.look();
      await noteCommits();
      const { id, address } = await bench.invoice();
      await bench.node.mine(1);
      await bench.node.pay(address, 100_000n);
      await bench.node.mine(3);
      await bench.look();
      expect(await bench.status(id)).to.equal("Settled/None");
      const commits = await bench.ctx.db.query<{ height: number; waits: boolean }[]>(
        `SELECT height - (SELECT min(height) FROM test_commits) AS height, waits FROM test_commits ORDER BY height`,
      );
      expect(commits).to.have.length(4);
      expect(commits.flatMap(({ height, waits }) => (waits ? [height] : []))).to.deep.equal([1]);
    });

    it("is processed again when it was lost, also while following the chain", async () => {
      await bench.look();
      const { id, address } = await bench.invoice();
      await bench.node.mine(3);
      await bench.node.pay(address, 100_000n);
      await bench.node.mine(1);
      const first = ((await bench.cursor())?.height ?? 0) + 1;
      const seen: number[] = [];
      await followChain(bench.watch, new AbortController().signal, async ({ height }) => {
        seen.push(height);
        if (seen.length === 2) await bench.ctx.db.manager.delete(ChainBlock, { height });
      });
      await expectAtTip();
      expect(seen.map((height) => height - first)).to.deep.equal([0, 1, 1, 2, 3]);
      await bench.runJobs();
      expect(await bench.payments(id)).to.have.length(1);
    });
  });

  describe("a reorganisation", () => {
    beforeEach(async () => {
      await bench.look();
    });

    it("while following: undoes blocks that are not in the chain any more", async () => {
      const { id, address } = await bench.invoice();
      await bench.node.mine(2);
      const txid = await bench.node.pay(address, 100_000n);
      await bench.node.mine(3);
      let reorganised = false;
      const start = (await bench.cursor())?.height ?? 0;
      await followChain(bench.watch, new AbortController().signal, async ({ height }) => {
        if (height !== start + 3 || reorganised) return;
        reorganised = true;
        await bench.node.reorg(4);
      });
      expect(reorganised).to.equal(true);
      await expectAtTip();
      await bench.look();
      const payment = await bench.paymentOf(txid);
      expect(payment.blockHash).to.not.equal(null);
      expect((await bench.chain.blockHeader(payment.blockHash ?? ""))?.inActiveChain).to.equal(true);
      expect(await bench.payments(id)).to.have.length(1);
    });

    for (const depth of [1, 7]) {
      it(`${depth} deep: confirms a payment again that is in the new chain too, without a new event`, async () => {
        const { id, txid } = await settled();
        await bench.node.mine(depth - 1);
        await bench.look();
        const before = await bench.paymentOf(txid);
        await bench.node.reorg(depth);
        await bench.look();
        await expectAtTip();
        const after = await bench.paymentOf(txid);
        expect(after.state).to.equal("confirmed");
        expect(after.blockHash).to.not.equal(before.blockHash);
        expect(await bench.status(id)).to.equal("Settled/None");
        const events = await bench.ctx.db.query<unknown[]>(
          `SELECT type FROM invoice_events WHERE invoice_id = $1 AND type = 'Settled'`,
          [id],
        );
        expect(events).to.have.length(1);
        const [alert] = await bench.alerts("reorganisation");
        expect(alert?.resolvedAt, "resolved when it stood in a block again").to.be.instanceOf(Date);
      });

      it(`${depth} deep: makes a payment pending that is back in the mempool, and Settled stays with an alert`, async () => {
        const { id, txid } = await settled();
        await bench.node.mine(depth - 1);
        await bench.look();
        await bench.node.reorg(depth, { exclude: [txid] });
        await bench.look();
        await expectAtTip();
        expect(await bench.paymentOf(txid)).to.include({
          state: "pending",
          blockHeight: null,
          blockHash: null,
        });
        expect(await bench.status(id)).to.equal("Settled/None");
        const [alert] = await bench.alerts("reorganisation");
        expect(alert).to.include({ invoiceId: id, resolvedAt: null });
      });

      it(`${depth} deep: makes Settled Invalid when the new chain double-spends its payment`, async () => {
        const { id, txid } = await settled();
        await bench.node.mine(depth - 1);
        await bench.look();
        await bench.node.reorg(depth, { doubleSpend: [txid] });
        await bench.look();
        const payment = await bench.paymentOf(txid);
        expect(payment.state).to.equal("replaced");
        expect(payment.conflictHeights).to.have.length(1);
        expect(payment.confirmedAt).to.be.instanceOf(Date);
        expect(await bench.status(id)).to.equal("Invalid/None");
        expect(await bench.alerts("double-spend")).to.have.length(1);
      });
    }

    it("keeps the conflict that remains when a payment lost inputs to two blocks and the later one is undone", async () => {
      const { core } = bench.node;
      const { id, address } = await bench.invoice();
      const script = scriptOfAddress(address, "regtest");
      if (script === null) throw new Error("no address");
      const coins = core.wallet.spendable().slice(0, 2);
      const tx = core.wallet.fund({
        outputs: [{ scriptPubKey: script, valueSats: 100_000n }],
        mustSpend: coins,
        feeRate: 5,
        replaceable: true,
      });
      core.broadcast(tx);
      await bench.look();
      for (const coin of coins) {
        const rival = core.wallet.fund({ outputs: [], mustSpend: [coin], feeRate: 5, replaceable: true });
        core.mineOne(core.wallet.rewardScript, [{ tx: rival, feeSats: 0n }]);
        await bench.look();
      }
      const tip = (await bench.cursor())?.height ?? 0;
      const heights = async (): Promise<number[]> => (await bench.paymentOf(tx.getId())).conflictHeights;
      expect(await heights()).to.deep.equal([tip - 1, tip]);
      const last = await bench.cursor();
      if (last) await undoBlock(bench.watch, last);
      expect(await heights()).to.deep.equal([tip - 1]);
      expect((await bench.paymentOf(tx.getId())).state).to.equal("replaced");
      const before = await bench.cursor();
      if (before) await undoBlock(bench.watch, before);
      expect(await heights()).to.deep.equal([]);
      await bench.look();
      expect(await heights()).to.deep.equal([tip - 1, tip]);
      expect(await bench.status(id)).to.equal("New/None");
    });

    it("continues without a payment's data when the node cannot show the undone block", async () => {
      const { id, txid } = await settled();
      const height = (await bench.cursor())?.height ?? 0;
      await bench.node.reorg(1, { exclude: [txid] });
      bench.beforeBlock = async () => {
        const cursor = await bench.cursor();
        bench.node.faults.prunedBelow = cursor?.height === height ? height + 1 : 0;
      };
      await bench.look();
      await expectAtTip();
      expect(await bench.status(id)).to.equal("Settled/None");
      expect(bench.ctx.lines.map(({ message }) => message)).to.include("chain: undone block cannot be read");
    });

    it("below the first processed block is followed", async () => {
      await bench.node.reorg(3);
      await bench.look();
      await expectAtTip();
    });

    it("delays a hint about a transaction that our blocks contradict", async () => {
      const { id, txid } = await settled();
      await bench.node.reorg(1, { exclude: [txid] });
      const bumped = await bench.node.bump(txid);
      const detected = await detectOnchainPayments(bench.watch, [await raw(bumped)]);
      expect(detected).to.deep.include({ payments: 0, contradicted: true, lookAgain: [bumped] });
      expect(await bench.payments(id)).to.have.length(1);
      await bench.look();
      expect((await bench.paymentOf(txid)).state).to.equal("replaced");
      expect((await bench.paymentOf(bumped)).state).to.equal("pending");
      expect(await bench.status(id)).to.equal("Settled/None");
    });
  });

  describe("blocks that the node has pruned", () => {
    beforeEach(async () => {
      await bench.look();
    });

    it("are skipped, with a clear alert and a health problem", async () => {
      const { id: lost, address: lostAddress } = await bench.invoice();
      const from = ((await bench.cursor())?.height ?? 0) + 1;
      await bench.node.pay(lostAddress, 100_000n);
      await bench.node.mine(10);
      bench.node.faults.prunedBelow = from + 5;
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      const outcome = await bench.look();
      expect(outcome.caughtUp).to.equal(true);
      await expectAtTip();
      expect((await bench.paymentOf(txid)).invoiceId).to.equal(id);
      expect(await bench.payments(lost)).to.deep.equal([]);
      const [alert] = await bench.alerts("node-behind");
      expect(alert).to.include({
        severity: "critical",
        resolvedAt: null,
        subject: `pruned ${from}-${from + 4}`,
      });
      expect(alert?.message).to.contain(`rescan --from-height ${from}`);
      expect((await bench.methodSync())?.problem).to.equal(alert?.message);
    });
  });

  describe("a leader that lost its lease", () => {
    it("writes neither block nor payment", async () => {
      await bench.look();
      const { id, address } = await bench.invoice();
      const txid = await bench.node.pay(address, 100_000n);
      const bytes = await raw(txid);
      const [hash = ""] = await bench.node.mine(1);
      const before = await bench.cursor();
      await bench.ctx.db.query(`UPDATE leases SET epoch = epoch + 1, holder = 'another'`);
      const error = await bench.look().catch((cause: unknown) => cause);
      expect(error).to.be.instanceOf(LeaseLostError);
      const block = await bench.chain.rawBlock(hash);
      const refused = await processBlock(
        bench.watch,
        decode(block ?? bytes, hash),
        (before?.height ?? 0) + 1,
      ).catch((cause: unknown) => cause);
      expect(refused).to.be.instanceOf(LeaseLostError);
      expect(await bench.payments(id)).to.deep.equal([]);
      expect((await bench.cursor())?.hash).to.equal(before?.hash);
    });
  });

  describe("refuses a block", () => {
    const nextBlock = async (): Promise<{ raw: Buffer; hash: string; height: number }> => {
      await bench.look();
      const height = ((await bench.cursor())?.height ?? 0) + 1;
      const [hash = ""] = await bench.node.mine(1);
      return { raw: (await bench.chain.rawBlock(hash)) ?? Buffer.alloc(0), hash, height };
    };
    const nameOf = async (promise: Promise<unknown>): Promise<string> =>
      promise.then(
        () => "accepted",
        (error: unknown) => (error as Error).name,
      );

    /** A walk along a node whose blocks have these bytes. */
    const walk = (bytes: Buffer): Promise<unknown> =>
      followChain(
        { ...bench.watch, chain: { ...bench.chain, rawBlock: () => Promise.resolve(bytes) } },
        new AbortController().signal,
      );

    it("whose bytes are another block's", async () => {
      const { height } = await nextBlock();
      const [other = ""] = await bench.node.mine(1);
      const wrong = (await bench.chain.rawBlock(other)) ?? Buffer.alloc(0);
      expect(await nameOf(walk(wrong))).to.equal("NodeUnavailableError");
      expect((await bench.cursor())?.height).to.equal(height - 1);
    });

    it("whose bytes are no block", async () => {
      const { height, raw: bytes } = await nextBlock();
      expect(await nameOf(walk(bytes.subarray(0, bytes.length - 1)))).to.equal("NodeUnavailableError");
      expect((await bench.cursor())?.height).to.equal(height - 1);
    });

    it("that was fetched ahead and is wrong, after those before it", async () => {
      const { height, hash, raw: bytes } = await nextBlock();
      await bench.node.mine(1);
      const chain = {
        ...bench.chain,
        rawBlock: (asked: string) => Promise.resolve(asked === hash ? bytes : Buffer.alloc(90)),
      };
      const walked = followChain({ ...bench.watch, chain }, new AbortController().signal);
      expect(await nameOf(walked)).to.equal("NodeUnavailableError");
      expect((await bench.cursor())?.height).to.equal(height);
    });

    it("that does not follow the last one", async () => {
      await nextBlock();
      const [hash = ""] = await bench.node.mine(1);
      const bytes = (await bench.chain.rawBlock(hash)) ?? Buffer.alloc(0);
      const height = ((await bench.cursor())?.height ?? 0) + 1;
      expect(await nameOf(processBlock(bench.watch, decode(bytes, hash), height))).to.equal(
        "CursorMovedError",
      );
    });

    it("that was processed already", async () => {
      const { raw: bytes, hash, height } = await nextBlock();
      await processBlock(bench.watch, decode(bytes, hash), height);
      expect(await nameOf(processBlock(bench.watch, decode(bytes, hash), height))).to.equal(
        "CursorMovedError",
      );
    });
  });
});
