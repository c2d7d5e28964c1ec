import { expect } from "chai";
import pg from "pg";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { eventually } from "../support/eventually";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";
import { startReplicatedPostgres, type ReplicatedPostgres } from "../support/replica";
import { APPS, Service, type PayableInvoice } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const PRICE_SATS = 100_000n;

/** What one does who outgrows one machine, on one: nothing may break while one of each goes away. */
describe("two of everything: copies of each app, two Redis, two Postgres", function () {
  this.timeout(120_000);
  let node: SimulatedNode;
  let shared: TestRedis;
  let ofDeliveries: TestRedis;
  let postgres: ReplicatedPostgres;
  let service: Service;
  const invoices: PayableInvoice[] = [];

  before(async () => {
    if (!redisAvailable()) return;
    [node, shared, ofDeliveries, postgres] = await Promise.all([
      SimulatedNode.start(),
      testRedis(),
      testRedis(),
      startReplicatedPostgres(),
    ]);
    const databaseUrl = await postgres.primary.createDatabase("shop");
    service = await Service.start({
      databaseUrl,
      bitcoindRpcUrl: node.rpcUrl,
      redisUrl: shared.url,
      settings: {
        REDIS_URL_WEBHOOK_DELIVERY: ofDeliveries.url,
        DATABASE_READ_URL: postgres.replica.urlOf("shop"),
      },
      apps: [...APPS, ...APPS],
    });
  });
  beforeEach(function () {
    if (!redisAvailable()) this.skip();
  });
  after(async () => {
    await service?.stop();
    await postgres?.stop();
    await Promise.all([shared?.stop(), ofDeliveries?.stop()]);
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
  async function health(of: "queue" | "database"): Promise<{ status: string; reason?: string }> {
    const answer = await fetch(`${service.base}/api/v1/health`);
    const { checks } = (await answer.json()) as { checks: Record<string, { status: string }> };
    return checks[of] ?? { status: "not told" };
  }
  /** What an export says of every invoice of the shop. */
  async function exported(base?: string): Promise<Map<string, string>> {
    const answer = await service.call(service.shop, "GET", "/invoices/export?format=json", undefined, base);
    expect(answer.status, answer.text).to.equal(200);
    const { data } = JSON.parse(answer.text) as { data: { invoiceId: string; status: string }[] };
    const statuses = new Map(data.map(({ invoiceId, status }) => [invoiceId, status]));
    expect(data).to.have.length(statuses.size);
    return statuses;
  }
  async function readersOnReplica(): Promise<number> {
    const client = new pg.Client({ connectionString: postgres.replica.adminUrl });
    await client.connect();
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name LIKE 'quittance api reads%'",
    );
    await client.end();
    return rows[0]?.count ?? 0;
  }

  it("sell and tell, on all copies", async () => {
    expect(service.bases()).to.have.length(2);
    const made = await sell(12);
    await pay(made);
    await told(made, NEW, PROCESSING);
  });

  it("decide on while the Redis of the deliveries is away, and tell when it is back with empty hands", async () => {
    await ofDeliveries.kill();
    const made = await sell(6);
    await pay(made);
    for (const { invoiceId } of made) await service.until(invoiceId, { status: "Processing" });
    expect(await health("queue")).to.deep.equal({
      status: "degraded",
      reason: "Redis of webhook-delivery does not answer.",
    });
    for (const { invoiceId } of made) expect(service.requestsOf(invoiceId)).to.deep.equal([]);
    await ofDeliveries.start();
    await told(made, NEW, PROCESSING);
  });

  it("tell on while the Redis of all else is away, and decide when it is back with empty hands", async () => {
    await shared.kill();
    const made = await sell(6);
    await told(made, NEW);
    await pay(made);
    await shared.start();
    await told(made, NEW, PROCESSING);
    await eventually(async () => expect(await health("queue")).to.deep.equal({ status: "ok" }), 15_000);
  });

  it("export from the replica what was made the moment before, and from the primary while it is away", async () => {
    const everything = async (base?: string) => {
      const made = await sell(1);
      const statuses = await exported(base);
      for (const { invoiceId } of invoices) expect(statuses.has(invoiceId)).to.equal(true);
      await pay(made);
    };
    await eventually(async () => expect(await health("database")).to.deep.equal({ status: "ok" }), 15_000);
    for (const base of service.bases()) await everything(base);
    expect(await readersOnReplica()).to.be.greaterThan(0);
    await postgres.replica.stop();
    for (const base of service.bases()) await everything(base);
    expect((await health("database")).status).to.equal("degraded");
    await postgres.restartReplica();
    await eventually(async () => expect(await health("database")).to.deep.equal({ status: "ok" }), 15_000);
    for (const base of service.bases()) await everything(base);
    await eventually(async () => expect(await readersOnReplica()).to.be.greaterThan(0));
    await told(invoices.slice(-6), NEW, PROCESSING);
  });

  it("lose and double nothing when the leader and one of each app are killed, and a Redis, while customers pay", async () => {
    const made = await sell(6);
    const paying = (async () => {
      for (const { address } of made) await node.pay(address, PRICE_SATS);
    })();
    const leader = await service.leader("chain-watch");
    leader.kill("SIGKILL");
    await leader.exited;
    await ofDeliveries.kill();
    for (const app of APPS) {
      const [, second] = service.processesOf(app);
      // A request that has left is never sent again by itself (test/faults): its process ends as a deployment ends it.
      second?.kill(app === "webhook-delivery" ? "SIGTERM" : "SIGKILL");
      await second?.exited;
      made.push(...(await sell(1)));
    }
    await ofDeliveries.start();
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
