import { expect } from "chai";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import { eventually } from "../support/eventually";
import { startGate, type Gate } from "../support/gate";
import { mineEmpty } from "../support/node-tricks";
import { bodyOf, Service, type InvoiceJson } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const EXPIRED = "Expired/None";
const LATE = "Settled/PaidAfterExpiration";

/**
 * The whole road, from an invoice over REST and a customer's payment to the signed webhook, with every process of
 * the service running: the same stories with the simulated node and with a real bitcoind. What must always hold is
 * checked after each.
 */
export function roadStories(startNode: () => Promise<BitcoinNode>): void {
  let node: BitcoinNode;
  let gate: Gate;
  let service: Service;
  /** Made first and left alone: see the last story. */
  let forgotten: InvoiceJson;
  let storyBegan = new Date();
  const timings = new Map<string, number[]>();

  before(async function () {
    this.timeout(120_000);
    node = await startNode();
    gate = await startGate(node.rpcUrl);
    service = await Service.start({ bitcoindRpcUrl: gate.url });
    forgotten = await service.createInvoice({ expiresInSeconds: 30 });
    await caughtUp();
  });
  after(async function () {
    this.timeout(60_000);
    for (const [what, ms] of timings) {
      const sorted = ms.toSorted((a, b) => a - b);
      const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
      process.stdout.write(
        `      ${what}: ${Math.round(middle)} ms (median of ${ms.length}; slowest ${Math.round(sorted.at(-1) ?? 0)} ms)\n`,
      );
    }
    await service?.stop();
    await gate?.shut();
    await node?.stop();
  });
  beforeEach(() => void (storyBegan = new Date()));
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs(storyBegan));
  });

  /** A story, and after it what must hold in any case. */
  function story(title: string, tell: () => Promise<void>): void {
    it(title, async function () {
      this.timeout(90_000);
      await tell();
      await service.verify();
    });
  }

  /** Waits until the service has checked the node as it is now. */
  async function caughtUp(): Promise<void> {
    const [now] = await service.db.query<{ at: Date }[]>("SELECT clock_timestamp() AS at");
    await mineEmpty(node);
    await eventually(async () => {
      const [sync] = await service.db.query<{ at: Date | null }[]>(
        "SELECT caught_up_to AS at FROM payment_method_syncs",
      );
      return Boolean(sync?.at && now && sync.at > now.at);
    }, 40_000);
  }

  /** The merchant has an invoice checked; empty blocks wake the service, which would check by itself within 5 s. */
  async function check(invoiceId: string): Promise<InvoiceJson> {
    const checking = service.check(invoiceId);
    const woken = setInterval(() => void mineEmpty(node).catch(() => undefined), 2_000);
    try {
      return await checking;
    } finally {
      clearInterval(woken);
    }
  }

  /** Ends an invoice's time, and makes the service check the node and decide. */
  async function expire(invoiceId: string, ...[status, additionalStatus]: string[]): Promise<void> {
    await service.endTime(invoiceId);
    // A check that could not be completed in its time leaves the invoice as it is.
    await eventually(
      async () => expect(await check(invoiceId)).to.include({ status, additionalStatus }),
      60_000,
    );
  }

  /** Pays an invoice and waits for Processing. */
  async function payInFull(invoice: {
    invoiceId: string;
    address: string;
    dueSats: number;
  }): Promise<string> {
    const paying = performance.now();
    const txid = await node.pay(invoice.address, BigInt(invoice.dueSats));
    await eventually(() => expect(service.eventsOf(invoice.invoiceId)).to.include(PROCESSING), 40_000);
    note("payment made → Processing received", service.cameAt(invoice.invoiceId, PROCESSING) - paying);
    return txid;
  }

  /** Mines and waits for the settlement. */
  async function confirm(invoiceId: string, event: string): Promise<void> {
    const mining = performance.now();
    await node.mine(1);
    await eventually(() => expect(service.eventsOf(invoiceId)).to.include(event), 40_000);
    note("block mined → Settled received", service.cameAt(invoiceId, event) - mining);
  }

  function note(what: string, ms: number): void {
    timings.set(what, [...(timings.get(what) ?? []), ms]);
  }

  async function alertsOf(invoiceId: string, kind: string): Promise<{ open: boolean }[]> {
    return service.db.query(
      `SELECT resolved_at IS NULL AS open FROM alerts WHERE invoice_id = $1 AND kind = $2 ORDER BY at`,
      [invoiceId, kind],
    );
  }

  /** One for the store, however many of its invoices wait. */
  async function heldAlerts(): Promise<{ open: boolean }[]> {
    return service.db.query(
      `SELECT resolved_at IS NULL AS open FROM alerts WHERE kind = 'expiry-held' ORDER BY at DESC LIMIT 1`,
    );
  }

  describe("paid in time", () => {
    story(
      "publishes New, Processing and Settled once each, signed both ways, with metadata as sent",
      async () => {
        const metadata = { orderId: "ORDER-ü-1", items: [{ sku: "B", n: 2 }, "x"], a: null, total: 1.5 };
        const invoice = await service.createInvoice({ metadata });
        await service.told(invoice.invoiceId, [NEW]);
        await payInFull(invoice);
        expect(await service.readInvoice(invoice.invoiceId)).to.include({
          status: "Processing",
          paidSats: 100_000,
        });
        await confirm(invoice.invoiceId, SETTLED);
        const read = await service.readInvoice(invoice.invoiceId);
        expect(read).to.deep.include({
          status: "Settled",
          additionalStatus: "None",
          paidSats: 100_000,
          confirmedSats: 100_000,
          metadata,
        });
        expect(read.payments).to.have.lengthOf(1);
        expect(read.payments[0]).to.include({
          state: "confirmed",
          amountSats: 100_000,
          confirmations: 1,
          late: false,
        });
        await service.told(invoice.invoiceId, [NEW, PROCESSING, SETTLED]);
        const requests = service.requestsOf(invoice.invoiceId);
        for (const { body } of requests)
          expect(bodyOf(body)).to.deep.include({ invoiceId: invoice.invoiceId, metadata });
        expect(new Set(requests.map(({ headers }) => headers["x-service-event-id"])).size).to.equal(3);
        service.expectSigned();
      },
    );
  });

  describe("paid in part or late", () => {
    story("settles a late payment in full as PaidAfterExpiration, never by way of Processing", async () => {
      const invoice = await service.createInvoice();
      await expire(invoice.invoiceId, "Expired", "None");
      await nextSecond();
      await node.pay(invoice.address, 100_000n);
      const { payments } = await service.until(invoice.invoiceId, { paidSats: 100_000, status: "Expired" });
      expect(payments[0]).to.include({ late: true });
      await confirm(invoice.invoiceId, LATE);
      await service.told(invoice.invoiceId, [NEW, EXPIRED, LATE]);
      const about = [invoice.invoiceId];
      expect(await service.db.query("SELECT reason FROM reviews WHERE invoice_id = $1", about)).to.deep.equal(
        [{ reason: "paid-late" }],
      );
    });
  });

  describe("replaced and double-spent", () => {
    story("counts a fee bump that still pays as the same payment: no event, no doubled sum", async () => {
      const invoice = await service.createInvoice();
      const first = await payInFull(invoice);
      const second = await node.bump(first);
      const bumped = await service.untilPayments(invoice.invoiceId, "replaced", "pending");
      expect(bumped).to.include({ status: "Processing", paidSats: 100_000 });
      expect(bumped.payments.find(({ txid }) => txid === first)).to.include({ replacedByTxid: second });
      await confirm(invoice.invoiceId, SETTLED);
      expect(await service.readInvoice(invoice.invoiceId)).to.include({ confirmedSats: 100_000 });
      await service.told(invoice.invoiceId, [NEW, PROCESSING, SETTLED]);
    });
  });

  describe("reorganised", () => {
    story(
      "stays Settled when its payment leaves the chain, raises an alert, and resolves it when it returns",
      async () => {
        const invoice = await service.createInvoice();
        const txid = await payInFull(invoice);
        await confirm(invoice.invoiceId, SETTLED);
        await node.reorg(1, { exclude: [txid] });
        await service.untilPayments(invoice.invoiceId, "pending");
        expect(await check(invoice.invoiceId)).to.include({ status: "Settled" });
        expect(await alertsOf(invoice.invoiceId, "reorganisation")).to.deep.equal([{ open: true }]);
        await node.mine(1);
        await service.untilPayments(invoice.invoiceId, "confirmed");
        expect(await check(invoice.invoiceId)).to.include({
          status: "Settled",
          confirmedSats: 100_000,
        });
        expect(await alertsOf(invoice.invoiceId, "reorganisation")).to.deep.equal([{ open: false }]);
        await service.told(invoice.invoiceId, [NEW, PROCESSING, SETTLED]);
      },
    );
  });

  describe("during an outage", () => {
    // With few processes all workers are away with it, and nobody is there to alert.
    story("settles a payment in time while chain-watch was away past the expiry", async () => {
      const mined = await service.createInvoice();
      const unmined = await service.createInvoice();
      const unpaid = await service.createInvoice();
      await service.stopApp("chain-watch");
      await node.pay(mined.address, 100_000n);
      const [hash] = await node.mine(1);
      await node.pay(unmined.address, 100_000n);
      await pastTimeOf(hash ?? "");
      await expectNew(mined, unmined, unpaid);
      if (!service.isFew) await expectAlert();
      await service.startApp("chain-watch");
      await check(unpaid.invoiceId);
      await service.told(mined.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
      await service.told(unmined.invoiceId, [NEW, PROCESSING]);
      await service.told(unpaid.invoiceId, [NEW, EXPIRED]);
      if (!service.isFew)
        await eventually(async () => expect(await heldAlerts()).to.deep.equal([{ open: false }]), 30_000);
      await confirm(unmined.invoiceId, SETTLED);
      await service.told(unmined.invoiceId, [NEW, PROCESSING, SETTLED]);
    });

    story("holds the expiry while the node is away, and decides it when the node is back", async () => {
      const unpaid = await service.createInvoice();
      const paid = await service.createInvoice();
      await gate.shut();
      await node.pay(paid.address, 100_000n);
      await expectNew(unpaid, paid);
      await expectAlert();
      const health: unknown = await (await fetch(`${service.base}/api/v1/health`)).json();
      expect(health).to.have.nested.property("checks.bitcoin.status", "degraded");
      await gate.open();
      await service.told(paid.invoiceId, [NEW, PROCESSING]);
      await service.told(unpaid.invoiceId, [NEW, EXPIRED]);
      await confirm(paid.invoiceId, SETTLED);
      await service.told(paid.invoiceId, [NEW, PROCESSING, SETTLED]);
    });

    story("settles a payment made and confirmed while the whole service was down", async () => {
      const confirmed = await service.createInvoice();
      const seen = await service.createInvoice();
      await service.told(seen.invoiceId, [NEW]);
      await service.stopAll();
      await node.pay(confirmed.address, 100_000n);
      await node.mine(1);
      await node.pay(seen.address, 100_000n);
      await service.startAll();
      await service.told(confirmed.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
      await service.told(seen.invoiceId, [NEW, PROCESSING]);
      await confirm(seen.invoiceId, SETTLED);
      await service.told(seen.invoiceId, [NEW, PROCESSING, SETTLED]);
    });
  });

  describe("left alone", () => {
    story("expires after its 30 s", async () => {
      await service.told(forgotten.invoiceId, [NEW, EXPIRED]);
      service.expectSigned();
    });
  });

  /** Ends their time: they wait. */
  async function expectNew(...invoices: InvoiceJson[]): Promise<void> {
    for (const { invoiceId } of invoices) await service.endTime(invoiceId);
    const looked = await Promise.all(invoices.map(({ invoiceId }) => service.check(invoiceId)));
    for (const { status } of looked) expect(status).to.equal("New");
  }

  async function expectAlert(): Promise<void> {
    await eventually(async () => expect(await heldAlerts()).to.deep.equal([{ open: true }]), 30_000);
  }

  /** Nodes count whole seconds: what comes in the second of the expiry is in time. */
  async function nextSecond(): Promise<void> {
    const second = Math.floor(Date.now() / 1_000);
    await eventually(() => Math.floor(Date.now() / 1_000) > second);
  }

  /** Block times rise by a second every six blocks at least: where many are mined at once they run ahead of the clock. */
  async function pastTimeOf(hash: string): Promise<void> {
    const { time } = await node.rpc<{ time: number }>("getblockheader", hash);
    await eventually(async () => {
      const [now] = await service.db.query<{ past: boolean }[]>(
        "SELECT clock_timestamp() > to_timestamp($1) AS past",
        [time],
      );
      return now?.past === true;
    }, 60_000);
  }
}
