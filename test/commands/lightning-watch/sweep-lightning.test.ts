import { expect } from "chai";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { LeaseLostError } from "../../../database/lease";
import { sweepLightning, type Sweep } from "../../../commands/lightning-watch/sweep-lightning";
import type { LightningWatch } from "../../../commands/lightning/lightning-node";
import { NodeUnavailableError } from "../../../domain/errors";
import { Alert } from "../../../entities/alert";
import { Bolt11 } from "../../../entities/bolt11";
import { Invoice } from "../../../entities/invoice";
import { InvoicePaymentMethod } from "../../../entities/invoice-payment-method";
import { Payment } from "../../../entities/payment";
import type { Store } from "../../../entities/store";
import { buildInvoice, buildStore } from "../../support/factories";
import { eventually } from "../../support/eventually";
import { LightningBench, markNode, SERVER_NODE, serverNode } from "../../support/lightning";
import { longLease } from "../../support/leases";

describe("a sweep of BOLT11s", () => {
  let bench: LightningBench;
  let store: Store;
  let watch: LightningWatch;
  beforeEach(async () => {
    bench = await LightningBench.start();
    const { ctx, lightning } = bench;
    store = await buildStore(ctx);
    await ctx.db.query(
      "INSERT INTO store_payment_methods (store_id, type, lightning_node_id) VALUES ($1, 'BTC-LN', 'lnd_server')",
      [store.id],
    );
    const lease = await longLease(ctx.db, "lightning-watch");
    watch = { ctx: { ...ctx, lease }, lightning, node: SERVER_NODE };
  });
  afterEach(() => bench.stop());

  const ALL: Sweep["lookUp"] = { after: null, pages: Infinity };
  const sweep = (lookUp: Sweep["lookUp"] | null = ALL, nodeKey: string | null = bench.node.nodeKey) =>
    sweepLightning(watch, { nodeKey, ...(lookUp && { lookUp }), signal: new AbortController().signal });
  const make = async () => {
    const { invoice, methods } = await buildInvoice(bench.ctx, {
      store,
      amount: "1000",
      paymentMethods: ["BTC-LN"],
    });
    return { id: invoice.id, bolt11: methods.find(({ type }) => type === "BTC-LN")?.destination ?? "" };
  };
  const rowsOf = (invoiceId: string) => bench.ctx.db.manager.findBy(Bolt11, { invoiceId });
  const paidIds = async () => (await bench.ctx.db.manager.find(Payment)).map(({ invoiceId }) => invoiceId);

  it("records all paid BOLT11s, more than one page", async () => {
    const all = [];
    for (let i = 0; i < 45; i += 1) all.push(await make());
    for (const { bolt11 } of all) await bench.node.pay(bolt11);
    await sweep({ after: null, pages: Infinity, pageSize: 10 });
    expect(await paidIds()).to.have.members(all.map(({ id }) => id));
  });

  it("looks up open BOLT11s only if requested, and ended ones always", async () => {
    const { id, bolt11 } = await make();
    await bench.node.pay(bolt11);
    await sweep(null);
    expect(await paidIds()).to.deep.equal([]);
    bench.ctx.clock.advance(16 * 60_000);
    await sweep(null);
    expect(await paidIds()).to.deep.equal([id]);
  });

  it("leaves what exceeds LND's capacity until there is capacity", async () => {
    const { ctx } = bench;
    const { id } = await make();
    await ctx.db.manager.update(Bolt11, { invoiceId: id }, { state: "wanted", bolt11: null, nodeKey: null });
    await markNode(ctx, { checkedAt: await ctx.now(ctx.db.manager), receivableSats: 999n });
    const state = async () => (await rowsOf(id))[0]?.state;
    await sweep(null);
    expect(await state()).to.equal("wanted");
    await markNode(ctx, { receivableSats: 1_000n });
    await sweep(null);
    expect(await state()).to.equal("open");
  });

  it("says that a BOLT11 exceeds LND's capacity where LND was away when it was wanted", async () => {
    const { manager } = bench.ctx.db;
    const { id } = await make();
    await manager.update(Bolt11, { invoiceId: id }, { state: "wanted", bolt11: null, nodeKey: null });
    const without = { destination: null, available: false, reason: "node-unavailable" } as const;
    await manager.update(InvoicePaymentMethod, { invoiceId: id }, without);
    bench.node.limitReceivable(999n);
    const checkedAt = await bench.ctx.now(manager);
    await markNode(bench.ctx, { checkedAt, receivableSats: 999n });
    await sweep();
    const method = await manager.findOneBy(InvoicePaymentMethod, { invoiceId: id });
    expect(method?.reason).to.equal("exceeds-receivable");
  });

  it("records what was paid in time and expires while the sweep runs", async () => {
    const paid = await make();
    bench.ctx.clock.advance(60_000);
    const over = await make();
    await changeInvoice(bench.ctx, over.id, { to: "Invalid", note: null });
    await bench.node.pay(paid.bolt11);
    const { lightning } = watch;
    watch = {
      ...watch,
      lightning: {
        ...lightning,
        async cancelInvoice(hash) {
          bench.ctx.clock.advance(14.5 * 60_000);
          return lightning.cancelInvoice(hash);
        },
      },
    };
    bench.ctx.lightning = serverNode(watch.lightning);
    await bench.ctx.db.manager.update(Bolt11, { invoiceId: over.id }, { state: "open" });
    await sweep();
    expect(await paidIds()).to.deep.equal([paid.id]);
  });

  it("issues a BOLT11 that is missing because a process died after cancelling the last one", async () => {
    const { id } = await make();
    const [row] = await rowsOf(id);
    await bench.lightning.cancelInvoice(row?.paymentHash ?? "");
    await bench.ctx.db.manager.update(Bolt11, { invoiceId: id }, { state: "canceled" });
    await sweep();
    expect((await rowsOf(id)).map(({ state }) => state)).to.have.members(["canceled", "open"]);
  });

  it("continues when one invoice's sync fails, and logs its error", async () => {
    const good = await make();
    const bad = await make();
    for (const { bolt11 } of [good, bad]) await bench.node.pay(bolt11);
    await bench.ctx.db.query(
      `ALTER TABLE payments ADD CONSTRAINT broken CHECK (invoice_id <> '${bad.id}') NOT VALID`,
    );
    await sweep();
    expect(await paidIds()).to.deep.equal([good.id]);
    expect(bench.ctx.lines.filter(({ level }) => level === "error")).to.have.length(1);
    await bench.ctx.db.query("ALTER TABLE payments DROP CONSTRAINT broken");
    await sweep();
    expect(await paidIds()).to.have.members([good.id, bad.id]);
  });

  it("alerts that an invoice's payment cannot be recorded, and settles it when it is tried again", async () => {
    const bad = await make();
    await bench.node.pay(bad.bolt11);
    await bench.ctx.db.query(
      `ALTER TABLE payments ADD CONSTRAINT broken CHECK (invoice_id <> '${bad.id}') NOT VALID`,
    );
    const alerts = () => bench.ctx.db.manager.findBy(Alert, { kind: "set-aside" });
    for (let times = 0; times < 2; times += 1) await sweep();
    expect(await alerts()).to.have.length(1);
    expect((await alerts())[0]).to.include({ invoiceId: bad.id, severity: "critical", resolvedAt: null });
    await bench.ctx.db.query("ALTER TABLE payments DROP CONSTRAINT broken");
    await sweep();
    expect(await paidIds()).to.deep.equal([bad.id]);
    expect((await bench.ctx.db.manager.findOneBy(Invoice, { id: bad.id }))?.status).to.equal("Settled");
    expect((await alerts())[0]?.resolvedAt).to.not.equal(null);
  });

  it("continues when LND refuses one BOLT11 for good: it delays neither the others nor the watch", async () => {
    const [refused, paid] = [await make(), await make()];
    const { manager } = bench.ctx.db;
    await manager.update(Bolt11, { invoiceId: refused.id }, { state: "wanted", bolt11: null, nodeKey: null });
    await manager.update(
      InvoicePaymentMethod,
      { invoiceId: refused.id },
      { destination: null, available: false, reason: "being-issued" },
    );
    bench.node.faults.refuse["AddInvoice"] = "amount is too large";
    await bench.node.pay(paid.bolt11);
    await sweep();
    expect(await paidIds()).to.deep.equal([paid.id]);
    expect((await rowsOf(refused.id))[0]?.state).to.equal("wanted");
  });

  it("continues when the macaroon forbids one kind of call, and reports it at the end", async () => {
    const paid = await make();
    const over = await make();
    await changeInvoice(bench.ctx, over.id, { to: "Invalid", note: null });
    await bench.node.pay(paid.bolt11);
    bench.node.faults.refuse["CancelInvoice"] = "permission denied";
    const error = await sweep().catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(NodeUnavailableError).and.include({ fault: "forbidden" });
    expect(await paidIds()).to.deep.equal([paid.id]);
  });

  it("stops at once when LND is away", async () => {
    for (let i = 0; i < 30; i += 1) await make();
    await bench.node.stop();
    const error = await sweep().catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(NodeUnavailableError).and.include({ fault: "away" });
    await bench.node.restart();
    await eventually(() => sweep());
  });

  it("asks no node about another node's BOLT11", async () => {
    const { id, bolt11 } = await make();
    await bench.node.pay(bolt11);
    await sweep(ALL, "03".padEnd(66, "0"));
    expect(await paidIds()).to.deep.equal([]);
    await sweep(ALL, null);
    expect(await paidIds()).to.deep.equal([id]);
  });

  it("stops at once, and records nothing, when another process has the lease", async () => {
    const all = [await make(), await make()];
    for (const { bolt11 } of all) await bench.node.pay(bolt11);
    await bench.ctx.db.query("UPDATE leases SET epoch = epoch + 1");
    expect(await sweep().catch((error: unknown) => error)).to.be.instanceOf(LeaseLostError);
    expect(await paidIds()).to.deep.equal([]);
    expect(bench.ctx.lines.filter(({ level }) => level === "error")).to.deep.equal([]);
  });

  it("ends early when it is aborted", async () => {
    const { bolt11 } = await make();
    await bench.node.pay(bolt11);
    await sweepLightning(watch, { nodeKey: null, lookUp: ALL, signal: AbortSignal.abort() });
    expect(await paidIds()).to.deep.equal([]);
  });
});
