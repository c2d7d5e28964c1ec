import { expect } from "chai";
import { IsNull } from "typeorm";
import { type LndNodes, makeLndNodes } from "../../adapters/lnd/lnd-nodes";
import { makeProcessMetrics } from "../../adapters/metrics/process-metrics";
import { connectNode } from "../../commands/lightning/connect-node";
import { Alert } from "../../entities/alert";
import { Lease } from "../../entities/lease";
import { LightningCursor } from "../../entities/lightning-cursor";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import { Payment } from "../../entities/payment";
import type { Store } from "../../entities/store";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import type { LightningTimes } from "../../workers/lightning/lightning-loop";
import { WatchedNodes } from "../../workers/lightning/watched-nodes";
import { leaseOf } from "../../commands/lightning/queries";
import { runLightningWatch } from "../../workers/lightning-watch";
import type { RunningWorker } from "../../workers/worker";
import { failNow, testContext, type TestContext, testDialer } from "../support/context";
import { testDatabase } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore } from "../support/factories";
import { lndSettingsOf, TEST_LND_TIMES } from "../support/lightning";
import { decideDue } from "../../commands/invoices/decide-due";
import { recordSettled } from "../../commands/lightning-watch/lightning-cursor";
import { recordLightningPayment } from "../../commands/invoices/record-lightning-payment";
import { stopWaiting } from "../../commands/lightning/retire-node";
import type { NodeInvoice } from "../../commands/ports";
import { insertNode, type LightningWatch, sealed } from "../../commands/lightning/lightning-node";
import { inTransaction } from "../../commands/transaction";
import { syncLightningInvoices } from "../../commands/invoices/sync-lightning-invoices";
import { switchLightningOff, switchLightningOn } from "../../commands/lightning/switch-lightning";
import { archiveStore } from "../../commands/stores/archive-store";
import { decodeBolt11 } from "../../domain/lightning/decode-bolt11";
import { Bolt11 } from "../../entities/bolt11";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Invoice } from "../../entities/invoice";

const QUICK: LightningTimes = { tickMs: 100, sweepMs: 60_000, watchdogMs: 500, backoffMs: [50, 200] };

interface Merchant {
  node: SimulatedLnd;
  nodeId: string;
  store: Store;
}

describe("lightning-watch of the server's node and those of two stores", () => {
  let ctx: TestContext;
  let server: SimulatedLnd;
  let merchants: Merchant[];
  let running: RunningWorker[] = [];

  beforeEach(async () => {
    server = await SimulatedLnd.start();
    const lightning = makeLndNodes(lndSettingsOf(server.grpc), testDialer, {
      ...TEST_LND_TIMES,
      call: 10_000, // what connects a node waits beside sessions that hang
    });
    ctx = await testContext({ db: await testDatabase(), lightning });
    merchants = [await merchant(), await merchant()];
  });
  afterEach(async () => {
    await stop();
    await Promise.all([server, ...merchants.map(({ node }) => node)].map((node) => node.stop()));
    await ctx.db.destroy();
  });

  async function merchant(): Promise<Merchant> {
    const node = await SimulatedLnd.start();
    const store = await buildStore(ctx);
    const { url: address, tlsCert: tlsCertificate, quittanceMacaroon } = node.grpc;
    await connectNode(ctx, store.id, {
      address,
      tlsCertificate,
      macaroon: quittanceMacaroon.toString("hex"),
    });
    const { id } = await ctx.db.manager.findOneByOrFail(LightningNode, { storeId: store.id });
    return { node, nodeId: id, store };
  }
  const start = (holder: string, call = 2_000, dialer = testDialer): RunningWorker => {
    const lightning = makeLndNodes(lndSettingsOf(server.grpc), dialer, { ...TEST_LND_TIMES, call });
    const metrics = makeProcessMetrics({ worker: "lightning-watch", instanceId: holder });
    const worker = runLightningWatch({ ctx, lightning, metrics, holder, onFatal: failNow, times: QUICK });
    const both = { close: () => worker.close().then(() => lightning.close()) };
    running.push(both);
    return both;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((worker) => worker.close()));
    running = [];
  };
  const rowOf = (id: string) => ctx.db.manager.findOneByOrFail(LightningNode, { id });
  const usable = (...ids: string[]) =>
    eventually(async () => {
      for (const id of ids) expect((await rowOf(id)).synchronized, id).to.equal(true);
    });
  const all = () => [SERVER_NODE_ID, ...merchants.map(({ nodeId }) => nodeId)];
  const sell = async ({ store }: Merchant): Promise<{ id: string; bolt11: string }> => {
    const { invoice, methods } = await buildInvoice(ctx, { store, paymentMethods: ["BTC-LN"] });
    return { id: invoice.id, bolt11: methods[0]?.destination ?? "" };
  };
  const paid = (invoiceId: string) =>
    eventually(async () => (await ctx.db.manager.findOneBy(Payment, { invoiceId })) !== null);
  const holders = async (): Promise<Map<string, string[]>> => {
    const held = new Map<string, string[]>();
    for (const { name, holder, expiresAt } of await ctx.db.manager.find(Lease))
      if (name.includes(":") && expiresAt > new Date())
        held.set(holder, [...(held.get(holder) ?? []), name].sort());
    return held;
  };

  it("pays each store into its own node", async () => {
    start("a");
    await usable(...all());
    for (const one of merchants) {
      const { id, bolt11 } = await sell(one);
      expect(decodeBolt11(bolt11).payeeKey).to.equal(one.node.nodeKey);
      await one.node.pay(bolt11);
      await paid(id);
      await eventually(async () =>
        expect(await ctx.db.manager.findOneBy(Invoice, { id })).to.include({ status: "Settled" }),
      );
    }
    expect(server.core.book.settledAfter(0)).to.deep.equal([]);
  });

  it("believes no node about another store's invoice", async () => {
    const [honest, liar] = merchants as [Merchant, Merchant];
    const { id, bolt11 } = await sell(honest);
    const { paymentHash } = decodeBolt11(bolt11);
    const { preimage } = await ctx.db.manager.findOneByOrFail(Bolt11, { paymentHash });
    const settled: NodeInvoice = {
      paymentHash,
      state: "settled",
      bolt11,
      amountPaidMsat: 1_000_000_000n,
      settledAt: new Date(),
      settleIndex: 1n,
      preimage: preimage.toString("hex"),
    };
    const recorded = await recordSettled(
      { ctx, node: await rowOf(liar.nodeId) } as unknown as LightningWatch,
      { nodeKey: liar.node.nodeKey, reached: 0n, ahead: new Set(), unwritten: 0 },
      settled,
    );
    expect([recorded, await recordLightningPayment(ctx, liar.nodeId, settled)]).to.deep.equal([null, null]);
    expect(await ctx.db.manager.findOneBy(Payment, { invoiceId: id })).to.equal(null);
    expect(await recordLightningPayment(ctx, honest.nodeId, settled)).to.equal(id);
  });

  it("delays nobody while a store's node hangs, whose alert comes after five minutes, to its store", async () => {
    const [hung, well] = merchants as [Merchant, Merchant];
    const waiting = await sell(hung);
    start("a");
    await usable(...all());
    hung.node.freeze();
    await eventually(async () => expect((await rowOf(hung.nodeId)).fault).to.equal("away"));
    const { id, bolt11 } = await sell(well);
    await well.node.pay(bolt11);
    await paid(id);
    const alerts = () => ctx.db.manager.findBy(Alert, { kind: "lightning-away" });
    ctx.clock.advance(4 * 60_000);
    await usable(SERVER_NODE_ID, well.nodeId);
    expect(await alerts()).to.deep.equal([]);
    ctx.clock.advance(2 * 60_000);
    await eventually(async () =>
      expect((await alerts()).map(({ storeId }) => storeId)).to.deep.equal([hung.store.id]),
    );
    hung.node.thaw();
    await usable(hung.nodeId);
    await hung.node.pay(waiting.bolt11);
    await paid(waiting.id);
    await eventually(async () => expect((await alerts())[0]?.resolvedAt).to.be.instanceOf(Date));
  });

  it("ends before a call that hangs, or the look-up of a node's name, would end", async () => {
    const [hung, nameless] = merchants as [Merchant, Merchant];
    const began = new Set<string>();
    const never = (what: string) => () => (began.add(what), new Promise<never>(() => undefined));
    hung.node.faults.lateMs = { GetState: 600_000 };
    const worker = start("a", 600_000, (address) =>
      address === nameless.node.grpc.url ? never("name") : testDialer(address),
    );
    await usable(SERVER_NODE_ID);
    await eventually(() => expect(began.size).to.equal(1));
    await worker.close();
  });

  it("begins with a node however slowly others answer the calls of their first checks", async () => {
    const [slow] = merchants as [Merchant];
    const { url: address, tlsCert: tlsCertificate, adminMacaroon } = slow.node.grpc;
    const open = await ctx.db.manager.findOneByOrFail(Bolt11, { invoiceId: (await sell(slow)).id });
    for (let number = 0; number < 12; number += 1) {
      const given = {
        storeId: slow.store.id,
        address,
        tlsCertificate,
        macaroon: adminMacaroon.toString("hex"),
      };
      const { id: nodeId } = await inTransaction(ctx, (tx) =>
        insertNode(tx, { ...given, nodeKey: slow.node.nodeKey, network: "regtest" }),
      );
      const paymentHash = ctx.randomBytes(32).toString("hex");
      await ctx.db.manager.insert(Bolt11, { ...open, nodeId, paymentHash, cancelWanted: true });
    }
    slow.node.faults.lateMs = { CancelInvoice: 600_000 };
    const cancel = slow.node.core.book.cancel.bind(slow.node.core.book);
    let cancels = 0;
    slow.node.core.book.cancel = (hash) => ((cancels += 1), cancel(hash));
    start("a", 600_000);
    await eventually(() => expect(cancels).to.be.greaterThan(9));
    merchants.push(await merchant());
    await usable(merchants[2]?.nodeId ?? "");
    await stop();
  });

  it("gets past an invoice that is too long for a stream, which a look-up finds paid", async () => {
    const [one] = merchants as [Merchant];
    start("a");
    await usable(...all());
    const sales = [await sell(one), await sell(one), await sell(one)] as const;
    const { book } = one.node.core;
    await one.node.pay(sales[0].bolt11);
    await paid(sales[0].id);
    const long = book.look(decodeBolt11(sales[1].bolt11).paymentHash);
    Object.assign(long ?? {}, { memo: "x".repeat(300_000) });
    for (const { bolt11 } of sales.slice(1)) await one.node.pay(bolt11);
    for (const { id } of sales) await paid(id);
    await usable(one.nodeId);
    const last = await sell(one);
    await one.node.pay(last.bolt11); // found by the stream: the next sweep is a minute away
    await paid(last.id);
    expect(one.node.core.book.settledAfter(0)).to.have.length(4);
  });

  it("reads no past of a node whose first settled invoice is too long for a stream", async () => {
    const [one] = merchants as [Merchant];
    const { core } = one.node;
    const others = {
      valueMsat: 1_000n,
      memo: "",
      descriptionHash: Buffer.alloc(0),
      expirySeconds: 600,
      isPrivate: false,
    };
    for (let past = 1; past <= 60; past += 1) {
      const { paymentHash } = core.addInvoice({ ...others, preimage: Buffer.alloc(32, past) });
      core.book.settle(paymentHash, 1_000n);
    }
    start("a");
    await usable(one.nodeId);
    const [long, next] = [await sell(one), await sell(one)];
    const kept = core.book.look(decodeBolt11(long.bolt11).paymentHash);
    Object.assign(kept ?? {}, { memo: "x".repeat(300_000) });
    for (const { id, bolt11 } of [long, next]) {
      await one.node.pay(bolt11);
      await paid(id);
      await usable(one.nodeId);
    }
    const cursor = await ctx.db.manager.findOneBy(LightningCursor, { nodeId: one.nodeId });
    expect(cursor).to.include({ settleIndex: 62n });
  });

  it("is shared among copies, and one that ends leaves its nodes to the others", async () => {
    const [one] = merchants as [Merchant, Merchant];
    const first = start("a");
    await usable(...all());
    start("b");
    await eventually(async () => {
      const counts = [...(await holders()).values()].map(({ length }) => length);
      expect(counts.sort()).to.deep.equal([1, 2]);
    });
    await first.close();
    await eventually(async () => expect((await holders()).get("b")).to.have.length(3));
    const { id, bolt11 } = await sell(one);
    await one.node.pay(bolt11);
    await paid(id);
  });

  it("watches a node that is connected while it runs, and none whose row was changed by others", async () => {
    start("a");
    await usable(...all());
    merchants.push(await merchant());
    await usable(...all());
    const [one] = merchants as [Merchant];
    await ctx.db.manager.update(LightningNode, { id: one.nodeId }, { address: server.grpc.url });
    await stop();
    start("a");
    await eventually(async () =>
      expect((await rowOf(one.nodeId)).problem).to.match(/not written by this service/),
    );
    expect(await sell(one).catch((error: unknown) => error)).to.be.instanceOf(Error);
  });

  it("knows the nodes of its last look alone, and begins nothing with one that has ended", async () => {
    const [ended] = merchants as [Merchant];
    const metrics = makeProcessMetrics({ worker: "lightning-watch", instanceId: "a" });
    const nodes = new WatchedNodes({
      ctx,
      lightning: ctx.lightning as LndNodes,
      metrics,
      holder: "a",
      times: QUICK,
    });
    const lease = { name: leaseOf(ended.nodeId), holder: "a", epoch: "1" };
    expect(await nodes.wanted(new Set())).to.include(lease.name);
    await ctx.db.manager.update(LightningNode, { id: ended.nodeId }, { macaroon: null, state: "retired" });
    expect(await nodes.wanted(new Set())).not.to.include(lease.name);
    const end = new AbortController();
    const leading = nodes.lead(lease, end.signal);
    await nodes.wanted(new Set());
    end.abort();
    await leading;
    expect(ctx.lines.map(({ message }) => message)).to.deep.equal([]);
  });

  it("reports another node at a store's address, and that the store's is back", async () => {
    const [one] = merchants as [Merchant];
    const macaroon = one.node.grpc.quittanceMacaroon.toString("hex");
    const pin = async (nodeKey: string): Promise<void> => {
      const row = { ...(await rowOf(one.nodeId)), address: one.node.grpc.url, nodeKey };
      await ctx.db.manager.update(LightningNode, { id: one.nodeId }, sealed(ctx.secrets, row, macaroon));
    };
    const changed = () =>
      ctx.db.manager.existsBy(Alert, {
        kind: "lightning-node-changed",
        storeId: one.store.id,
        resolvedAt: IsNull(),
      });
    await pin(server.nodeKey);
    start("a");
    await eventually(async () => expect((await rowOf(one.nodeId)).fault).to.equal("changed"));
    ctx.clock.advance(301_000);
    await eventually(changed);
    expect(await sell(one).catch((error: unknown) => error)).to.be.instanceOf(Error);
    await pin(one.node.nodeKey);
    await usable(one.nodeId);
    await eventually(async () => !(await changed()));
  });

  it("calls no node of another store, which a row names that others changed", async () => {
    const [one, other] = merchants as [Merchant, Merchant];
    const { id: invoiceId } = await sell(one);
    const named = { lightningNodeId: other.nodeId };
    await ctx.db.manager.update(StorePaymentMethod, { storeId: one.store.id, type: "BTC-LN" }, named);
    expect(await sell(one).catch((error: unknown) => error)).to.be.instanceOf(Error);
    await ctx.db.manager.update(Bolt11, { invoiceId }, { nodeId: other.nodeId, state: "wanted" });
    const made = other.node.core.book.addedAfter(0);
    await syncLightningInvoices(ctx, invoiceId);
    expect(other.node.core.book.addedAfter(0)).to.deep.equal(made);
    await ctx.db.manager.update(Bolt11, { invoiceId }, { nodeId: one.nodeId, state: "open" });
  });

  it("cancels what is open at a node that is replaced, and forgets it when all has ended", async () => {
    const [one] = merchants as [Merchant, Merchant];
    start("a");
    await usable(...all());
    const [open, inFlight] = [await sell(one), await sell(one)];
    one.node.hold(inFlight.bolt11);
    one.node.faults.refuse["CancelInvoice"] = "invoice already accepted";
    await switchLightningOn(ctx, one.store.id);
    await decideDue(ctx, open.id);
    await decideDue(ctx, inFlight.id);
    one.node.faults.refuse = {};
    one.node.settleHeld(inFlight.bolt11);
    await paid(inFlight.id);
    await eventually(async () => {
      const { destination } = await ctx.db.manager.findOneByOrFail(InvoicePaymentMethod, {
        invoiceId: open.id,
      });
      expect(decodeBolt11(destination ?? "").payeeKey).to.equal(server.nodeKey);
    });
    await one.node.pay(open.bolt11).then(
      () => expect.fail("it was paid"),
      () => undefined,
    );
    await stop();
    ctx.clock.advance(11 * 60_000); // no creation that began before can still make a BOLT11 there
    start("b"); // each minute, and at the beginning
    await eventually(async () => expect((await rowOf(one.nodeId)).macaroon).to.equal(null));
    expect(await rowOf(one.nodeId)).to.include({ state: "retired", tlsCertificate: null, mac: null });
  });

  it("waits for a removed node that is away until its BOLT11s have been over for a day, or somebody ends the wait", async () => {
    const [gone, other] = merchants as [Merchant, Merchant];
    start("a");
    await usable(...all());
    const [first, second] = [await sell(gone), await sell(other)];
    for (const { node } of merchants) await node.stop();
    await archiveStore(ctx, gone.store.id, true);
    await switchLightningOff(ctx, other.store.id);
    for (const { id } of [first, second]) {
      await decideDue(ctx, id);
      // Nothing promises a BOLT11 that no node will make.
      const shown = await ctx.db.manager.findOneByOrFail(InvoicePaymentMethod, {
        invoiceId: id,
        type: "BTC-LN",
      });
      expect(shown).to.include({ destination: null, available: false, reason: "no-longer-payable" });
    }
    expect(await stopWaiting(ctx, other.store.id)).to.deep.equal([second.id]);
    expect((await rowOf(other.nodeId)).macaroon).to.equal(null);
    await eventually(async () => expect((await rowOf(gone.nodeId)).fault).to.equal("away"));
    expect((await rowOf(gone.nodeId)).macaroon).to.be.instanceOf(Buffer);
    ctx.clock.advance(25 * 60 * 60_000);
    await eventually(async () => expect((await rowOf(gone.nodeId)).macaroon).to.equal(null));
    expect(await ctx.db.manager.countBy(Bolt11, { invoiceId: first.id, state: "canceled" })).to.equal(1);
    for (const { id } of [first, second]) await decideDue(ctx, id);
  });
});
