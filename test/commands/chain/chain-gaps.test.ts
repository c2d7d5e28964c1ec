import { expect } from "chai";
import { alertHeldExpiries } from "../../../commands/invoices/held-expiries";
import { beat } from "../../../commands/server/heartbeat";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { awaitChainCheck } from "../../../commands/server/await-chain-check";
import { decideDue } from "../../../commands/invoices/decide-due";
import { rescanChain } from "../../../commands/chain/rescan-chain";
import { resolveAlertByHand } from "../../../commands/installation/resolve-alert-by-hand";
import { checkChain, type CheckOutcome } from "../../../commands/chain/check-chain";
import type { PaymentMethodSync } from "../../../entities/payment-method-sync";
import { SimulatedNode } from "../../support/devnet/simulated-node";
import { NodeUnavailableError } from "../../../domain/errors";
import { ChainBench, idleHooks } from "../../support/chain";
import { refusalCode } from "../../support/refusal";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const A_WEEK_AGO = (): number => Math.floor(Date.now() / 1_000) - 7 * 24 * 3_600;

describe("gaps in which a Bitcoin node may have missed transactions", () => {
  let network: SimulatedNode;
  let bench: ChainBench;
  beforeEach(async () => {
    network = await SimulatedNode.start();
    await startBench(1);
  });
  afterEach(async () => {
    await bench.stop();
    await network.stop();
  });

  async function startBench(minPeers: number): Promise<void> {
    bench = await ChainBench.on(await SimulatedNode.start({ empty: true }), { minPeers });
    await bench.node.connect(network);
    bench.node.core.startedAt = A_WEEK_AGO();
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
  }
  const problemOf = (outcome: CheckOutcome): string => (outcome.caughtUp ? "none" : outcome.problem);
  const decided = async (id: string): Promise<string> => {
    await changeInvoice(bench.ctx, id);
    return bench.status(id);
  };
  const restart = async (): Promise<void> => {
    await bench.node.restart();
    await bench.node.connect(network);
  };

  describe("a gap is opened", () => {
    it("and does not hold an invoice created after it", async () => {
      await restart();
      await bench.look();
      bench.node.core.startedAt = A_WEEK_AGO();
      await bench.look();
      const { id } = await bench.invoice();
      await bench.endTime(id);
      await bench.look();
      expect(await decided(id)).to.equal("Expired/None");
    });

    it("and does not hold an invoice without an address", async () => {
      const { id } = await bench.invoice();
      await bench.ctx.db.query(
        "UPDATE invoice_payment_methods SET destination = NULL, available = false, reason = 'not-activated'",
      );
      await restart();
      await bench.endTime(id);
      await bench.look();
      expect(await decided(id)).to.equal("Expired/None");
    });

    it("and holds an expiry for at most EXPIRY_HOLD_MINUTES", async () => {
      const { id } = await bench.invoice();
      await restart();
      await bench.endTime(id);
      await bench.look();
      bench.ctx.clock.advance(59 * MINUTE);
      expect(await decided(id)).to.equal("New/None");
      expect(await decideDue(bench.ctx)).to.equal(0);
      bench.ctx.clock.advance(2 * MINUTE);
      expect(await decided(id)).to.equal("Expired/None");
    });

    it("while the node has fewer peers than BITCOIND_MIN_PEERS, with an alert after a minute", async () => {
      const { id } = await bench.invoice();
      await bench.node.disconnect();
      const problem = problemOf(await bench.look());
      expect(problem).to.match(/has 0 peers .* BITCOIND_MIN_PEERS is 1\. .* missed since 20/);
      expect(await bench.methodSync()).to.include({ synchronized: false, problem });
      expect(await bench.alerts("node-blind")).to.deep.equal([]);
      bench.ctx.clock.advance(MINUTE);
      await bench.look();
      expect((await bench.alerts("node-blind"))[0]).to.include({ severity: "critical", resolvedAt: null });
      expect(await bench.gaps()).to.have.length(1);
      bench.ctx.clock.advance(20 * MINUTE);
      await bench.look();
      await decideDue(bench.ctx);
      await alertHeldExpiries(bench.ctx);
      expect(await bench.alerts("expiry-held")).to.have.length(1);
      expect(await bench.status(id)).to.equal("New/None");
      await bench.node.connect(network);
      expect((await bench.look()).caughtUp).to.equal(true);
      expect((await bench.alerts("node-blind"))[0]?.resolvedAt).to.be.instanceOf(Date);
    });

    it("by a node that stood still before it answered, and not by a check with much to read", async () => {
      const { info, mempoolTxids } = bench.chain;
      const slowly = <T>(answer: Promise<T>): Promise<T> =>
        answer.finally(() => bench.ctx.clock.advance(11_000));
      bench.chain.mempoolTxids = (...about) => slowly(mempoolTxids(...about));
      expect((await bench.look()).caughtUp).to.equal(true);
      expect(await bench.gaps()).to.deep.equal([]);
      bench.chain.info = () => slowly(info());
      await bench.look();
      expect(await bench.gaps()).to.have.length(1);
    });

    it("while the node cannot be pinged, and blocks and payments are recorded all the same", async () => {
      const { id, address } = await bench.invoice();
      const { pingPeers } = bench.chain;
      bench.chain.pingPeers = () =>
        Promise.reject(new NodeUnavailableError("the node does not allow the call"));
      await network.pay(address, 100_000n);
      await network.mine(1);
      expect(problemOf(await bench.look())).to.match(/ping: the node does not allow the call/);
      expect(await bench.status(id)).to.equal("Settled/None");
      bench.chain.pingPeers = pingPeers;
      expect((await bench.look()).caughtUp).to.equal(true);
    });

    it("and health says so when peers never stay until they have answered", async () => {
      const flap = async (): Promise<CheckOutcome> => {
        await bench.node.disconnect();
        await bench.node.connect(network);
        bench.ctx.clock.advance(5_000);
        await bench.holdLease();
        return checkChain(bench.watch, bench.view, idleHooks());
      };
      expect(await flap()).to.include({ fault: "unproven" });
      for (let times = 0; times < 12; times += 1) await flap();
      expect(problemOf(await flap())).to.match(/stay connected/);
    });

    it("while the node relays no transactions, with any number of peers", async () => {
      bench.node.faults.blocksOnly = true;
      expect(problemOf(await bench.look())).to.match(/relays no transactions .*blocksonly=0/);
      expect(await bench.gaps()).to.have.length(1);
    });

    it("unless a peer that once sent its headers now gets blocks from us", async () => {
      await bench.node.mine(2);
      const [peer] = await bench.node.rpc<{ synced_headers: number }[]>("getpeerinfo");
      expect(peer?.synced_headers).to.equal(150);
      expect(await bench.look()).to.deep.equal({ caughtUp: true });
      expect(await bench.gaps()).to.deep.equal([]);
    });
  });

  it("neither by restarts nor by missing peers with BITCOIND_MIN_PEERS=0", async () => {
    await bench.stop();
    await startBench(0);
    const { id } = await bench.invoice();
    await bench.node.restart();
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    await bench.endTime(id);
    await bench.look();
    expect(await bench.gaps()).to.deep.equal([]);
    expect(await decided(id)).to.equal("Expired/None");
    bench.node.faults.blocksOnly = true;
    expect((await bench.look()).caughtUp, "a node that relays nothing").to.equal(false);
  });

  it("with an alert when the tip is older than three hours, on mainnet only", async () => {
    bench.ctx.clock.advance(4 * HOUR);
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    expect((await bench.methodSync())?.problem).to.equal(null);
    bench.node.faults.chain = "main";
    Object.assign(bench.ctx.settings, { network: "mainnet" });
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    const [alert] = await bench.alerts("node-blind");
    expect(alert).to.include({ subject: "tip", severity: "critical", resolvedAt: null });
    expect(alert?.message).to.match(/no block since 20/);
    expect(await bench.methodSync()).to.include({ synchronized: true, problem: alert?.message });
    bench.ctx.clock.advance(-2 * HOUR);
    await bench.look();
    expect((await bench.alerts("node-blind"))[0]?.resolvedAt).to.be.instanceOf(Date);
  });

  describe("pruned blocks", () => {
    let id: string;
    let hole: { fromHeight: number; toHeight: number };
    beforeEach(async () => {
      const { id: lost, address } = await bench.invoice();
      id = lost;
      await bench.node.disconnect();
      await network.pay(address, 100_000n);
      await network.mine(10);
      hole = { fromHeight: 151, toHeight: 155 };
      await bench.endTime(id);
      await bench.node.connect(network);
      bench.node.faults.prunedBelow = hole.toHeight + 1;
      expect((await bench.look()).caughtUp).to.equal(true);
      await bench.look();
      await network.mine(1); // ends the gap of the lost peers
      await bench.look();
    });

    it("expire nothing until a rescan has read them, and then settle what was paid in time", async () => {
      expect((await bench.gaps()).find(({ kind }) => kind === "pruned")).to.include(hole);
      expect(await decided(id)).to.equal("New/None");
      expect(await refusalCode(rescanChain(bench.ctx, hole.fromHeight))).to.equal("unavailable");
      expect((await bench.alerts("node-behind"))[0]?.resolvedAt).to.equal(null);
      bench.node.faults.prunedBelow = 0;
      await rescanChain(bench.ctx, hole.fromHeight);
      expect((await bench.alerts("node-behind"))[0]?.resolvedAt).to.be.instanceOf(Date);
      await bench.runJobs();
      await bench.look();
      expect(await bench.status(id)).to.equal("Settled/None");
      expect(await bench.events(id)).not.to.include("Expired/None");
      expect((await bench.gaps()).every(({ closedAt }) => closedAt !== null)).to.equal(true);
      expect((await bench.methodSync())?.problem).to.equal(null);
    });

    it("allow expiry once the operator has closed their alert", async () => {
      const [alert] = await bench.alerts("node-behind");
      await resolveAlertByHand(bench.ctx, { alertId: alert?.id ?? "" });
      await bench.look();
      expect(await decided(id)).to.equal("Expired/None");
      expect((await bench.methodSync())?.problem).to.equal(null);
    });
  });

  describe("when the database's clock is set back", () => {
    let written: PaymentMethodSync | null;
    beforeEach(async () => {
      bench.ctx.clock.advance(HOUR);
      await bench.look();
      written = await bench.methodSync();
      bench.ctx.clock.advance(-HOUR);
    });

    it("does not count as caught up until the next complete check, which goes back too", async () => {
      const { id } = await bench.invoice();
      await bench.endTime(id);
      bench.ctx.clock.advance(5_000);
      await decideDue(bench.ctx);
      expect(await decideDue(bench.ctx), "held").to.equal(0);
      expect(await decided(id)).to.equal("New/None");
      await bench.look();
      const caughtUpTo = (await bench.methodSync())?.caughtUpTo;
      expect(caughtUpTo).to.be.lessThan(written?.caughtUpTo ?? new Date(0));
      expect(await decided(id)).to.equal("Expired/None");
    });

    it("does not take an earlier check for the one that was requested", async () => {
      expect(await awaitChainCheck(bench.ctx, 300)).to.equal(false);
    });
  });

  describe("when chain-watch was away, holds expiries from its start", () => {
    const instance = { instanceId: "test", worker: "chain-watch" };
    const startedAt = async (): Promise<Date | null | undefined> =>
      (await bench.methodSync())?.watchStartedAt;
    const silentFor = (seconds: number): Promise<unknown> =>
      bench.ctx.db.query(
        `UPDATE payment_method_syncs SET watch_beat_at = clock_timestamp() - $1 * interval '1 second',
                watch_started_at = clock_timestamp() - interval '1 day'`,
        [seconds],
      );

    it("after a minute without heartbeat, and not after a quick restart", async () => {
      await silentFor(59);
      const before = await startedAt();
      await beat(bench.ctx, instance);
      expect(await startedAt()).to.deep.equal(before);
      await silentFor(61);
      await beat(bench.ctx, { ...instance, worker: "reconcile" });
      expect(await startedAt()).to.be.lessThan(new Date(Date.now() - HOUR));
      await beat(bench.ctx, instance);
      expect(await startedAt()).to.be.greaterThan(new Date(Date.now() - MINUTE));
    });

    it("also before it has started, while nothing has run for a minute", async () => {
      const { id } = await bench.invoice();
      await bench.node.disconnect();
      await bench.age(id, 5 * 60);
      await bench.ctx.db.query("UPDATE payment_method_syncs SET caught_up_to = NULL");
      await silentFor(3 * 3_600);
      const other = { instanceId: "other", worker: "invoices" };
      await beat(bench.ctx, other);
      await changeInvoice(bench.ctx, id);
      expect(await bench.status(id), "the service is starting").to.equal("New/None");
      await beat(bench.ctx, { instanceId: "older", worker: "reconcile" });
      await bench.ctx.db.query(
        "UPDATE heartbeats SET started_at = started_at - interval '61 seconds' WHERE instance_id = 'older'",
      );
      await changeInvoice(bench.ctx, id);
      expect(await bench.status(id), "only its process is").to.equal("Expired/None");
    });

    it("for the same time in every process, and for the sweep", async () => {
      const { id } = await bench.invoice();
      await bench.node.disconnect();
      await bench.age(id, 5 * 60);
      await bench.ctx.db.query("UPDATE invoices SET decide_at = expires_at");
      await silentFor(61);
      await beat(bench.ctx, instance);
      const old = { ...bench.ctx, startedAt: new Date(Date.now() - 24 * HOUR) };
      await bench.ctx.db.query("UPDATE payment_method_syncs SET caught_up_to = NULL");
      await decideDue(old);
      expect(await decideDue(old), "held").to.equal(0);
      await changeInvoice(old, id);
      expect(await bench.status(id)).to.equal("New/None");
      await bench.ctx.db.query(
        "UPDATE payment_method_syncs SET watch_started_at = watch_started_at - interval '61 minutes'",
      );
      await changeInvoice(old, id);
      expect(await bench.status(id)).to.equal("Expired/None");
    });
  });
});
