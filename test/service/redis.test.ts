import { expect } from "chai";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { eventually } from "../support/eventually";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";
import { Service } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
/** A wait for the queue would take until it is back, or the request's own deadline of 30 s. */
const CREATION_MS = 20_000;

describe("end to end, with the queues on Redis", () => {
  let node: SimulatedNode;
  let redis: TestRedis;
  let service: Service;

  before(async function () {
    this.timeout(120_000);
    if (!redisAvailable()) return this.skip();
    node = await SimulatedNode.start();
    redis = await testRedis();
    service = await Service.start({ bitcoindRpcUrl: node.rpcUrl, redisUrl: redis.url });
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await redis?.stop();
    await node?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it("publishes New, Processing and Settled once each", async function () {
    this.timeout(60_000);
    const invoice = await service.createInvoice();
    await node.pay(invoice.address, 100_000n);
    await service.told(invoice.invoiceId, [NEW, PROCESSING]);
    await node.mine(1);
    await service.told(invoice.invoiceId, [NEW, PROCESSING, SETTLED]);
    await service.verify();
    service.expectSigned();
  });

  it("creates invoices while Redis is away, and sends everything when it is back and empty", async function () {
    this.timeout(90_000);
    const before = await service.createInvoice();
    await node.pay(before.address, 100_000n);
    await service.told(before.invoiceId, [NEW, PROCESSING]);
    await redis.kill();
    const asked = performance.now();
    const created = await service.createInvoice();
    expect(performance.now() - asked).to.be.below(CREATION_MS);
    await node.pay(created.address, 100_000n);
    await eventually(async () => {
      const { payments } = await service.readInvoice(created.invoiceId);
      expect(payments).to.have.lengthOf(1);
    });
    await node.mine(1);
    const health: unknown = await (await fetch(`${service.base}/api/v1/health`)).json();
    expect(health).to.have.nested.property("checks.queue.status", "degraded");
    await redis.start();
    await service.told(before.invoiceId, [NEW, PROCESSING, SETTLED]);
    await service.told(created.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
    await service.verify();
    service.expectSigned();
  });
});
