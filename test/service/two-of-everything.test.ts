import { expect } from "chai";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { eventually } from "../support/eventually";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";
import { APPS, Service, type PayableInvoice } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const PRICE_SATS = 100_000n;

/** What one does who outgrows one machine, on one: nothing may break while one of each goes away. */
describe("two copies of each app, with the queues on Redis", function () {
  this.timeout(120_000);
  let node: SimulatedNode;
  let redis: TestRedis;
  let service: Service;
  const invoices: PayableInvoice[] = [];

  before(async () => {
    if (!redisAvailable()) return;
    [node, redis] = await Promise.all([SimulatedNode.start(), testRedis()]);
    service = await Service.start({
      bitcoindRpcUrl: node.rpcUrl,
      redisUrl: redis.url,
      apps: [...APPS, ...APPS],
    });
  });
  beforeEach(function () {
    if (!redisAvailable()) this.skip();
  });
  after(async () => {
    await service?.stop();
    await redis?.stop();
    await node?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  /** At the copies of the api in turn. */
  async function sell(count: number): Promise<PayableInvoice[]> {
    const bases = service.bases();
    const made = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        service.createInvoice({}, service.shop, bases[at % bases.length]),
      ),
    );
    invoices.push(...made);
    return made;
  }
  const pay = (made: readonly PayableInvoice[]) =>
    node.payMany(made.map(({ address }) => ({ address, amountSats: PRICE_SATS })));
  async function told(made: readonly PayableInvoice[], ...events: string[]): Promise<void> {
    for (const { invoiceId } of made) await service.told(invoiceId, events);
  }
  async function queueHealth(): Promise<{ status: string; reason?: string } | undefined> {
    const answer = await fetch(`${service.base}/api/v1/health`);
    const { checks } = (await answer.json()) as { checks: Record<string, { status: string }> };
    return checks.queue;
  }
  /** What an export says of every invoice of the shop. */
  async function exported(): Promise<Map<string, string>> {
    const answer = await service.call(service.shop, "GET", "/invoices/export?format=json");
    expect(answer.status, answer.text).to.equal(200);
    const { data } = JSON.parse(answer.text) as { data: { invoiceId: string; status: string }[] };
    const statuses = new Map(data.map(({ invoiceId, status }) => [invoiceId, status]));
    expect(data).to.have.length(statuses.size);
    return statuses;
  }
  it("sell and publish, on all copies", async () => {
    expect(service.bases()).to.have.length(2);
    const made = await sell(12);
    await pay(made);
    await told(made, NEW, PROCESSING);
  });

  it("sell while Redis is away, and decide and publish when it is back and empty", async () => {
    await redis.kill();
    const made = await sell(6);
    await pay(made);
    expect(await queueHealth()).to.deep.equal({ status: "degraded", reason: "Redis does not answer." });
    for (const { invoiceId } of made) expect(service.requestsOf(invoiceId)).to.deep.equal([]);
    await redis.start();
    await told(made, NEW, PROCESSING);
    await eventually(async () => expect(await queueHealth()).to.deep.equal({ status: "ok" }));
  });

  it("lose and double nothing when the leader and one of each app are killed, and a Redis, while customers pay", async () => {
    const made = await sell(6);
    const paying = (async () => {
      for (const { address } of made) await node.pay(address, PRICE_SATS);
    })();
    const leader = await service.leader("chain-watch");
    leader.kill("SIGKILL");
    await leader.exited;
    await redis.kill();
    for (const app of APPS) {
      const [, second] = service.processesOf(app);
      // A request that has left is never sent again by itself (webhook-fence.test.ts): its process ends as a deployment ends it.
      second?.kill(app === "webhook-delivery" ? "SIGTERM" : "SIGKILL");
      await second?.exited;
      made.push(...(await sell(1)));
    }
    await redis.start();
    await paying;
    await pay(made.slice(6));
    await told(made, NEW, PROCESSING);
    expect((await service.leader("chain-watch")).pid).not.to.equal(leader.pid);

    await node.mine(1);
    await told(invoices, NEW, PROCESSING, SETTLED);
    await service.verify();
    service.expectSigned();
    const statuses = await exported();
    expect(statuses.size).to.equal(invoices.length);
    for (const { invoiceId } of invoices) expect(statuses.get(invoiceId), invoiceId).to.equal("Settled");
  });
});
