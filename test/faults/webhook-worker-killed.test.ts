import { expect } from "chai";
import { connectQueues } from "../../adapters/queues/connect";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { createDataSource } from "../../database/data-source";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { watchInvariants } from "../support/invariants-always";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../support/factories";
import { startReceiver } from "../support/receiver";
import { redisAvailable, testRedis } from "../support/redis";
import { killWorkerProcesses, startWorkerProcess } from "../support/worker-process";

const backends = ["postgres", ...(redisAvailable() ? ["redis"] : [])] as const;

for (const kind of backends)
  describe(`a webhook whose worker is killed while it sends, queues on ${kind}`, function () {
    this.timeout(120_000);
    afterEach(killWorkerProcesses);

    it("is never sent again without a hand, is reported as interrupted within 30 s, and is sent again by hand", async () => {
      const redis = kind === "redis" ? await testRedis() : null;
      const databaseUrl = await testDatabaseUrl();
      await migrateQueues(databaseUrl);
      const environment = { DATABASE_URL: databaseUrl, REDIS_URL: redis?.url };
      const db = watchInvariants(
        await createDataSource({ databaseUrl, poolMax: 3, applicationName: "test" }).initialize(),
      );
      const ctx = await testContext({ db });
      const queues = connectQueues(environment, { log: ctx.log, worker: false });
      const receiver = await startReceiver();
      const store = await buildStore(ctx);
      await buildWebhook(ctx, store, `${receiver.url}/hook`);
      await buildInvoice(ctx, { store });
      const delivery = () => db.manager.findOneByOrFail(WebhookDelivery, { storeId: store.id });

      receiver.answer("/hook", { kind: "hang" });
      const first = startWorkerProcess("webhook-delivery", environment);
      await first.ready;
      await queues.enqueue("webhook-delivery", ctx.jobsOf("webhook-delivery"));
      await eventually(() => receiver.requests.length === 1);
      first.kill("SIGKILL");
      await first.exited;
      const killedAt = performance.now();
      receiver.answer("/hook", { kind: "status", status: 200 });
      await Promise.all(
        ["webhook-delivery", "reconcile"].map((name) => startWorkerProcess(name, environment).ready),
      );
      await eventually(async () => (await delivery()).state === "failed", 30_000);
      expect(performance.now() - killedAt).to.be.below(30_000);
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
      await eventually(async () => (await delivery()).state === "delivered", 20_000);
      expect(receiver.requests.map(({ headers }) => headers["x-service-attempt"])).to.deep.equal(["1", "2"]);

      await killWorkerProcesses();
      await receiver.close();
      await queues.close();
      await db.destroy();
      await redis?.stop();
    });
  });
