import path from "node:path";
import { Queue } from "bullmq";
import { expect } from "chai";
import { In } from "typeorm";
import type { DataSource } from "typeorm";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import { createDataSource } from "../../database/data-source";
import type { Store } from "../../entities/store";
import { WebhookAttempt } from "../../entities/webhook-attempt";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { makeSecretBox } from "../../adapters/crypto";
import { buildService } from "../support/built";
import { recordingLog, testContext, type TestContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../support/factories";
import { checkInvariants } from "../support/invariants";
import { startProcess, type TestProcess } from "../support/processes";
import { startReceiver, type Receiver } from "../support/receiver";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";

const APP_SECRET = "a secret of the fence's test, long enough";
const STORES = 6;
const WEBHOOKS = 4;
const BATCHES = 4;
/** Invoices of one. */
const BATCH = 15;
const SLOTS = 4;
/** Each invoice sends New and then Settled to each of its store's webhooks. */
const DELIVERIES = BATCHES * BATCH * WEBHOOKS * 2;

for (const kind of ["postgres", ...(redisAvailable() ? (["redis"] as const) : [])] as const)
  describe(`the webhook fence on ${kind}`, function () {
    this.timeout(300_000);
    let databaseUrl: string;
    let db: DataSource;
    let redis: TestRedis | null = null;
    let queues: Queues;
    let ctx: TestContext;
    let receiver: Receiver;
    let processes: TestProcess[];
    /** Goes on beside the test: a test that breaks off waits for it, or it would fail the next one. */
    let produced: Promise<void>;

    beforeEach(async () => {
      databaseUrl = await testDatabaseUrl();
      await migrateQueues(databaseUrl);
      db = await createDataSource({ databaseUrl, poolMax: 10, applicationName: "test" }).initialize();
      if (kind === "redis") redis = await testRedis();
      queues = connectQueues(
        { DATABASE_URL: databaseUrl, REDIS_URL: redis?.url },
        { log: recordingLog().log },
      );
      ctx = await testContext({
        db,
        enqueue: queues.enqueue,
        secrets: makeSecretBox({ appSecret: APP_SECRET }),
      });
      receiver = await startReceiver();
      processes = [];
      produced = Promise.resolve();
    });
    afterEach(async function () {
      if (this.currentTest?.state === "failed")
        for (const { pid, output } of processes)
          process.stderr.write(`\n--- the last of process ${pid}:\n${output().slice(-5_000)}\n`);
      await Promise.allSettled([produced]);
      for (const one of processes) await one.kill();
      await queues.close();
      await receiver.close();
      await db.destroy();
      await redis?.stop();
    });

    function start(worker: string): TestProcess {
      const started = startProcess(path.join(buildService(), "workers/main.js"), [worker], {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis?.url ?? "",
        NETWORK: "regtest",
        PUBLIC_URL: "http://127.0.0.1:3000",
        APP_SECRET,
        WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
        DATABASE_POOL_MAX: "8",
        LOG_LEVEL: "debug",
      });
      processes.push(started);
      return started;
    }
    /** The queue forgets all of its jobs. */
    async function loseQueue(): Promise<void> {
      if (redis) {
        await redis.admin.flushall();
        return;
      }
      const tables: { name: string }[] = await db.query(
        `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
          WHERE table_schema = 'bullmq' AND table_name NOT LIKE '%migration%' AND table_type = 'BASE TABLE'`,
      );
      // Workers lock the same tables in an order of their own: Postgres may break one off as deadlocked, also this one.
      const names = tables.map(({ name }) => name).join(", ");
      await eventually(() => db.query(`TRUNCATE ${names} CASCADE`), 30_000);
    }
    /** The deliveries whose jobs no worker has taken. */
    async function waiting(url: string): Promise<readonly string[]> {
      const queue = new Queue("webhook-delivery", { connection: { url }, prefix: "quittance" });
      try {
        const jobs = await queue.getJobs(["waiting", "prioritized", "delayed"]);
        return jobs.flatMap(({ id }) => id ?? []);
      } finally {
        await queue.close();
      }
    }
    const delivered = (ids: readonly string[]): Promise<number> =>
      db.manager.countBy(WebhookDelivery, { id: In([...ids]), state: "delivered" });
    const inFlight = (): Promise<number> => db.manager.countBy(WebhookAttempt, { state: "sending" });
    it("sends nothing twice and loses nothing while workers die and the queue loses jobs", async () => {
      const stores: Store[] = [];
      /** From now on the endpoints answer after so long, one in four with an error. */
      const answerAfter = (holdMs: number): void => {
        for (let n = 0; n < STORES * WEBHOOKS; n += 1)
          receiver.answer(`/hook-${n}`, { kind: "status", status: n % WEBHOOKS === 3 ? 500 : 200, holdMs });
      };
      for (let n = 0; n < STORES; n += 1) {
        const store = await buildStore(ctx);
        stores.push(store);
        for (let hook = 0; hook < WEBHOOKS; hook += 1)
          await buildWebhook(ctx, store, `${receiver.url}/hook-${n * WEBHOOKS + hook}`);
      }
      const produce = async (invoices: number): Promise<void> => {
        for (let n = 0; n < invoices; n += 1) {
          const store = stores[n % STORES];
          if (!store) throw new Error("there is no store");
          const { invoice } = await buildInvoice(ctx, { store });
          await markInvoice(ctx, store.id, invoice.id, { status: "Settled" });
        }
      };
      answerAfter(100);
      await produce(BATCH);
      const doomed = start("webhook-delivery");
      start("webhook-delivery");
      start("reconcile");
      // How long processes take to start on a busy machine is not the question.
      await eventually(() => doomed.output().includes('"message":"ready"'), 90_000);

      // Long enough that each kill finds requests under way, however slow this machine makes events.
      answerAfter(2_000);
      produced = produce(BATCH);
      await eventually(async () => (await inFlight()) >= 4, 30_000);
      await doomed.kill();
      answerAfter(100);
      start("webhook-delivery");
      await produced;

      if (redis) {
        // A restart from an older snapshot: jobs that have ended since then run again, and find their number taken.
        for (const one of processes) one.pause();
        await produce(BATCH);
        const kept = await waiting(redis.url);
        await redis.admin.save();
        for (const one of processes) one.resume();
        await eventually(async () => (await delivered(kept)) >= 5, 30_000);
        await redis.kill();
        await redis.start();
        // An idle worker whose blocking call was cut off gives it up after 11 s, and may wait 10 s for a marker that the
        // snapshot does not have.
        await eventually(() => processes.some((one) => one.output().includes("already delivered")), 60_000);
      } else await produce(BATCH);
      await loseQueue();
      answerAfter(2_000);
      await produce(BATCH);
      await eventually(async () => (await inFlight()) >= 4, 30_000);
      await Promise.all(processes.map((one) => one.kill()));
      answerAfter(100);
      start("webhook-delivery");
      const sweeper = start("reconcile");

      await eventually(
        async () => {
          const open = await db.manager.countBy(WebhookDelivery, [
            { state: "pending" },
            { state: "queued" },
            { state: "sending" },
          ]);
          expect(open, `still open; the sweep says: ${sweeper.output().slice(-500)}`).to.equal(0);
        },
        120_000,
        250,
      );
      await checkInvariants(db, receiver);
      const deliveries = await db.manager.find(WebhookDelivery);
      expect(deliveries).to.have.length(DELIVERIES);
      const ends = new Set(deliveries.map(({ state, error }) => error ?? state));
      // A worker that stood still for longer than an answer may take says so.
      ends.delete("timeout");
      expect([...ends]).to.have.members(["delivered", "http-500", "interrupted"]);
      expect(deliveries.every(({ attemptCount }) => attemptCount === 1)).to.equal(true);
      // Every request that a receiver got is recorded; an interrupted one may have arrived, and no other was
      // lost.
      const interrupted = deliveries.filter(({ error }) => error === "interrupted");
      const got = receiver.requests.length;
      expect(got).to.be.within(DELIVERIES - interrupted.length, DELIVERIES);
      // One worker was killed, and then all: each time no more than every slot can have been under way.
      expect(interrupted.length).to.be.at.most(2 * STORES * WEBHOOKS * SLOTS);
    });
  });
