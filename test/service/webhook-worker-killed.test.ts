import { expect } from "chai";
import type { DataSource } from "typeorm";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { createDataSource } from "../../database/data-source";
import { WebhookAttempt } from "../../entities/webhook-attempt";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { Store } from "../../entities/store";
import { type TestContext, testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { watchInvariants } from "../support/invariants-always";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../support/factories";
import { type Receiver, startReceiver } from "../support/receiver";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";
import { buildShopWebhook } from "../support/shop-webhook";
import { killWorkerProcesses, startWorkerProcess } from "../support/worker-process";

const backends = ["postgres", ...(redisAvailable() ? ["redis"] : [])] as const;

for (const kind of backends)
  describe(`a worker that is killed while it sends a webhook, queues on ${kind}`, function () {
    this.timeout(120_000);
    let environment: { DATABASE_URL: string; REDIS_URL: string | undefined };
    let redis: TestRedis | null;
    let db: DataSource;
    let ctx: TestContext;
    let queues: Queues;
    let receiver: Receiver;
    let store: Store;
    const delivery = () => db.manager.findOneByOrFail(WebhookDelivery, { storeId: store.id });

    beforeEach(async () => {
      redis = kind === "redis" ? await testRedis() : null;
      const databaseUrl = await testDatabaseUrl();
      await migrateQueues(databaseUrl);
      environment = { DATABASE_URL: databaseUrl, REDIS_URL: redis?.url };
      db = watchInvariants(
        await createDataSource({ databaseUrl, poolMax: 3, applicationName: "test" }).initialize(),
      );
      ctx = await testContext({ db });
      queues = connectQueues(environment, { log: ctx.log });
      receiver = await startReceiver();
      store = await buildStore(ctx);
    });
    afterEach(async () => {
      await killWorkerProcesses();
      await receiver.close();
      await queues.close();
      await db.destroy();
      await redis?.stop();
    });

    /** Sends the webhook's first delivery to an endpoint that hangs, kills its sender, and lets the endpoint answer 200. */
    async function killWhileSending(): Promise<void> {
      await buildInvoice(ctx, { store });
      receiver.answer("/hook", { kind: "hang" });
      const first = startWorkerProcess("webhook-delivery", environment);
      await first.ready;
      await queues.enqueue("webhook-delivery", ctx.jobsOf("webhook-delivery"));
      await eventually(() => receiver.requests.length === 1);
      first.kill("SIGKILL");
      await first.exited;
      receiver.answer("/hook", { kind: "status", status: 200 });
    }

    it("has its delivery never sent again without a hand, reported as interrupted within 30 s, and sent again by hand", async () => {
      await buildWebhook(ctx, store, `${receiver.url}/hook`);
      await killWhileSending();
      await Promise.all(
        ["webhook-delivery", "reconcile"].map((name) => startWorkerProcess(name, environment).ready),
      );
      // How long processes take to start on a busy machine is not the question.
      await eventually(async () => (await delivery()).state === "failed", 30_000);
      expect(await delivery()).to.include({ error: "interrupted", attemptCount: 1 });

      // The killed worker's job comes back to the queue when its lock runs out; it finds its number taken.
      await eventually(async () => {
        const { active, waiting, failed } = (await queues.stats())["webhook-delivery"] ?? {};
        expect({ active, waiting, failed }).to.deep.equal({ active: 0, waiting: 0, failed: 1 });
      }, 60_000);
      expect(receiver.requests).to.have.length(1);

      const { id } = await delivery();
      await db.manager.update(WebhookDelivery, id, { state: "pending", requestedAttempt: 2 });
      await queues.enqueue("webhook-delivery", [{ deliveryId: id, attempt: 2 }]);
      await eventually(async () => (await delivery()).state === "delivered");
      expect(receiver.requests.map(({ headers }) => headers["x-service-attempt"])).to.deep.equal(["1", "2"]);
    });

    it("has its delivery to a shop plugin sent once more by itself, with two workers and two that reconcile", async () => {
      await buildShopWebhook(ctx, store, `${receiver.url}/hook`);
      await killWhileSending();
      await Promise.all(
        ["webhook-delivery", "webhook-delivery", "reconcile", "reconcile"].map(
          (name) => startWorkerProcess(name, environment).ready,
        ),
      );
      await eventually(async () => (await delivery()).state === "delivered", 60_000);
      const { id, retryAt, retryCount, attemptCount } = await delivery();
      expect({ retryAt, retryCount, attemptCount }).to.deep.equal({
        retryAt: null,
        retryCount: 1,
        attemptCount: 2,
      });
      expect(receiver.requests.map(({ headers }) => headers["x-service-attempt"])).to.deep.equal(["1", "2"]);
      const [one, two] = receiver.requests;
      expect(two && one?.body.equals(two.body)).to.equal(true);
      const attempts = await db.manager.find(WebhookAttempt, {
        where: { deliveryId: id },
        order: { number: "ASC" },
      });
      expect(attempts.map(({ cause, error }) => [cause, error])).to.deep.equal([
        ["automatic", "interrupted"],
        ["automatic", null],
      ]);
    });
  });
