import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { decodeBolt11 } from "../../domain/lightning/decode-bolt11";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import type { LightningNode, LightningPayment } from "../support/devnet/lightning-node";
import { TcpGate } from "../support/devnet/tcp-gate";
import { eventually } from "../support/eventually";
import { mineEmpty } from "../support/node-tricks";
import { Service, type InvoiceJson, type PayableInvoice } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const EXPIRED = "Expired/None";
const OVERPAID = "Settled/Overpaid";
const LATE = "Settled/PaidAfterExpiration";

/** Larger than one of the real customer's two channels. */
const LARGE_SATS = 6_000_000;

export interface Nodes {
  chain: BitcoinNode;
  lnd: LightningNode;
}

/**
 * The whole road by Lightning, from an invoice over REST and a customer's payment to the signed webhook, with every
 * process of the service running: the same stories with the simulated nodes and with real ones. What must always
 * hold is checked after each.
 */
export function lightningStories(startNodes: () => Promise<Nodes>): void {
  let chain: BitcoinNode;
  let lnd: LightningNode;
  let gate: TcpGate;
  let service: Service;
  let folder: string;
  let storyBegan = new Date();
  const settledMs: number[] = [];

  const file = (name: string): string => path.join(folder, name);
  const lndPort = (): number => Number(lnd.grpc.url.split(":").at(-1));

  before(async function () {
    this.timeout(180_000);
    ({ chain, lnd } = await startNodes());
    gate = TcpGate.make(0);
    await gate.open(lndPort());
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-lnd-files-"));
    writeFileSync(file("tls.cert"), lnd.grpc.tlsCert);
    writeFileSync(file("quittance.macaroon"), lnd.grpc.adminMacaroon);
    service = await Service.start({
      bitcoindRpcUrl: chain.rpcUrl,
      lndEnvironment: {
        LND_GRPC_URL: `127.0.0.1:${gate.port}`,
        LND_TLS_CERT_FILE: file("tls.cert"),
        LND_MACAROON_FILE: file("quittance.macaroon"),
      },
    });
    await untilWatched();
  });
  after(async function () {
    this.timeout(60_000);
    const sorted = settledMs.toSorted((a, b) => a - b);
    const [middle = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    process.stdout.write(
      `      BOLT11 paid → Settled received: ${Math.round(middle)} ms (median of ${sorted.length}; slowest ${Math.round(slowest)} ms)\n`,
    );
    await service?.stop();
    await gate?.close();
    await lnd?.stop();
    await chain?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => void (storyBegan = new Date()));
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs(storyBegan));
  });

  /** A story, and after it what must hold in any case. */
  function story(title: string, tell: () => Promise<void>): void {
    it(title, async function () {
      this.timeout(150_000);
      await tell();
      await service.verify();
    });
  }

  async function lightningHealth(): Promise<{ status: string; reason?: string }> {
    const answer = await fetch(`${service.base}/api/v1/health`);
    const { checks } = (await answer.json()) as {
      checks: { lightning: { status: string; reason?: string } };
    };
    return checks.lightning;
  }

  async function untilWatched(): Promise<void> {
    await eventually(async () => expect(await lightningHealth()).to.deep.equal({ status: "ok" }), 60_000);
  }

  /** The customer pays, and the merchant is notified. */
  async function payAndSettle(
    { invoiceId, bolt11 }: PayableInvoice,
    event = SETTLED,
  ): Promise<LightningPayment> {
    const paying = performance.now();
    const payment = await lnd.pay(bolt11);
    await eventually(() => expect(service.eventsOf(invoiceId)).to.include(event), 40_000);
    settledMs.push(service.cameAt(invoiceId, event) - paying);
    return payment;
  }

  /** Waits for an event after LND was away: the next attempt to reach it is half a minute away at most. */
  async function untilTold(invoiceId: string, event: string): Promise<void> {
    await eventually(() => expect(service.eventsOf(invoiceId)).to.include(event), 60_000);
  }

  /** Whether the customer's payment went through. */
  function pays(bolt11: string): Promise<boolean> {
    return lnd.pay(bolt11).then(
      () => true,
      () => false,
    );
  }

  function methodOf(invoice: InvoiceJson): InvoiceJson["paymentMethods"][number] {
    const method = invoice.paymentMethods.find(({ type }) => type === "BTC-LN");
    if (!method) throw new Error("the invoice does not offer Lightning");
    return method;
  }

  /** Waits for a BOLT11 over an amount; answers it. */
  async function untilBolt11(invoiceId: string, sats: number): Promise<string> {
    return eventually(async () => {
      const invoice = await service.readInvoice(invoiceId);
      const { destination, available } = methodOf(invoice);
      expect(available).to.equal(true);
      expect(decodeBolt11(destination ?? "").amountMsat).to.equal(BigInt(sats) * 1_000n);
      expect(invoice.paymentUri).to.match(new RegExp(`lightning=${destination}`, "i"));
      return destination ?? "";
    }, 40_000);
  }

  /** A new invoice, and its BOLT11: later where the API has not found its way back to LND yet. */
  async function createPayable(): Promise<PayableInvoice> {
    const invoice = await service.createInvoice();
    return { ...invoice, bolt11: invoice.bolt11 || (await untilBolt11(invoice.invoiceId, invoice.dueSats)) };
  }

  /**
   * Waits until none is shown and LND has confirmed that `bolt11` is cancelled, which comes a moment later; nobody can
   * pay it then.
   */
  async function untilUnpayable(invoiceId: string, bolt11: string): Promise<void> {
    await eventually(async () => {
      const { available, destination } = methodOf(await service.readInvoice(invoiceId));
      expect({ available, destination }).to.deep.equal({ available: false, destination: null });
      const [row] = await service.db.query<object[]>(`SELECT state FROM bolt11s WHERE bolt11 = $1`, [bolt11]);
      expect(row).to.deep.equal({ state: "canceled" });
    }, 40_000);
    expect(await pays(bolt11), "the customer could pay").to.equal(false);
  }

  /**
   * Ends an invoice's time, and makes the service check the nodes and decide. Empty blocks wake chain-watch, which
   * would check by itself within 5 s.
   */
  async function expire(invoiceId: string): Promise<InvoiceJson> {
    await service.endTime(invoiceId);
    return check(invoiceId);
  }

  /** Not more often: a check is complete only where the chain stood still for it. */
  async function check(invoiceId: string): Promise<InvoiceJson> {
    const checking = service.check(invoiceId);
    const woken = setInterval(() => void mineEmpty(chain).catch(() => undefined), 2_000);
    try {
      return await checking;
    } finally {
      clearInterval(woken);
    }
  }

  /** As `expire`, until it is decided so: a check that could not be completed in its time leaves the invoice as it is. */
  async function expireAs(invoiceId: string, wanted: Partial<InvoiceJson>): Promise<void> {
    await service.endTime(invoiceId);
    await eventually(async () => expect(await check(invoiceId)).to.include(wanted), 60_000);
  }

  describe("paid", () => {
    story("publishes New and Settled once each and never Processing, with the proof of payment", async () => {
      const metadata = { orderId: "ORDER-⚡-1" };
      const invoice = await service.createInvoice({ metadata });
      expect(methodOf(invoice)).to.include({ available: true });
      expect(decodeBolt11(invoice.bolt11)).to.include({ amountMsat: 100_000_000n, payeeKey: lnd.nodeKey });
      await service.told(invoice.invoiceId, [NEW]);
      const { preimage } = await payAndSettle(invoice);
      const read = await service.readInvoice(invoice.invoiceId);
      expect(read).to.deep.include({
        status: "Settled",
        paidSats: 100_000,
        confirmedSats: 100_000,
        metadata,
      });
      expect(read.payments).to.have.lengthOf(1);
      expect(read.payments[0]).to.include({
        type: "BTC-LN",
        state: "confirmed",
        amountSats: 100_000,
        late: false,
        paymentHash: decodeBolt11(invoice.bolt11).paymentHash,
        preimage,
      });
      await service.told(invoice.invoiceId, [NEW, SETTLED]);
      service.expectSigned();
    });

    story("settles an amount too large for one channel that comes in parts", async () => {
      const invoice = await service.createInvoice({ amount: String(LARGE_SATS) });
      await payAndSettle(invoice);
      expect(await service.readInvoice(invoice.invoiceId)).to.include({ confirmedSats: LARGE_SATS });
      await service.told(invoice.invoiceId, [NEW, SETTLED]);
    });
  });

  describe("with the node's own report", () => {
    story("passes the operator's doctor", async () => {
      expect(await service.doctor("lightning")).to.deep.equal([
        "lightning ok",
        "lightning-rights ok",
        "lightning-network ok",
        "lightning-sync ok",
        "lightning-receivable ok",
      ]);
    });
  });

  describe("not payable any more", () => {
    story("cannot be paid after it has expired", async () => {
      const invoice = await service.createInvoice();
      await expireAs(invoice.invoiceId, { status: "Expired", additionalStatus: "None" });
      await untilUnpayable(invoice.invoiceId, invoice.bolt11);
      await service.told(invoice.invoiceId, [NEW, EXPIRED]);
    });

    story("is settled, or not accepted, when it is paid in the last moment", async () => {
      for (let round = 0; round < 8; round++) {
        const { invoiceId, bolt11 } = await service.createInvoice({ amount: "1000" });
        const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
        const [paid] = await Promise.all([later(round * 10).then(() => pays(bolt11)), expire(invoiceId)]);
        // Paid in the second after that of its expiry it is late.
        if (paid) await service.told(invoiceId, [NEW, SETTLED], [NEW, EXPIRED, LATE]);
        else await service.told(invoiceId, [NEW, EXPIRED]);
      }
    });
  });

  describe("with both payment methods", () => {
    story("has a BOLT11 for what an on-chain part leaves, and settles by both", async () => {
      const invoice = await service.createInvoice();
      await chain.pay(invoice.address, 40_000n);
      const rest = await untilBolt11(invoice.invoiceId, 60_000);
      expect(await pays(invoice.bolt11), "the first BOLT11 could be paid").to.equal(false);
      await lnd.pay(rest);
      await service.told(invoice.invoiceId, [NEW, PROCESSING]);
      await chain.mine(1);
      await service.told(invoice.invoiceId, [NEW, PROCESSING, SETTLED]);
      const read = await service.readInvoice(invoice.invoiceId);
      expect(read).to.include({ paidSats: 100_000, confirmedSats: 100_000 });
      expect(read.payments.map(({ type }) => type)).to.have.members(["BTC-CHAIN", "BTC-LN"]);
    });

    story("cannot be paid by Lightning too after it is paid on-chain", async () => {
      const invoice = await service.createInvoice();
      await chain.pay(invoice.address, 100_000n);
      await service.told(invoice.invoiceId, [NEW, PROCESSING]);
      await untilUnpayable(invoice.invoiceId, invoice.bolt11);
      await chain.mine(1);
      await service.told(invoice.invoiceId, [NEW, PROCESSING, SETTLED]);
    });

    story("is Overpaid with both payments when both were made before anybody could know", async () => {
      const invoice = await service.createInvoice();
      await service.stopApp("chain-watch");
      await chain.pay(invoice.address, 100_000n);
      // With few processes both are found at the next start, in whichever order.
      await (service.isFew ? lnd.pay(invoice.bolt11) : payAndSettle(invoice));
      await service.startApp("chain-watch");
      await service.untilPayments(invoice.invoiceId, "confirmed", "pending");
      await chain.mine(1);
      if (service.isFew) await untilTold(invoice.invoiceId, OVERPAID);
      else await service.told(invoice.invoiceId, [NEW, SETTLED, OVERPAID]);
      await eventually(async () => {
        const read = await service.readInvoice(invoice.invoiceId);
        expect(read).to.include({ status: "Settled", additionalStatus: "Overpaid", confirmedSats: 200_000 });
      });
    });
  });

  describe("during an outage", () => {
    story("settles a payment after LND was restarted, with new streams and certificate", async () => {
      const before = await createPayable();
      await lnd.restart();
      await lnd.pay(before.bolt11);
      await untilTold(before.invoiceId, SETTLED);
      const after = await createPayable();
      await lnd.restart({ newCertificate: true });
      writeFileSync(file("tls.cert"), lnd.grpc.tlsCert);
      await untilWatched();
      await payAndSettle(after);
      for (const { invoiceId } of [before, after]) await service.told(invoiceId, [NEW, SETTLED]);
    });

    story(
      "accepts on-chain payments while the wallet is locked, and has a BOLT11 once it is unlocked",
      async () => {
        const open = await createPayable();
        await lnd.lock();
        await eventually(async () => {
          const { status, reason } = await lightningHealth();
          expect(status).to.equal("degraded");
          expect(reason).to.match(/locked/);
        }, 60_000);
        const created = await service.createInvoice();
        expect(methodOf(created)).to.include({ available: false, destination: null });
        expect(methodOf(created).reason).to.match(/^[a-z-]+$/);
        const onChain = await service.createInvoice();
        await chain.pay(onChain.address, 100_000n);
        await service.told(onChain.invoiceId, [NEW, PROCESSING]);
        await lnd.unlock();
        await lnd.pay(open.bolt11);
        await untilTold(open.invoiceId, SETTLED);
        await lnd.pay(await untilBolt11(created.invoiceId, 100_000));
        for (const { invoiceId } of [open, created]) await service.told(invoiceId, [NEW, SETTLED]);
        await untilWatched();
        await chain.mine(1);
        await service.told(onChain.invoiceId, [NEW, PROCESSING, SETTLED]);
      },
    );
  });
}
