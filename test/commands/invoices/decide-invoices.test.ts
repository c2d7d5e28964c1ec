import { expect } from "chai";
import pg from "pg";
import { isDatabaseOutage } from "../../../adapters/database-outage";
import { decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { advanceConfirmations } from "../../../commands/chain/advance-confirmations";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { checkChain } from "../../../commands/chain/check-chain";
import { decideInvoices } from "../../../commands/invoices/change-invoice";
import { lockInvoices } from "../../../commands/invoices/decision-queries";
import { CHANGES_CHANNEL, notifyChanges } from "../../../commands/server/notify-changes";
import { eventually } from "../../support/eventually";
import { decideByJob } from "../../../commands/invoices/decide-due";
import { detectOnchainPayments } from "../../../commands/chain/detect-onchain-payments";
import { sweepDeliveries } from "../../../commands/webhooks/release";
import { recordLightningPayment } from "../../../commands/invoices/record-lightning-payment";
import type { Store } from "../../../entities/store";
import { SERVER_NODE_ID } from "../../../entities/lightning-node";
import { ChainBench, idleHooks } from "../../support/chain";
import { buildInvoice, buildOpenBolt11, buildStore, buildWebhook } from "../../support/factories";
import { LightningBench } from "../../support/lightning";
import { mineOutputs } from "../../support/node-tricks";
import { cure, poison } from "../../support/poison";
import { startReceiver, type Receiver } from "../../support/receiver";
import { inTransaction } from "../../../commands/transaction";

/** Together more deliveries than are notified one by one. */
const [WEBHOOKS, CROWD] = [6, 170];

interface PublishedChange {
  topic: string;
  invoiceId?: string;
  height?: number;
}

describe("an invoice that is decided in the transaction that records its payment", function () {
  this.timeout(60_000);
  let bench: ChainBench;
  let receiver: Receiver;
  let store: Store;
  beforeEach(async () => {
    bench = await ChainBench.start();
    receiver = await startReceiver();
    store = await buildStore(bench.ctx);
    await buildWebhook(bench.ctx, store, `${receiver.url}/hook`);
    await bench.look();
  });
  afterEach(async () => {
    await bench.stop();
    await receiver.close();
  });

  /** Runs what was asked of one queue; jobs of all others are lost. */
  const runOnly = async (queue: "webhook-delivery" | "invoices"): Promise<void> => {
    for (const { queue: asked, payload } of bench.ctx.jobs.splice(0)) {
      if (asked !== queue) continue;
      if ("deliveryId" in payload) await attemptWebhook(bench.ctx, { deliveryId: payload.deliveryId });
      if ("invoiceId" in payload) await decideByJob(bench.ctx, payload.invoiceId).catch(() => undefined);
    }
  };
  const sent = (): unknown[] =>
    receiver.at("/hook").map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type);
  const detect = async (txid: string): Promise<void> => {
    const raws = await bench.chain.mempoolTransactions([txid]);
    await detectOnchainPayments(bench.watch, [...raws.values()]);
  };
  it("gets its webhooks without a worker of the queue invoices: from the mempool and at its depth", async () => {
    const { id, address } = await bench.invoice({ store });
    await runOnly("webhook-delivery");
    await detect(await bench.node.pay(address, 100_000n));
    expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None"]);
    expect(bench.ctx.jobs.map(({ queue }) => queue)).to.deep.equal(["webhook-delivery"]);
    await runOnly("webhook-delivery");
    await bench.node.mine(1);
    await bench.holdLease();
    await bench.look();
    expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None", "Settled/None"]);
    await sendAll();
    expect(sent()).to.deep.equal(["New", "Processing", "Settled"]);
  });

  /** The jobs of the deliveries were run by nobody: the sweep finds what was committed. */
  const sendAll = async (): Promise<void> => {
    bench.ctx.jobs.length = 0;
    bench.ctx.clock.advance(10_000);
    await sweepDeliveries(bench.ctx);
    await runOnly("webhook-delivery");
  };

  it("gets its webhook once when the process dies after the commit and before it enqueues", async () => {
    const { id, address } = await bench.invoice({ store });
    await runOnly("webhook-delivery");
    const txid = await bench.node.pay(address, 100_000n);
    const raws = await bench.chain.mempoolTransactions([txid]);
    const dying = { ...bench.watch.ctx, enqueue: () => Promise.reject(new Error("the process dies")) };
    await detectOnchainPayments({ ...bench.watch, ctx: dying }, [...raws.values()]);
    expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None"]);
    expect(sent()).to.deep.equal(["New"]);
    for (let times = 0; times < 2; times += 1) await sendAll();
    expect(sent()).to.deep.equal(["New", "Processing"]);
  });

  it("delays neither its block nor other decisions when it cannot be decided, and gets a job", async () => {
    const [bad, good, other] = [
      await bench.invoice({ store }),
      await bench.invoice({ store }),
      await bench.invoice({ store }),
    ];
    await poison(bench.ctx.db, "invoice_events", "INSERT", `NEW.invoice_id = '${bad.id}'`);
    bench.ctx.jobs.length = 0;
    const pays = ({ address }: { address: string }) => ({ address, amountSats: 100_000n });
    await mineOutputs(bench.node, [[pays(bad), pays(good)], [pays(other)]]);
    const height = (await bench.cursor())?.height ?? 0;
    expect((await checkChain(bench.watch, bench.view, idleHooks())).caughtUp).to.equal(true);
    await advanceConfirmations(bench.ctx);
    expect((await bench.cursor())?.height).to.equal(height + 1);
    for (const { id } of [good, other])
      expect(await bench.events(id), "first seen in its block").to.deep.equal(["New/None", "Settled/None"]);
    expect(await bench.events(bad.id)).to.deep.equal(["New/None"]);
    expect(await bench.payments(bad.id), "is recorded").to.have.length(1);
    const [due] = await bench.ctx.db.query<{ due: boolean }[]>(
      "SELECT decide_at <= clock_timestamp() AS due FROM invoices WHERE id = $1",
      [bad.id],
    );
    expect(due, "for the sweep, should the job be lost").to.deep.equal({ due: true });
    const failed = bench.ctx.lines.filter(({ message }) => message.startsWith("invoice: decision failed"));
    expect(failed[0]?.fields).to.include({ invoiceId: bad.id });

    // Its job fails too, with an alert.
    await bench.ctx.enqueue("invoices", [{ invoiceId: bad.id }]);
    await runOnly("invoices");
    expect(await bench.alerts("set-aside")).to.have.length(1);
    await cure(bench.ctx.db);
    await decideByJob(bench.ctx, bad.id);
    expect(await bench.status(bad.id)).to.equal("Settled/None");
    expect((await bench.alerts("set-aside"))[0]?.resolvedAt).to.be.instanceOf(Date);
  });

  it("is recorded later as an outage when the connection breaks at its decision", async () => {
    const { id, address } = await bench.invoice({ store });
    await bench.ctx.db.query(
      `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`,
    );
    await bench.ctx.db.query(
      "CREATE TRIGGER poison BEFORE INSERT ON invoice_events FOR EACH ROW EXECUTE FUNCTION poison()",
    );
    const txid = await bench.node.pay(address, 100_000n);
    const error: unknown = await detect(txid).catch((reason: unknown) => reason);
    expect(isDatabaseOutage(error), String(error)).to.equal(true);
    await cure(bench.ctx.db);
    await detect(txid);
    expect(await bench.status(id)).to.equal("Processing/None");
  });

  it("takes as many statements with forty others in its transaction as alone", async () => {
    const statementsOf = async (count: number): Promise<number> => {
      const outputs = [];
      for (let at = 0; at < count; at += 1)
        outputs.push({ address: (await bench.invoice({ store })).address, amountSats: 100_000n });
      const txid = await bench.node.payMany(outputs);
      const raws = [...(await bench.chain.mempoolTransactions([txid])).values()];
      return countStatements(() => detectOnchainPayments(bench.watch, raws));
    };
    const few = await statementsOf(2);
    // One more: the endpoint's deliveries are more than stand in line by themselves.
    expect(await statementsOf(40)).to.be.within(few, few + 1);
  });
  it("takes as many statements with Lightning, and shows nobody a BOLT11 for an amount that is paid", async () => {
    const ids: string[] = [];
    const statementsOf = async (count: number): Promise<number> => {
      const outputs = [];
      for (let at = 0; at < count; at += 1) {
        const { id, address } = await bench.invoice({ store });
        await buildOpenBolt11(bench.ctx, id);
        ids.push(id);
        outputs.push({ address, amountSats: 100_000n });
      }
      const txid = await bench.node.payMany(outputs);
      const raws = [...(await bench.chain.mempoolTransactions([txid])).values()];
      return countStatements(() => detectOnchainPayments(bench.watch, raws));
    };
    const few = await statementsOf(2);
    expect(await statementsOf(40)).to.be.within(few, few + 1);
    const methods = await bench.ctx.db.query<unknown[]>(
      "SELECT DISTINCT destination, mac, available, reason FROM invoice_payment_methods WHERE type = 'BTC-LN'",
    );
    expect(methods).to.deep.equal([
      { destination: null, mac: null, available: false, reason: "no-longer-payable" },
    ]);
    const rows = await bench.ctx.db.query<unknown[]>("SELECT DISTINCT state, cancel_wanted FROM bolt11s");
    expect(rows).to.deep.equal([{ state: "open", cancel_wanted: true }]);
    const asked = bench.ctx.jobsOf("invoices").map(({ invoiceId }) => invoiceId);
    expect(asked, "LND has to be told").to.have.members(ids);
  });

  it("keeps in memory of thousands of deliveries only what wakes and notifies their webhooks", async () => {
    for (let at = 1; at < WEBHOOKS; at += 1)
      await buildWebhook(bench.ctx, store, `${receiver.url}/hook${at}`);
    const ids: string[] = [];
    for (let at = 0; at < CROWD; at += 1) ids.push((await bench.invoice({ store })).id);
    await bench.ctx.db.query("UPDATE webhook_deliveries SET state = 'skipped'");
    bench.ctx.clock.advance(30 * 3_600_000);
    const { heard, silence } = await listen();
    bench.ctx.jobs.length = 0;
    await inTransaction(bench.ctx, async (tx) => {
      expect(await lockInvoices(tx.manager, ids)).to.have.length(CROWD);
      await decideInvoices(tx, ids);
    });
    expect(bench.ctx.jobsOf("webhook-delivery").length, "each is woken").to.be.at.least(WEBHOOKS);
    const [row] = await bench.ctx.db.query<{ expired: number }[]>(
      `SELECT count(*)::int AS expired FROM webhook_deliveries d JOIN invoice_events e ON e.id = d.event_id
        WHERE e.type = 'Expired'`,
    );
    expect(row?.expired, "all are written").to.equal(WEBHOOKS * CROWD);
    await eventually(() => heard.filter(({ topic }) => topic === "webhooks").length === WEBHOOKS);
    await silence();
    expect(heard.filter(({ topic }) => topic === "deliveries")).to.deep.equal([]);
    expect(new Set(heard.map(({ invoiceId }) => invoiceId).filter(Boolean))).to.have.property("size", CROWD);
  });

  /** What is published from now on. */
  const listen = async (): Promise<{ heard: PublishedChange[]; silence: () => Promise<void> }> => {
    const runner = bench.ctx.db.createQueryRunner();
    const client = (await runner.connect()) as {
      on: (event: "notification", hear: (message: { payload: string }) => void) => void;
    };
    const heard: PublishedChange[] = [];
    client.on("notification", ({ payload }) => void heard.push(JSON.parse(payload) as PublishedChange));
    await runner.query(`LISTEN ${CHANGES_CHANNEL}`);
    const silence = async (): Promise<void> => {
      notifyChanges(bench.ctx, [{ topic: "chain", storeId: null, height: -1 }]);
      await eventually(() => heard.some(({ height }) => height === -1));
      await runner.query(`UNLISTEN ${CHANGES_CHANNEL}`);
      await runner.release();
    };
    notifyChanges(bench.ctx, [{ topic: "chain", storeId: null, height: -2 }]);
    await eventually(() => heard.some(({ height }) => height === -2));
    heard.length = 0;
    return { heard, silence };
  };
});

/**
 * How many statements all connections of this process send meanwhile, without the notifications after the commit and what a
 * new connection begins with.
 */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function counted(this: pg.Client, ...given: unknown[]): unknown {
    const [asked] = given as [string | { text: string }];
    const text = typeof asked === "string" ? asked : asked.text;
    if (!/pg_notify|synchronous_commit/.test(text)) count += 1;
    return (query as (...args: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return count;
}

describe("an invoice that is decided with its settled BOLT11", () => {
  let bench: LightningBench;
  before(async () => (bench = await LightningBench.start()));
  after(() => bench.stop());

  it("writes its event and delivery in the payment's transaction", async () => {
    const { ctx } = bench;
    const store = await buildStore(ctx, { lightning: true });
    await buildWebhook(ctx, store);
    const { invoice, methods } = await buildInvoice(ctx, { store });
    const bolt11 = methods.find(({ type }) => type === "BTC-LN")?.destination ?? "";
    await ctx.db.query("UPDATE webhook_deliveries SET state = 'skipped'");
    ctx.jobs.length = 0;
    await bench.node.pay(bolt11);
    const settled = await bench.lightning.lookUpInvoice(decodeBolt11(bolt11).paymentHash);
    if (settled === null) throw new Error("LND has lost it");
    expect(await recordLightningPayment(ctx, SERVER_NODE_ID, settled)).to.equal(invoice.id);
    const told = await ctx.db.query<unknown[]>("SELECT type FROM invoice_events ORDER BY seq");
    expect(told).to.deep.equal([{ type: "New" }, { type: "Settled" }]);
    expect(ctx.jobs.map(({ queue }) => queue)).to.deep.equal(["webhook-delivery"]);
  });
});
