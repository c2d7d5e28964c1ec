import { createHash, randomBytes } from "node:crypto";
import { expect } from "chai";
import { makeLndClient } from "../../adapters/lnd/lnd-client";
import { makeProcessMetrics } from "../../adapters/metrics/process-metrics";
import { beat } from "../../commands/server/heartbeat";
import { readHealth, type Check } from "../../commands/installation/health";
import { decideInvoice } from "../../commands/invoices/sync-lightning-invoices";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { Alert } from "../../entities/alert";
import { Bolt11 } from "../../entities/bolt11";
import { Invoice } from "../../entities/invoice";
import { LightningCursor } from "../../entities/lightning-cursor";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import { Payment } from "../../entities/payment";

import type { Store } from "../../entities/store";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import type { LightningTimes } from "../../workers/lightning/lightning-loop";
import { runLightningWatch } from "../../workers/lightning-watch";
import type { RunningWorker } from "../../workers/worker";
import { failNow } from "../support/context";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore } from "../support/factories";
import {
  LightningBench,
  lndSettingsOf,
  serverNode,
  TEST_LND_TIMES,
  type LightningBenchOptions,
} from "../support/lightning";

const QUICK: LightningTimes = { tickMs: 50, sweepMs: 60_000, watchdogMs: 100, backoffMs: [50, 200] };
/** Settings with which only the stream, or only the look-ups, can find a payment. */
const LOOKING: Partial<LightningTimes> = { sweepMs: 100 };

describe("lightning-watch", () => {
  let bench: LightningBench;
  let store: Store;
  let running: RunningWorker[] = [];

  /** Its calls are not late because the machine is busy: what settled before a first stream comes by no stream. */
  const begin = async (options: LightningBenchOptions = {}): Promise<void> => {
    bench = await LightningBench.start({ times: { call: 10_000, addInvoice: 10_000 }, ...options });
    store = await buildStore(bench.ctx);
    await bench.ctx.db.query(
      "INSERT INTO store_payment_methods (store_id, type, lightning_node_id) VALUES ($1, 'BTC-LN', 'lnd_server') ON CONFLICT DO NOTHING",
      [store.id],
    );
  };
  const start = (times: Partial<LightningTimes> = {}, holder = "test") => {
    const { ctx } = bench;
    const lightning = serverNode(bench.lightning);
    const metrics = makeProcessMetrics({ worker: "lightning-watch", instanceId: holder });
    const worker = runLightningWatch({
      ctx,
      lightning,
      metrics,
      holder,
      onFatal: failNow,
      times: { ...QUICK, ...times },
    });
    running.push(worker);
    return { worker, metrics };
  };
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((worker) => worker.close()));
    running = [];
  };
  afterEach(async () => {
    await stop();
    await runJobs();
    await bench.stop();
  });

  const runJobs = async (): Promise<void> => {
    for (let job = bench.ctx.jobs.shift(); job; job = bench.ctx.jobs.shift())
      if (job.queue === "invoices")
        await decideInvoice(bench.ctx, (job.payload as { invoiceId: string }).invoiceId);
  };
  const methodSync = () => bench.ctx.db.manager.findOneBy(LightningNode, { id: SERVER_NODE_ID });
  const caughtUp = () => eventually(async () => (await methodSync())?.synchronized === true);
  const troubled = (words: RegExp) =>
    eventually(async () => {
      const now = await methodSync();
      expect(now?.problem ?? "").to.match(words);
      expect(now?.synchronized).to.equal(false);
    });
  /** By Lightning alone: nobody checks a chain here, and expiries would wait for it. */
  const make = async (
    paymentMethods: readonly PaymentMethodType[] = ["BTC-LN"],
  ): Promise<{ id: string; bolt11: string; hash: string }> => {
    const { invoice, methods } = await buildInvoice(bench.ctx, { store, amount: "10000", paymentMethods });
    const bolt11 = methods.find(({ type }) => type === "BTC-LN")?.destination ?? "";
    const row = await bench.ctx.db.manager.findOneByOrFail(Bolt11, { invoiceId: invoice.id });
    return { id: invoice.id, bolt11, hash: row.paymentHash };
  };
  const paymentOf = (id: string) => bench.ctx.db.manager.findOneBy(Payment, { invoiceId: id });
  const paid = (id: string) => eventually(async () => (await paymentOf(id)) !== null);
  const statusOf = async (id: string) => {
    const { status, additionalStatus } = await bench.ctx.db.manager.findOneByOrFail(Invoice, { id });
    return `${status}/${additionalStatus}`;
  };
  const settled = (id: string) =>
    eventually(async () => {
      await runJobs();
      return (await statusOf(id)) === "Settled/None";
    });
  const cursor = () => bench.ctx.db.manager.findOneBy(LightningCursor, { nodeKey: bench.node.nodeKey });
  const openAlerts = async () =>
    (await bench.ctx.db.manager.findBy(Alert, { severity: "critical" }))
      .filter(({ resolvedAt }) => resolvedAt === null)
      .map(({ kind }) => kind);
  /** Of the node's own, not ours. */
  const foreign = async (): Promise<string> => {
    const { bolt11 } = await bench.lightning.addInvoice({
      preimage: randomBytes(32),
      amountSats: 1_000n,
      description: "not ours",
      expiresInSeconds: 600,
      privateRouteHints: false,
    });
    return bolt11;
  };

  it("records a payment from the stream, with the cursor, and its invoice settles", async () => {
    await begin();
    start();
    await caughtUp();
    const { id, bolt11, hash } = await make();
    const { preimage } = await bench.node.pay(bolt11);
    await paid(id); // long before the first sweep that could find it
    const payment = await paymentOf(id);
    expect(payment).to.include({
      id: hash,
      type: "BTC-LN",
      amountSats: 10_000n,
      state: "confirmed",
      preimage,
    });
    expect(await cursor()).to.include({ settleIndex: 1n, gapSince: null });
    await settled(id);
    expect((await bench.ctx.db.manager.findOneByOrFail(Bolt11, { paymentHash: hash })).state).to.equal(
      "settled",
    );
  });

  it("finds by polling what the stream does not send", async () => {
    await begin();
    bench.node.faults.muteStreams = true;
    start(LOOKING);
    await caughtUp();
    const { id, bolt11 } = await make();
    await bench.node.pay(bolt11);
    await settled(id);
  });

  it("skips the node's other invoices, and moves the cursor", async () => {
    await begin();
    start();
    await caughtUp();
    const { id, bolt11 } = await make();
    await bench.node.pay(await foreign());
    await eventually(async () => expect((await cursor())?.settleIndex).to.equal(1n));
    await bench.node.pay(bolt11);
    await bench.node.pay(await foreign());
    await eventually(async () => expect((await cursor())?.settleIndex).to.equal(3n));
    expect((await bench.ctx.db.manager.find(Payment)).map(({ invoiceId }) => invoiceId)).to.deep.equal([id]);
  });

  it("finds what settled before LND was locked for minutes, though nothing had been read yet", async () => {
    await begin();
    start();
    await caughtUp();
    const { id, bolt11 } = await make();
    bench.node.faults.muteStreams = true;
    await bench.node.pay(bolt11);
    await bench.node.lock();
    await troubled(/wallet is locked/);
    bench.ctx.clock.advance(61_000);
    await eventually(async () => expect(await openAlerts()).to.deep.equal(["lightning-locked"]));
    expect(await paymentOf(id)).to.equal(null);
    expect(await cursor()).to.equal(null);
    await bench.node.unlock();
    await settled(id);
    await caughtUp();
    await eventually(async () => expect(await openAlerts()).to.deep.equal([]));
  });

  it("reads a backlog that comes out of order", async () => {
    await begin();
    start();
    await caughtUp();
    await bench.node.pay(await foreign());
    await eventually(async () => expect((await cursor())?.settleIndex).to.equal(1n));
    await stop();
    const all = await Promise.all(Array.from({ length: 5 }, () => make()));
    for (const { bolt11 } of all) await bench.node.pay(bolt11);
    bench.node.faults.reverseBacklog = true;
    start();
    for (const { id } of all) await settled(id);
    await eventually(async () => expect(await cursor()).to.include({ settleIndex: 6n, gapSince: null }));
  });

  it("continues when its connections are closed, and counts that", async () => {
    await begin();
    const { metrics } = start();
    await caughtUp();
    const leftAt = (await methodSync())?.checkedAt ?? new Date(0);
    const { id, bolt11 } = await make();
    bench.node.dropConnections();
    await bench.node.pay(bolt11);
    await settled(id);
    await eventually(async () => ((await methodSync())?.checkedAt ?? leftAt) > leftAt);
    await caughtUp();
    await eventually(async () => {
      const told = JSON.stringify(await metrics.snapshot());
      expect(told).to.match(/"value":[1-9]\d*,"labels":\{[^}]*"event":"reconnected"/);
    });
  });

  it("detects and logs that a connection is half open", async () => {
    await begin({ times: { call: 1_000 } });
    start();
    await caughtUp();
    const { id, bolt11 } = await make();
    bench.node.freeze();
    await troubled(/did not answer in time|does not answer/);
    await bench.node.pay(bolt11);
    bench.node.thaw();
    await settled(id);
    await caughtUp();
  });

  it("writes nothing after it lost its lease", async () => {
    await begin();
    start(LOOKING, "a");
    await caughtUp();
    await bench.ctx.db.query(
      "UPDATE leases SET epoch = epoch + 1, holder = 'b', expires_at = clock_timestamp() + interval '1 hour'",
    );
    bench.node.faults.muteStreams = true; // what look-ups find is anybody's to record
    const last = (await methodSync())?.checkedAt;
    await eventually(() => bench.ctx.lines.some(({ message }) => message === "lease: no longer leading"));
    bench.node.faults.muteStreams = false;
    await bench.node.pay(await foreign());
    expect(await cursor()).to.equal(null);
    expect((await methodSync())?.checkedAt).to.deep.equal(last);
  });

  it("gives an invoice its BOLT11 when LND is back", async () => {
    await begin();
    start();
    await caughtUp();
    await bench.node.lock();
    const { id, bolt11, hash } = await make(["BTC-CHAIN", "BTC-LN"]);
    expect(bolt11).to.equal("");
    await bench.node.unlock();
    await eventually(async () => {
      const row = await bench.ctx.db.manager.findOneByOrFail(Bolt11, { paymentHash: hash });
      expect(row.state).to.equal("open");
      expect(row.bolt11).to.match(/^lnbcrt/);
    });
    const row = await bench.ctx.db.manager.findOneByOrFail(Bolt11, { paymentHash: hash });
    await bench.node.pay(row.bolt11 ?? "");
    await settled(id);
  });

  it("expires an invoice, with its BOLT11 canceled in LND, without a job", async () => {
    await begin();
    start();
    await caughtUp();
    const { id, bolt11, hash } = await make();
    bench.ctx.clock.advance(16 * 60_000);
    await eventually(async () => (await statusOf(id)) === "Expired/None");
    expect((await bench.lightning.lookUpInvoice(hash))?.state).to.equal("canceled");
    await bench.node.pay(bolt11).then(
      () => expect.fail("it was paid"),
      () => undefined,
    );
  });

  it("waits for a payment that is in flight at the expiry, and counts it in time", async () => {
    await begin();
    start();
    await caughtUp();
    const { id, bolt11, hash } = await make();
    bench.node.hold(bolt11);
    bench.node.faults.refuse["CancelInvoice"] = "invoice already accepted";
    bench.ctx.clock.advance(16 * 60_000);
    await eventually(async () => {
      const row = await bench.ctx.db.manager.findOneByOrFail(Bolt11, { paymentHash: hash });
      expect(row).to.include({ cancelWanted: true, state: "open" });
    });
    expect(await statusOf(id)).to.equal("New/None");
    bench.node.settleHeld(bolt11);
    await settled(id);
  });

  it("cancels a BOLT11 whose invoice was never created, after a minute", async () => {
    await begin();
    start(LOOKING);
    await caughtUp();
    const preimage = randomBytes(32);
    const paymentHash = createHash("sha256").update(preimage).digest("hex");
    const now = await bench.ctx.now(bench.ctx.db.manager);
    const asked = { preimage, amountSats: 5n, createdAt: now, expiresAt: new Date(now.getTime() + 900_000) };
    await bench.ctx.db.manager.insert(Bolt11, { ...asked, paymentHash, invoiceId: "inv_never" });
    await bench.lightning.addInvoice({
      ...asked,
      description: "",
      expiresInSeconds: 900,
      privateRouteHints: false,
    });
    const sweptAt = (await methodSync())?.caughtUpTo ?? now;
    await eventually(async () => ((await methodSync())?.caughtUpTo ?? sweptAt) > sweptAt);
    expect((await bench.lightning.lookUpInvoice(paymentHash))?.state, "a creation takes its time").to.equal(
      "open",
    );
    bench.ctx.clock.advance(61_000);
    await eventually(async () => {
      expect((await bench.ctx.db.manager.findOneByOrFail(Bolt11, { paymentHash })).state).to.equal(
        "canceled",
      );
      expect((await bench.lightning.lookUpInvoice(paymentHash))?.state).to.equal("canceled");
    });
  });

  it("alerts for BOLT11s of another node, follows the new node, and looks the old ones up when theirs is back", async () => {
    await begin();
    const { node: first, lightning: firstClient } = bench;
    start(LOOKING);
    await caughtUp();
    const old = await make();
    await stop();
    await first.pay(old.bolt11);
    const second = await SimulatedLnd.start();
    const client = makeLndClient(lndSettingsOf(second.grpc), TEST_LND_TIMES);
    try {
      Object.assign(bench, { node: second, lightning: client });
      bench.ctx.lightning = serverNode(client);
      start(LOOKING);
      await eventually(async () => expect(await openAlerts()).to.deep.equal(["lightning-other-node"]));
      const { id, bolt11 } = await make();
      await second.pay(bolt11);
      await settled(id);
      expect(await paymentOf(old.id)).to.equal(null);
      expect(await statusOf(old.id)).to.equal("New/None");
      await stop();
    } finally {
      Object.assign(bench, { node: first, lightning: firstClient });
      bench.ctx.lightning = serverNode(firstClient);
      client.close();
      await second.stop();
    }
    start(LOOKING);
    await settled(old.id);
    await eventually(async () => expect(await openAlerts()).to.deep.equal([]));
  });

  it("knows another node at the same address, also where the macaroon hides its key", async () => {
    await begin();
    const { node: first, lightning: firstClient } = bench;
    const second = await SimulatedLnd.start();
    const settings = lndSettingsOf(first.grpc, "invoice");
    // As in production: the process that makes BOLT11s has a client of its own.
    const watching = makeLndClient(settings, TEST_LND_TIMES);
    const making = makeLndClient(settings, TEST_LND_TIMES);
    try {
      Object.assign(bench, { lightning: watching });
      bench.ctx.lightning = serverNode(making);
      start(LOOKING);
      await caughtUp();
      for (const _ of [1, 2]) {
        const sold = await make();
        await first.pay(sold.bolt11);
        await settled(sold.id);
      }
      await eventually(async () => {
        const { status, reason } = await lightningHealth();
        expect(status).to.equal("ok");
        expect(reason).to.match(/info:read and offchain:read/);
      });
      const old = await make();
      await stop();
      await first.pay(old.bolt11);
      Object.assign(settings, lndSettingsOf(second.grpc, "invoice"));
      watching.reconnect();
      making.reconnect();
      Object.assign(bench, { node: second });
      start(LOOKING);
      const { id, bolt11 } = await make();
      await second.pay(bolt11);
      await settled(id);
      await eventually(async () => expect(await openAlerts()).to.deep.equal(["lightning-other-node"]));
      expect(await statusOf(old.id)).to.equal("New/None");
      expect((await bench.ctx.db.manager.findOneByOrFail(Bolt11, { paymentHash: old.hash })).state).to.equal(
        "open",
      );
      await stop();
    } finally {
      Object.assign(bench, { node: first, lightning: firstClient });
      bench.ctx.lightning = serverNode(firstClient);
      watching.close();
      making.close();
      await second.stop();
    }
  });

  const lightningHealth = async (): Promise<Check> => {
    const ok = { status: "ok" } as const;
    const surroundings = {
      version: "1",
      network: "regtest",
      bitcoinConfigured: false,
      queue: ok,
    } as const;
    await beat(bench.ctx, { instanceId: "i", worker: "lightning-watch" });
    return (await readHealth(bench.ctx, { ...surroundings, lightningConfigured: true })).checks.lightning;
  };

  it("names the right that the macaroon lacks, and alerts after a minute", async () => {
    await begin();
    start(LOOKING);
    // Caught up with LND's stream, it looks up its BOLT11s once before it is well.
    await eventually(async () => expect(await lightningHealth()).to.deep.equal({ status: "ok" }));
    bench.node.faults.refuse["LookupInvoice"] = "permission denied";
    await troubled(/invoices:read/);
    expect((await lightningHealth()).status).to.equal("degraded");
    expect(await openAlerts()).to.deep.equal([]);
    bench.ctx.clock.advance(61_000);
    await eventually(async () => expect(await openAlerts()).to.deep.equal(["lightning-forbidden"]));
    delete bench.node.faults.refuse["LookupInvoice"];
    await caughtUp();
    await eventually(async () => expect(await openAlerts()).to.deep.equal([]));
  });

  it("reports that LND is away, once in the log, and after a minute in an alert", async () => {
    await begin();
    start();
    await caughtUp();
    await bench.node.stop();
    await troubled(/does not answer.*Check that LND runs.*firewall/);
    bench.ctx.clock.advance(61_000);
    await eventually(async () => expect(await openAlerts()).to.deep.equal(["lightning-away"]));
    const told = bench.ctx.lines.filter(({ level, message }) => level === "warn" && /unusable/.test(message));
    expect(told).to.have.length(1);
    await bench.node.restart();
    await caughtUp();
    await eventually(() => bench.ctx.lines.some(({ message }) => message === "lightning: LND usable again"));
    await eventually(async () => expect(await openAlerts()).to.deep.equal([]));
  });

  it("alerts while nothing can be received, and when LND is not caught up with the chain", async () => {
    await begin();
    start(LOOKING);
    await caughtUp();
    expect((await methodSync())?.receivableSats).to.equal(await bench.node.receivableSats());
    bench.node.limitReceivable(0n);
    const cannot = () => bench.ctx.db.manager.findOneByOrFail(Alert, { kind: "cannot-receive" });
    await eventually(async () => expect((await cannot()).resolvedAt).to.equal(null));
    bench.node.limitReceivable(1_000n);
    await eventually(async () => expect((await cannot()).resolvedAt).to.be.instanceOf(Date));
    bench.node.faults.unsynchronized = true;
    await troubled(/syncing/);
    bench.node.faults.unsynchronized = false;
    await caughtUp();
  });

  it("makes the BOLT11 that waits as soon as a channel is back, whenever the next sweep is", async () => {
    await begin();
    bench.node.limitReceivable(0n);
    start();
    await caughtUp();
    const { id } = await make(["BTC-CHAIN", "BTC-LN"]);
    const state = async () => (await bench.ctx.db.manager.findOneByOrFail(Bolt11, { invoiceId: id })).state;
    expect(await state()).to.equal("wanted");
    bench.node.limitReceivable(1_000_000n);
    await eventually(async () => expect(await state()).to.equal("open"));
  });

  it("alerts when nothing could be received when it started", async () => {
    await begin();
    bench.node.limitReceivable(0n);
    start();
    await eventually(async () =>
      expect(await bench.ctx.db.manager.countBy(Alert, { kind: "cannot-receive" })).to.equal(1),
    );
  });

  it("refuses a node of another network", async () => {
    await begin({ context: { settings: { network: "signet" } } });
    start();
    await troubled(/on the network "regtest"/);
  });

  it("continues after the database was away, without a loss", async () => {
    await begin();
    start();
    await caughtUp();
    const { id, bolt11 } = await make();
    await bench.ctx.db.query("ALTER TABLE bolt11s RENAME TO bolt11s_away"); // each statement about it fails
    await bench.node.pay(bolt11);
    await eventually(() => bench.ctx.lines.some(({ message }) => message === "lightning: poll failed"));
    await bench.ctx.db.query("ALTER TABLE bolt11s_away RENAME TO bolt11s");
    await settled(id);
  });
});
