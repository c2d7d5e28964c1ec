import { expect } from "chai";
import type { DataSource } from "typeorm";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { redeliverWebhook } from "../../commands/webhooks/redeliver-webhook";
import { createDataSource } from "../../database/data-source";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { recordingLog, testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../support/factories";
import { checkInvariants } from "../support/invariants";
import { startReceiver, type Receiver } from "../support/receiver";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";
import { killWorkerProcesses, startWorkerProcess, type WorkerProcess } from "../support/worker-process";

describe("queues moved to another Redis without their jobs", function () {
  this.timeout(90_000);
  let former: TestRedis;
  let next: TestRedis;
  let databaseUrl: string;
  let db: DataSource;
  let receiver: Receiver;
  const opened: Queues[] = [];

  before(async function () {
    if (!redisAvailable()) return this.skip();
    [former, next] = await Promise.all([testRedis(), testRedis()]);
    databaseUrl = await testDatabaseUrl();
    db = await createDataSource({ databaseUrl, poolMax: 3, applicationName: "test" }).initialize();
    receiver = await startReceiver();
  });
  after(async () => {
    await killWorkerProcesses();
    for (const queues of opened) await queues.close();
    await receiver?.close();
    await db?.destroy();
    await Promise.all([former?.stop(), next?.stop()]);
  });

  const settings = (moved: boolean) => ({
    DATABASE_URL: databaseUrl,
    REDIS_URL: moved ? next.url : former.url,
  });
  async function start(worker: string, moved: boolean): Promise<WorkerProcess> {
    const process = startWorkerProcess(worker, settings(moved));
    await process.ready;
    return process;
  }
  async function stop(process: WorkerProcess): Promise<void> {
    process.kill("SIGTERM");
    expect((await process.exited).code).to.equal(0);
  }
  function connect(moved: boolean): Queues {
    const queues = connectQueues(settings(moved), { log: recordingLog().log });
    opened.push(queues);
    return queues;
  }
  const jobs = async (queues: Queues) => {
    const { waiting, prioritized, failed } = (await queues.stats())["webhook-delivery"] ?? {};
    return { waiting, prioritized, failed };
  };

  it("lose and double no delivery, and send failed ones again by hand", async () => {
    const [before, after] = [connect(false), connect(true)];
    const ctx = await testContext({ db, enqueue: before.enqueue });
    const store = await buildStore(ctx);
    const { webhookId } = await buildWebhook(ctx, store, `${receiver.url}/hook`);
    receiver.answer("/hook", { kind: "status", status: 500 });
    const sender = await start("webhook-delivery", false);
    await buildInvoice(ctx, { store });
    const delivery = () => db.manager.find(WebhookDelivery, { order: { createdAt: "ASC" } });
    await eventually(async () => (await delivery())[0]?.state === "failed");
    await stop(sender);
    await buildInvoice(ctx, { store });
    await eventually(async () => {
      expect(await jobs(before)).to.deep.equal({ waiting: 1, prioritized: 0, failed: 1 });
    });

    receiver.answer("/hook", { kind: "status", status: 200 });
    const sweeper = await start("reconcile", true);
    const moved = await start("webhook-delivery", true);
    await eventually(async () => (await delivery())[1]?.state === "delivered", 30_000);
    expect(receiver.requests).to.have.length(2);

    const deliveryId = (await delivery())[0]?.id ?? "";
    const now = { ...ctx, enqueue: after.enqueue };
    await redeliverWebhook(now, { storeId: store.id, webhookId, deliveryId });
    await eventually(async () => (await delivery())[0]?.state === "delivered");
    expect(receiver.requests).to.have.length(3);

    // And back again, where the former jobs still lie: each finds its attempt made.
    expect(await jobs(before)).to.deep.equal({ waiting: 1, prioritized: 0, failed: 1 });
    await stop(moved);
    await stop(sweeper);
    const back = await start("webhook-delivery", false);
    await eventually(async () => {
      expect(await jobs(before)).to.include({ waiting: 0, prioritized: 0 });
    });
    await stop(back);
    expect(receiver.requests).to.have.length(3);
    await checkInvariants(db, receiver);
  });
});
