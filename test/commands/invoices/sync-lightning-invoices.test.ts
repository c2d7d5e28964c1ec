import { expect } from "chai";
import type { EntityManager } from "typeorm";
import type { CreateInvoiceInput } from "../../../commands/invoices/create-invoice";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { type InvoiceView, readInvoice } from "../../../commands/invoices/read-invoice";
import type { LightningPort } from "../../../commands/ports";
import { decideInvoice, syncLightningInvoices } from "../../../commands/invoices/sync-lightning-invoices";
import { decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { Bolt11 } from "../../../entities/bolt11";
import { Wallet } from "../../../entities/wallet";
import { Invoice } from "../../../entities/invoice";
import { InvoiceEvent } from "../../../entities/invoice-event";
import { Payment } from "../../../entities/payment";
import { Alert } from "../../../entities/alert";
import type { Store } from "../../../entities/store";
import { SimulatedLnd } from "../../support/devnet/simulated-lnd";
import type { LndClient } from "../../../adapters/lnd/client";
import { LndFailure } from "../../../adapters/lnd/failure";
import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { TestContext } from "../../support/context";
import { eventually } from "../../support/eventually";
import { buildInvoice, buildPayment, buildStore } from "../../support/factories";
import { lookedAtChain } from "../../support/looked-at-chain";
import { LightningBench, lndSettingsOf, markNode, serverNode, TEST_LND_TIMES } from "../../support/lightning";
import { refusal } from "../../support/refusal";

const DUE = 100_000n;
const MINUTE = 60_000;
const EXPIRY = 15 * MINUTE;
/** Of a call of LND: a test that waits for it fails by its own limit. */
const CALL_MS = 600_000;

/** What LND says of a BOLT11. */
interface LightningMethod {
  bolt11: string;
  reason: string | null;
  available: boolean;
}

describe("an invoice's BOLT11", () => {
  let bench: LightningBench;
  let ctx: TestContext;
  let store: Store;

  beforeEach(async () => {
    bench = await LightningBench.start({ times: { call: CALL_MS, addInvoice: CALL_MS } });
    ({ ctx } = bench);
    store = await buildStore(ctx, { lightning: true });
    await lookedAtChain(ctx);
  });
  afterEach(async () => bench.stop());

  async function databaseNow(): Promise<Date> {
    const [row] = await ctx.db.query<{ now: Date }[]>("SELECT clock_timestamp() AS now");
    if (!row) throw new Error("Postgres has a clock");
    return row.now;
  }
  const create = (input: Partial<CreateInvoiceInput> = {}): Promise<InvoiceView> =>
    buildInvoice(ctx, { store, ...input });
  const lightningOnly = (input: Partial<CreateInvoiceInput> = {}): Promise<InvoiceView> =>
    create({ paymentMethods: ["BTC-LN"], ...input });
  const read = (id: string): Promise<InvoiceView> => readInvoice(ctx, store.id, id);
  function lightningOf({ methods }: InvoiceView): LightningMethod {
    const method = methods.find(({ type }) => type === "BTC-LN");
    if (!method) throw new Error("the invoice does not offer BTC-LN");
    return { bolt11: method.destination ?? "", reason: method.reason, available: method.available };
  }
  const shown = async (id: string): Promise<LightningMethod> => lightningOf(await read(id));
  const rows = (invoiceId: string): Promise<Bolt11[]> =>
    ctx.db.manager.find(Bolt11, { where: { invoiceId }, order: { createdAt: "ASC" } });
  const payments = (invoiceId: string): Promise<Payment[]> => ctx.db.manager.findBy(Payment, { invoiceId });
  async function statusOf(id: string): Promise<string> {
    const { status, additionalStatus } = await ctx.db.manager.findOneByOrFail(Invoice, { id });
    return `${status}/${additionalStatus}`;
  }
  async function toldEvents(invoiceId: string): Promise<string[]> {
    const events = await ctx.db.manager.find(InvoiceEvent, { where: { invoiceId }, order: { seq: "ASC" } });
    return events.map(({ type, additionalStatus }) => `${type}/${additionalStatus}`);
  }
  async function nodeState(bolt11: string): Promise<string | undefined> {
    return (await bench.lightning.lookUpInvoice(decodeBolt11(bolt11).paymentHash))?.state;
  }
  async function payOnchain(invoiceId: string, amountSats: bigint, confirmed = false): Promise<Payment> {
    return buildPayment(ctx, invoiceId, { amountSats, state: confirmed ? "confirmed" : "pending" });
  }
  async function afterExpiry(): Promise<void> {
    ctx.clock.advance(EXPIRY + 1_000);
    await lookedAtChain(ctx);
  }
  /** As soon as its client has found LND again. */
  const syncOnceBack = (id: string): Promise<unknown> => eventually(() => syncLightningInvoices(ctx, id));
  /** Its HTLCs have arrived and are being settled: LND does not let go of it. */
  function settling(bolt11: string): void {
    bench.node.hold(bolt11);
    bench.node.faults.refuse["CancelInvoice"] = "invoice already accepted";
  }
  function settle(bolt11: string): void {
    bench.node.faults.refuse = {};
    bench.node.settleHeld(bolt11);
  }

  describe("at creation", () => {
    it("has the invoice's price, our hash and the invoice's time, and is shown beside the address", async () => {
      const view = await create({ description: "Order 7" });
      const { bolt11, reason, available } = lightningOf(view);
      expect({ reason, available }).to.deep.equal({ reason: null, available: true });
      expect(view.methods.map(({ type }) => type)).to.deep.equal(["BTC-CHAIN", "BTC-LN"]);
      const decoded = decodeBolt11(bolt11);
      const [row] = await rows(view.invoice.id);
      expect(decoded).to.include({
        amountMsat: DUE * 1_000n,
        description: "Order 7",
        paymentHash: row?.paymentHash,
        payeeKey: row?.nodeKey,
      });
      expect(decoded.expirySeconds).to.be.within(890, 900);
      expect(row).to.include({ state: "open", bolt11, cancelWanted: false });
      expect(await read(view.invoice.id)).to.deep.include({ methods: view.methods });
    });

    it("is issued at once while other rows wait for a connection that does not answer", async () => {
      let answer: () => void = () => undefined;
      const dead = new Promise<void>((resolve) => (answer = resolve));
      let hanging = false;
      const now = async (manager: EntityManager): Promise<Date> => {
        hanging = true;
        await dead;
        return ctx.now(manager);
      };
      const hung = buildInvoice({ ...ctx, now }, { store, paymentMethods: ["BTC-LN"] });
      await eventually(() => hanging);
      expect(lightningOf(await lightningOnly()).available).to.equal(true);
      answer();
      expect(lightningOf(await hung).available).to.equal(true);
    });

    it("is requested before the address is allocated, so that a node that hangs holds no index", async () => {
      let answer: () => void = () => undefined;
      const slow = new Promise<void>((resolve) => (answer = resolve));
      const lightning: LightningPort = {
        ...bench.lightning,
        addInvoice: async (request) => {
          await slow;
          return bench.lightning.addInvoice(request);
        },
      };
      const creating = buildInvoice({ ...ctx, lightning: serverNode(lightning) }, { store });
      await eventually(async () =>
        expect((await ctx.db.manager.find(Bolt11)).map(({ state }) => state)).to.deep.equal(["wanted"]),
      );
      expect(await ctx.db.manager.existsBy(Wallet, { nextIndex: 0 })).to.equal(true);
      answer();
      const { methods } = await creating;
      expect(await ctx.db.manager.existsBy(Wallet, { nextIndex: 1 })).to.equal(true);
      expect(methods.map(({ type, available }) => ({ type, available }))).to.deep.equal([
        { type: "BTC-CHAIN", available: true },
        { type: "BTC-LN", available: true },
      ]);
    });

    it("comes later when LND hangs and its watcher says so: the creation does not wait for it", async () => {
      bench.node.freeze();
      await markNode(ctx, { checkedAt: await databaseNow(), fault: "away" });
      const { invoice, methods } = await create();
      bench.node.thaw();
      expect(methods[1]).to.include({ destination: null, reason: "node-unavailable" });
      await syncOnceBack(invoice.id);
      expect((await shown(invoice.id)).available).to.equal(true);
    });

    it("that comes too late is adopted: LND has one invoice, and so has the customer", async () => {
      const lightning: LndClient = {
        ...bench.lightning,
        addInvoice: async (request) => {
          await bench.lightning.addInvoice(request);
          throw new LndFailure("late", "LND did not answer in time");
        },
      };
      const { invoice, methods } = await buildInvoice(
        { ...ctx, lightning: serverNode(lightning) },
        { store },
      );
      expect(methods[1]?.reason).to.equal("node-unavailable");
      const [asked] = await rows(invoice.id);
      expect((await bench.lightning.lookUpInvoice(asked?.paymentHash ?? ""))?.state).to.equal("open");
      await syncLightningInvoices(ctx, invoice.id);
      const all = await rows(invoice.id);
      expect(all.map(({ paymentHash, state }) => [paymentHash, state])).to.deep.equal([
        [asked?.paymentHash, "open"],
      ]);
      expect((await shown(invoice.id)).bolt11).to.equal(all[0]?.bolt11);
    });

    describe("above LND's capacity", () => {
      beforeEach(async () => {
        bench.node.limitReceivable(60_000n);
        const now = await ctx.now(ctx.db.manager);
        await markNode(ctx, { checkedAt: now, receivableSats: 60_000n });
      });

      it("says so, and is issued once there is capacity", async () => {
        const { invoice, methods } = await create();
        expect(methods[1]).to.include({ destination: null, available: false, reason: "exceeds-receivable" });
        await syncLightningInvoices(ctx, invoice.id);
        expect((await shown(invoice.id)).reason).to.equal("exceeds-receivable");
        bench.node.limitReceivable(100_000n);
        await syncLightningInvoices(ctx, invoice.id);
        expect((await shown(invoice.id)).available).to.equal(true);
      });

      it("fails with 503 when it is the only method, with a message of its own", async () => {
        const refused = await refusal(lightningOnly());
        expect(refused).to.have.property("code", "payment-method-unavailable");
        expect(refused).to.have.property("message").that.contains("receive");
        expect(await ctx.db.manager.count(Bolt11)).to.equal(0);
        expect((await lightningOnly({ amount: "60000" })).methods[0]?.available).to.equal(true);
      });

      it("asks LND itself first: the watcher's state may be old", async () => {
        bench.node.limitReceivable(100_000n);
        expect(lightningOf(await create()).available).to.equal(true);
      });
    });

    it("of another amount, or of another hash, is never shown", async () => {
      const lying = {
        ...bench.lightning,
        addInvoice: (request: Parameters<typeof bench.lightning.addInvoice>[0]) =>
          bench.lightning.addInvoice({ ...request, amountSats: request.amountSats * 10n }),
      };
      const view = await buildInvoice({ ...ctx, lightning: serverNode(lying) }, { store });
      expect(lightningOf(view)).to.deep.equal({ bolt11: "", reason: "node-unavailable", available: false });
    });

    it("carries hints to private channels when the store wants them", async () => {
      await ctx.db.query("UPDATE stores SET private_route_hints = true");
      const { bolt11 } = lightningOf(await create());
      expect(decodeBolt11(bolt11).routeHints).not.to.have.length(0);
      await ctx.db.query("UPDATE stores SET private_route_hints = false");
      expect(decodeBolt11(lightningOf(await create()).bolt11).routeHints).to.have.length(0);
    });
  });

  describe("beside on-chain payments", () => {
    it("is not replaced while it is being paid", async () => {
      const { invoice, methods } = await create();
      const old = methods[1]?.destination ?? "";
      settling(old);
      await payOnchain(invoice.id, 40_000n);
      await decideInvoice(ctx, invoice.id);
      expect(await shown(invoice.id)).to.include({ bolt11: "", reason: "being-issued" });
      expect(await rows(invoice.id)).to.have.length(1);
      settle(old);
      await syncLightningInvoices(ctx, invoice.id);
      expect(await statusOf(invoice.id)).to.equal("Settled/None");
      expect((await read(invoice.id)).invoice.paidSats).to.equal(140_000n);
    });

    it("is hidden as soon as a part payment is decided, though LND is away", async () => {
      const { invoice, methods } = await create();
      await bench.node.stop();
      await payOnchain(invoice.id, 40_000n);
      await decideInvoice(ctx, invoice.id);
      expect(await shown(invoice.id)).to.include({ bolt11: "", reason: "being-issued" });
      await bench.node.restart();
      await syncOnceBack(invoice.id);
      expect(await nodeState(methods[1]?.destination ?? "")).to.equal("canceled");
      expect(decodeBolt11((await shown(invoice.id)).bolt11).amountMsat).to.equal(60_000_000n);
    });

    it("causes no call when LND hangs and its watcher says so: no worker waits for it", async () => {
      const { invoice, methods } = await create();
      bench.node.freeze();
      await payOnchain(invoice.id, 40_000n);
      await markNode(ctx, { checkedAt: await databaseNow(), fault: "away" });
      await decideInvoice(ctx, invoice.id);
      bench.node.thaw();
      expect(await nodeState(methods[1]?.destination ?? "")).to.equal("open");
      expect(await shown(invoice.id)).to.include({ bolt11: "", reason: "being-issued" });
      // A watcher that fell silent is believed no longer.
      await ctx.db.query("UPDATE lightning_nodes SET checked_at = checked_at - interval '1 minute'");
      await decideInvoice(ctx, invoice.id);
      expect(await nodeState(methods[1]?.destination ?? "")).to.equal("canceled");
    });
  });

  describe("of an invoice marked by hand", () => {
    it("as Invalid while LND is away is cancelled when it is back; an earlier payment is recorded, with a review and no event", async () => {
      const { invoice, methods } = await create();
      const bolt11 = methods[1]?.destination ?? "";
      await bench.node.pay(bolt11);
      await bench.node.stop();
      await markInvoice(ctx, store.id, invoice.id, { status: "Invalid" });
      await bench.node.restart();
      await syncOnceBack(invoice.id);
      expect(await toldEvents(invoice.id)).to.deep.equal(["New/None", "Invalid/None"]);
      expect(await payments(invoice.id)).to.have.length(1);
      expect(
        await ctx.db.query("SELECT reason FROM reviews WHERE invoice_id = $1", [invoice.id]),
      ).to.deep.equal([{ reason: "paid-invalid" }]);
    });
  });

  describe("at the invoice's expiry", () => {
    it("is being paid in parts of which some are missing: LND returns them, Expired/None", async () => {
      const { invoice, methods } = await lightningOnly();
      bench.node.hold(methods[0]?.destination ?? "");
      await afterExpiry();
      await decideInvoice(ctx, invoice.id);
      expect(await statusOf(invoice.id)).to.equal("Expired/None");
      expect(await nodeState(methods[0]?.destination ?? "")).to.equal("canceled");
    });

    it("waits for LND at most EXPIRY_HOLD_MINUTES; a payment found later is PaidAfterExpiration", async () => {
      const { invoice, methods } = await create();
      await bench.node.pay(methods[1]?.destination ?? "");
      await bench.node.stop();
      ctx.clock.advance(59 * MINUTE);
      await afterExpiry();
      await decideInvoice(ctx, invoice.id);
      expect(await statusOf(invoice.id)).to.equal("New/None");
      ctx.clock.advance(MINUTE);
      await lookedAtChain(ctx);
      await decideInvoice(ctx, invoice.id);
      expect(await statusOf(invoice.id)).to.equal("Expired/None");
      await bench.node.restart();
      await syncOnceBack(invoice.id);
      expect(await toldEvents(invoice.id)).to.deep.equal([
        "New/None",
        "Expired/None",
        "Settled/PaidAfterExpiration",
      ]);
    });

    it("is not waited for when LND never issued it", async () => {
      await bench.node.stop();
      const { invoice } = await create();
      await afterExpiry();
      await changeInvoice(ctx, invoice.id);
      expect(await statusOf(invoice.id)).to.equal("Expired/None");
      expect((await rows(invoice.id)).map(({ state }) => state)).to.deep.equal(["canceled"]);
      await bench.node.restart();
    });

    it("is not waited for when LND's own clock ended it", async () => {
      const { invoice } = await create();
      bench.node.advanceClock(EXPIRY / 1_000 + 60);
      await afterExpiry();
      await decideInvoice(ctx, invoice.id);
      expect(await statusOf(invoice.id)).to.equal("Expired/None");
    });

    it("counts as paid in time with an LND whose clock is five minutes ahead", async () => {
      const { invoice, methods } = await create();
      bench.node.advanceClock(5 * 60);
      ctx.clock.advance(EXPIRY - 10_000);
      await bench.node.pay(methods[1]?.destination ?? "");
      ctx.clock.advance(30_000);
      await lookedAtChain(ctx);
      await decideInvoice(ctx, invoice.id);
      expect(await toldEvents(invoice.id)).to.deep.equal(["New/None", "Settled/None"]);
    });
  });

  describe("when LND's clock is wrong", () => {
    const runs = (seconds: number): void => {
      bench.node.core.nowSeconds = () => Math.floor(Date.now() / 1_000) + seconds;
    };
    const alerts = (): Promise<Alert[]> => ctx.db.manager.findBy(Alert, { kind: "lightning-clock" });

    it("is shown with an alert when it is off by minutes, until the next BOLT11 shows that it is right", async () => {
      runs(-120);
      expect(lightningOf(await create()).available).to.equal(true);
      runs(-110);
      await create();
      expect((await alerts()).map(({ resolvedAt }) => resolvedAt)).to.deep.equal([null]);
      runs(0);
      await create();
      expect((await alerts())[0]?.resolvedAt).to.be.instanceOf(Date);
    });

    it("is not shown when wallets would refuse it", async () => {
      runs(-20 * 60);
      const { invoice } = await create();
      expect(await shown(invoice.id)).to.deep.equal({ bolt11: "", reason: "node-clock", available: false });
      await syncLightningInvoices(ctx, invoice.id);
      expect((await shown(invoice.id)).reason).to.equal("node-clock");
      expect((await alerts())[0]).to.include({ severity: "critical", resolvedAt: null });
    });
  });

  describe("that LND does not know any more", () => {
    async function anotherNode(): Promise<{
      node: SimulatedLnd;
      other: TestContext;
      close: () => Promise<void>;
    }> {
      const node = await SimulatedLnd.start();
      const lightning = makeLndClient(lndSettingsOf(node.grpc), TEST_LND_TIMES);
      const close = async (): Promise<void> => {
        lightning.close();
        await node.stop();
      };
      return { node, other: { ...ctx, lightning: serverNode(lightning) }, close };
    }

    it("and issued itself (its database was lost) is over: a new one is issued", async () => {
      const { invoice, methods } = await create();
      const { node, other, close } = await anotherNode();
      await ctx.db.manager.update(Bolt11, { invoiceId: invoice.id }, { nodeKey: node.nodeKey });
      await syncLightningInvoices(other, invoice.id);
      const { bolt11 } = await shown(invoice.id);
      expect(bolt11).not.to.equal(methods[1]?.destination);
      expect(decodeBolt11(bolt11).payeeKey).to.equal(node.nodeKey);
      await close();
    });

    it("and whose node its macaroon hides is not over while the node knows another one's BOLT11s", async () => {
      const { invoice } = await create();
      const { node, close } = await anotherNode();
      const hidden = makeLndClient(lndSettingsOf(node.grpc, "invoice"), TEST_LND_TIMES);
      const blind = { ...ctx, lightning: serverNode(hidden) };
      await buildInvoice(blind, { store });
      await ctx.db.query(
        "UPDATE bolt11s SET expires_at = clock_timestamp() - interval '1 second' WHERE invoice_id = $1",
        [invoice.id],
      );
      await syncLightningInvoices(blind, invoice.id);
      expect((await rows(invoice.id)).map(({ state }) => state)).to.deep.equal(["open"]);
      hidden.close();
      await close();
    });

    it("is decided after the hold when its node never comes back", async () => {
      const { invoice } = await create();
      const { other, close } = await anotherNode();
      ctx.clock.advance(60 * MINUTE);
      await afterExpiry();
      await decideInvoice(other, invoice.id);
      expect(await statusOf(invoice.id)).to.equal("Expired/None");
      await close();
    });
  });
});
