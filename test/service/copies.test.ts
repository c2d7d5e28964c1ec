import { expect } from "chai";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { APPS, Service } from "../support/service";

const INVOICES = 20;
/** A lease is valid for 10 s; who stands by asks for it every second. */
const FAILOVER_MS = 15_000;

describe("two copies of each app, as after `pm2 scale`", () => {
  let node: SimulatedNode;
  let service: Service;

  before(async function () {
    this.timeout(120_000);
    node = await SimulatedNode.start();
    service = await Service.start({ bitcoindRpcUrl: node.rpcUrl, apps: [...APPS, ...APPS] });
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await node?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it("publish each event once", async function () {
    this.timeout(60_000);
    const invoices = await Promise.all(Array.from({ length: INVOICES }, () => service.createInvoice()));
    await node.payMany(invoices.map(({ address }) => ({ address, amountSats: 100_000n })));
    for (const { invoiceId } of invoices) await service.told(invoiceId, ["New/None", "Processing/None"]);
    await node.mine(1);
    for (const { invoiceId } of invoices)
      await service.told(invoiceId, ["New/None", "Processing/None", "Settled/None"]);
    await service.verify();
    service.expectSigned();
  });

  it("continue within 15 s when the leading chain-watch is killed, with what was paid meanwhile", async function () {
    this.timeout(60_000);
    const [paidBefore, paidMeanwhile] = [await service.createInvoice(), await service.createInvoice()];
    await node.pay(paidBefore.address, 100_000n);
    await service.told(paidBefore.invoiceId, ["New/None", "Processing/None"]);
    const first = await service.leader("chain-watch");
    first.kill("SIGKILL");
    await first.exited;
    const killedAt = performance.now();
    await node.mine(1);
    await node.pay(paidMeanwhile.address, 100_000n);
    await service.told(paidMeanwhile.invoiceId, ["New/None", "Processing/None"]);
    const tookMs = service.cameAt(paidMeanwhile.invoiceId, "Processing/None") - killedAt;
    process.stdout.write(`      leader killed → payment made meanwhile told: ${Math.round(tookMs)} ms\n`);
    expect(tookMs).to.be.below(FAILOVER_MS);
    await service.told(paidBefore.invoiceId, ["New/None", "Processing/None", "Settled/None"]);
    expect((await service.leader("chain-watch")).pid).not.to.equal(first.pid);
    await node.mine(1);
    await service.told(paidMeanwhile.invoiceId, ["New/None", "Processing/None", "Settled/None"]);
    await service.verify();
  });

  it("lose and double nothing when one of each is killed while invoices are created and paid", async function () {
    this.timeout(180_000);
    for (const app of APPS) while (service.processesOf(app).length < 2) await service.startApp(app);
    const invoices = await Promise.all(Array.from({ length: INVOICES }, () => service.createInvoice()));
    const paying = (async () => {
      for (const { address } of invoices) await node.pay(address, 100_000n);
    })();
    for (const app of APPS) {
      const [, second] = service.processesOf(app);
      // A request that has left is never sent again by itself (webhook-fence.test.ts): its process ends as a deployment ends it.
      second?.kill(app === "webhook-delivery" ? "SIGTERM" : "SIGKILL");
      await second?.exited;
      invoices.push(await service.createInvoice());
    }
    await paying;
    await node.payMany(invoices.slice(INVOICES).map(({ address }) => ({ address, amountSats: 100_000n })));
    for (const { invoiceId } of invoices) await service.told(invoiceId, ["New/None", "Processing/None"]);
    await node.mine(1);
    for (const { invoiceId } of invoices)
      await service.told(invoiceId, ["New/None", "Processing/None", "Settled/None"]);
    await service.verify();
    service.expectSigned();
  });
});
