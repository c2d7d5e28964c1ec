import { mkdtempSync, rmSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Queue } from "bullmq";
import { expect } from "chai";
import { QueueRefusedError } from "../../adapters/queues/backend";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { inspectRedis } from "../../adapters/queues/inspect-redis";
import { QUEUE_NAMES } from "../../adapters/queues/enqueue";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import type { JobHandler, RunningWorker } from "../../adapters/queues/start-worker";
import type { QueueConfig } from "../../adapters/queues/store";
import type { JobName, JobOutcome } from "../../commands/jobs";
import { createDataSource } from "../../database/data-source";
import { DomainError } from "../../domain/errors";
import { removeEmbeddedPostgres, startEmbeddedPostgres } from "../../scripts/embedded-postgres";
import { recordingLog, type LogLine } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { freePort } from "../../scripts/devnet/free-port";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";

const done: JobOutcome = { kind: "done", reason: "seen" };

/** Adding has a deadline of 1 s, which opening the queues on a busy machine may miss: afterwards they are open. */
const opensAll = (queues: Queues): Promise<unknown> =>
  eventually(async () => expect(await queues.stats()).to.have.all.keys(QUEUE_NAMES));

/** Why jobs were not added, one reason for each request. */
const refusals = ({ lines }: { lines: LogLine[] }): string[] =>
  lines
    .filter(({ message }) => message.includes("jobs not added"))
    .map(({ fields }) => String(fields.reason));

/** Opens queues and closes them, workers first, at the end of each test. */
function opener() {
  const open: { close(): Promise<void> }[] = [];
  return {
    queues(config: Partial<QueueConfig> & { DATABASE_URL: string }): Queues & { lines: LogLine[] } {
      const { log, lines } = recordingLog();
      const queues = connectQueues({ REDIS_URL: undefined, ...config }, { log, workers: 1 });
      open.unshift(queues);
      return { ...queues, lines };
    },
    work<N extends JobName>(
      queues: Queues,
      name: N,
      handler: JobHandler<N>,
      concurrency = 10,
    ): RunningWorker {
      const worker = queues.startWorker(name, handler, {
        concurrency,
        onFatal: (error) => {
          throw error;
        },
      });
      open.unshift(worker);
      return worker;
    },
    async close(): Promise<void> {
      for (const one of open.splice(0)) await one.close();
    },
  };
}

const backends = ["postgres", ...(redisAvailable() ? ["redis"] : [])] as const;

for (const kind of backends)
  describe(`queues on ${kind}`, () => {
    const opened = opener();
    let redis: TestRedis | null = null;
    let databaseUrl = "";
    let queues: ReturnType<typeof opened.queues>;

    before(async () => {
      if (kind === "redis") redis = await testRedis();
    });
    after(() => redis?.stop());
    beforeEach(async () => {
      databaseUrl = await testDatabaseUrl({ empty: true });
      await redis?.admin.flushall();
      if (!redis) await migrateQueues(databaseUrl);
      queues = opened.queues({ DATABASE_URL: databaseUrl, ...(redis ? { REDIS_URL: redis.url } : {}) });
      await opensAll(queues);
    });
    afterEach(() => opened.close());

    it("give every job to a worker, each once, though it is requested until it was seen", async () => {
      const seen: string[] = [];
      opened.work(queues, "invoice-expiry", ({ invoiceId }) => {
        seen.push(invoiceId);
        return Promise.resolve(done);
      });
      const ids = Array.from({ length: 2_500 }, (_, index) => `inv_${index}`);
      let requests = 0;
      // Adding is best effort within its deadline, which a busy machine may miss: who wants it done asks again.
      await eventually(async () => {
        const { waiting = 1, active = 1 } = (await queues.stats())["invoice-expiry"] ?? {};
        if (waiting + active > 0) return false;
        const missing = new Set(ids);
        for (const id of seen) missing.delete(id);
        requests += missing.size;
        await queues.enqueue(
          "invoice-expiry",
          [...missing].map((invoiceId) => ({ invoiceId })),
        );
        return missing.size === 0;
      }, 45_000);
      // A request that was given up as too late may have arrived nevertheless, before the next one for its job.
      expect(seen).to.have.length.within(ids.length, requests);
      expect(new Set(seen)).to.deep.equal(new Set(ids));
      const none = { waiting: 0, prioritized: 0, delayed: 0, active: 0, failed: 0 };
      await eventually(async () => expect((await queues.stats())["invoice-expiry"]).to.deep.equal(none));
    });

    it("delay each job until its time", async () => {
      const seen: [id: string, at: number][] = [];
      opened.work(queues, "invoice-expiry", ({ invoiceId }) => {
        seen.push([invoiceId, performance.now()]);
        return Promise.resolve(done);
      });
      const added = performance.now();
      for (const [id, delayMs] of [
        ["inv_last", 60_000],
        ["inv_second", 3_000],
        ["inv_first", 700],
      ] as const)
        await queues.enqueue("invoice-expiry", [{ invoiceId: id }], { delayMs });
      await eventually(() => seen.length === 2, 45_000);
      expect(seen.map(([id]) => id)).to.deep.equal(["inv_first", "inv_second"]);
      const waitedMs = seen.map(([, at]) => at - added);
      expect(waitedMs[0]).to.be.at.least(690);
      expect(waitedMs[1]).to.be.at.least(2_990);
    });

    it("keep one job per invoice when several are requested at once", async () => {
      const invoices = [1, 1, 2, 1].map((nth) => ({ invoiceId: `inv_${nth}` }));
      await queues.enqueue("invoice-expiry", invoices, { delayMs: 60_000 });
      await eventually(async () => expect((await queues.stats())["invoice-expiry"]?.delayed).to.equal(2));
    });

    it("keep one job of the sweep for an invoice, behind new jobs", async () => {
      const seen: string[] = [];
      for (let times = 0; times < 3; times++)
        await queues.enqueue("invoices", [{ invoiceId: "inv_swept" }], { sweep: true });
      await queues.enqueue("invoices", [{ invoiceId: "inv_new" }, { invoiceId: "inv_new" }]);
      const worker = opened.work(
        queues,
        "invoices",
        ({ invoiceId }) => {
          seen.push(invoiceId);
          return Promise.resolve(done);
        },
        1,
      );
      await eventually(() => seen.length === 3);
      await worker.close();
      expect(seen).to.deep.equal(["inv_new", "inv_new", "inv_swept"]);
    });

    it("accept the sweep's job for an invoice again after one that failed", async () => {
      let runs = 0;
      opened.work(queues, "invoices", () => {
        runs += 1;
        return Promise.resolve({ kind: "failed", code: "internal-error" });
      });
      await queues.enqueue("invoices", [{ invoiceId: "inv_1" }], { sweep: true });
      await eventually(() => runs === 1);
      await eventually(async () => {
        await queues.enqueue("invoices", [{ invoiceId: "inv_1" }], { sweep: true });
        return runs > 1;
      });
    });

    describe("webhook-delivery", () => {
      const delivery = { deliveryId: "whd_1" };

      it("keeps a failed job, which runs again under the next number", async () => {
        const numbers: number[] = [];
        opened.work(queues, "webhook-delivery", ({ attempt }) => {
          numbers.push(attempt);
          return Promise.resolve({ kind: "failed", code: "http-500" });
        });
        await queues.enqueue("webhook-delivery", [{ ...delivery, attempt: 1 }]);
        await eventually(async () => (await queues.stats())["webhook-delivery"]?.failed === 1);
        await queues.enqueue("webhook-delivery", [{ ...delivery, attempt: 2 }]);
        await eventually(() => numbers.length === 2);
        await eventually(async () => (await queues.stats())["webhook-delivery"]?.failed === 1);
        expect(numbers).to.deep.equal([1, 2]);
        if (redis) {
          const board = new Queue("webhook-delivery", { connection: redis.admin, prefix: "quittance" });
          const job = await board.getJob("whd_1");
          expect(job?.failedReason).to.equal("http-500");
          expect(job?.stacktrace).to.deep.equal([]);
          expect(job?.data).to.deep.equal({ deliveryId: "whd_1", attempt: 2 });
          expect(job?.opts.removeOnFail).to.deep.equal({ age: 30 * 24 * 3_600, count: 100_000 });
          await board.close();
        }
      });

      it("keeps its number when it failed before its attempt was begun", async () => {
        const numbers: number[] = [];
        opened.work(queues, "webhook-delivery", ({ attempt }) => {
          numbers.push(attempt);
          return numbers.length === 1 ? Promise.reject(new Error("database away")) : Promise.resolve(done);
        });
        await queues.enqueue("webhook-delivery", [{ ...delivery, attempt: 1 }]);
        await eventually(async () => (await queues.stats())["webhook-delivery"]?.failed === 1);
        await queues.enqueue("webhook-delivery", [{ ...delivery, attempt: 1 }], { sweep: true });
        await eventually(() => numbers.length === 2);
        expect(numbers).to.deep.equal([1, 1]);
      });

      it("runs once when five processes request the same number at once", async () => {
        let runs = 0;
        opened.work(queues, "webhook-delivery", () => {
          runs += 1;
          return Promise.resolve({ kind: "failed", code: "timeout" });
        });
        await queues.enqueue("webhook-delivery", [{ ...delivery, attempt: 1 }]);
        await eventually(async () => (await queues.stats())["webhook-delivery"]?.failed === 1);
        await Promise.all(
          Array.from({ length: 5 }, () =>
            queues.enqueue("webhook-delivery", [{ ...delivery, attempt: 2 }], { sweep: true }),
          ),
        );
        await eventually(() => runs >= 2);
        await eventually(async () => (await queues.stats())["webhook-delivery"]?.failed === 1);
        expect(refusals(queues).filter((reason) => !/^no answer within/.test(reason))).to.deep.equal([]);
      });

      it("stores a code of a handler's error, and logs the rest", async () => {
        opened.work(queues, "webhook-delivery", () =>
          Promise.reject(new Error("no route to https://secret.example")),
        );
        await queues.enqueue("webhook-delivery", [{ ...delivery, attempt: 1 }]);
        await eventually(() => queues.lines.some(({ message }) => message === "job: failed"));
        await eventually(() => {
          const failed = queues.lines.find(({ message }) => message === "job: recorded as failed");
          expect(failed?.fields.code).to.equal("internal-error");
        });
      });
    });

    it("close a worker only when its job has ended", async () => {
      let ended = false;
      let letGo: () => void = () => undefined;
      const started = new Promise<void>((resolve) => {
        opened.work(queues, "confirmations", async () => {
          resolve();
          await new Promise<void>((go) => (letGo = go));
          ended = true;
          return done;
        });
      });
      await queues.enqueue("confirmations", [{ height: 1 }]);
      await started;
      const closing = opened.close();
      setTimeout(letGo, 200);
      await closing;
      expect(ended).to.equal(true);
    });
  });

describe("queues on postgres", () => {
  const opened = opener();
  afterEach(() => opened.close());

  it("are migrated once by several processes at the same time", async () => {
    const databaseUrl = await testDatabaseUrl({ empty: true });
    await Promise.all([migrateQueues(databaseUrl), migrateQueues(databaseUrl), migrateQueues(databaseUrl)]);
    expect(await migrateQueues(databaseUrl)).to.deep.equal([]);
  });

  it("wait for one another, whatever the isolation of the database is", async () => {
    const databaseUrl = await testDatabaseUrl({ empty: true });
    await migrateQueues(databaseUrl);
    const db = await createDataSource({ databaseUrl, poolMax: 1, applicationName: "test" }).initialize();
    await db.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF current_setting('transaction_isolation') <> 'read committed' THEN RAISE 'it would not see'; END IF;
      RETURN NEW; END $$`);
    const tables = await db.query<{ name: string }[]>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq'",
    );
    for (const { name } of tables)
      await db.query(`CREATE TRIGGER refuse BEFORE INSERT ON ${name} EXECUTE FUNCTION refuse()`);
    const name = new URL(databaseUrl).pathname.slice(1);
    await db.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    await db.destroy();
    const queues = opened.queues({ DATABASE_URL: databaseUrl });
    await eventually(async () => {
      await queues.enqueue("invoice-expiry", [{ invoiceId: "inv_1" }], { delayMs: 60_000 });
      expect((await queues.stats())["invoice-expiry"]?.delayed).to.equal(1);
    });
  });

  it("accept no job and block no caller while the database is away, and work when it is back", async () => {
    const port = await freePort();
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-test-"));
    // The password is made with the folder, so the server has to run once before its address is known.
    const first = await startEmbeddedPostgres({ dir, port });
    const queues = opened.queues({ DATABASE_URL: first.adminUrl });
    await first.stop();

    await queues.enqueue("invoices", [{ invoiceId: "inv_1" }]); // a wait for the database would not end
    expect(refusals(queues)).to.have.length(1);

    const second = await startEmbeddedPostgres({ dir, port });
    await migrateQueues(second.adminUrl);
    await eventually(async () => {
      // The sweep's, of which there is one however often it is requested.
      await queues.enqueue("invoices", [{ invoiceId: "inv_2" }], { sweep: true });
      expect((await queues.stats()).invoices).to.include({ waiting: 0, prioritized: 1 });
    });
    await opened.close();
    await removeEmbeddedPostgres(second, dir);
  });
});

describe("queues on redis", function () {
  const opened = opener();
  let redis: TestRedis;
  before(function () {
    if (!redisAvailable()) this.skip();
  });
  beforeEach(async () => {
    redis = await testRedis({ started: false });
  });
  afterEach(async () => {
    await opened.close();
    await redis.stop();
  });
  const connect = () => opened.queues({ REDIS_URL: redis.url, DATABASE_URL: "postgres://unused/unused" });
  async function connected(): Promise<ReturnType<typeof connect>> {
    await redis.start();
    const queues = connect();
    await opensAll(queues);
    return queues;
  }

  it("block no caller while Redis is away at the start, and work when it is back", async () => {
    const queues = connect();
    // Whoever waited for Redis would not return.
    await Promise.all([
      queues.enqueue("invoices", [{ invoiceId: "inv_1" }]),
      queues.enqueue("webhook-delivery", [{ deliveryId: "whd_1", attempt: 1 }]),
    ]);
    expect(await queues.health()).to.deep.equal({ status: "degraded", reason: "Redis does not answer." });
    await queues.enqueue("invoices", [{ invoiceId: "inv_1" }]);
    // Nobody waits for what others waited for in vain: it was refused at once, not by its deadline.
    expect(refusals(queues)).to.have.length(3);
    expect(refusals(queues).at(-1)).to.equal("the queue is unavailable");

    await redis.start();
    const seen: string[] = [];
    opened.work(queues, "invoices", ({ invoiceId }) => {
      seen.push(invoiceId);
      return Promise.resolve(done);
    });
    await eventually(async () => {
      await queues.enqueue("invoices", [{ invoiceId: "inv_2" }]);
      return seen.includes("inv_2");
    });
    expect(seen).to.not.include("inv_1"); // the sweep's work, not a surprise much later
  });

  it("are counted without one that does not report its count", async () => {
    const queues = await connected();
    await queues.enqueue("confirmations", [{ height: 1 }]);
    const waitsIn = (name: JobName) => `quittance:${name}:wait`;
    await redis.admin.set(waitsIn("invoices"), "no list");
    const { confirmations, ...others } = await eventually(() => queues.stats());
    expect(confirmations?.waiting).to.equal(1);
    expect(others).to.have.all.keys("invoice-expiry", "webhook-delivery");
    expect(await eventually(() => queues.ages())).to.have.all.keys(Object.keys({ confirmations, ...others }));
    await redis.admin.flushall();
    for (const name of QUEUE_NAMES) await redis.admin.set(waitsIn(name), "no list");
    for (const asked of [queues.stats(), queues.ages()]) {
      const refusal = await asked.catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(DomainError).with.property("code", "unavailable");
    }
  });

  for (const [how, refuse, allow, whatToDo] of [
    [
      "is full",
      () => redis.admin.config("SET", "maxmemory", "1"),
      () => redis.admin.config("SET", "maxmemory", "0"),
      /memory is used up\. Raise its maxmemory/,
    ],
    [
      "cannot save to its disk",
      async () => {
        const [, dir = ""] = await redis.admin.config("GET", "dir");
        rmSync(dir, { recursive: true });
        await redis.admin.config("SET", "save", "3600 1");
        await redis.admin.bgsave();
        await eventually(async () => expect(await redis.admin.info()).to.match(/last_bgsave_status:err/));
      },
      () => redis.admin.config("SET", "stop-writes-on-bgsave-error", "no"),
      /cannot save to its disk\. Make room/,
    ],
    [
      "has become a replica",
      () => redis.admin.replicaof("127.0.0.1", "1"),
      () => redis.admin.replicaof("NO", "ONE"),
      /read-only replica\. Let REDIS_URL lead to the primary/,
    ],
  ] as const)
    it(`report a Redis that answers and ${how}, with what to do, and can still be read`, async () => {
      const queues = await connected();
      expect(await eventually(() => queues.health())).to.deep.equal({ status: "ok" });
      await refuse();
      await eventually(async () => {
        const { status, reason } = await queues.health();
        expect(status).to.equal("degraded");
        expect(reason).to.match(whatToDo);
      });
      await eventually(async () => expect(await queues.stats()).to.have.all.keys(QUEUE_NAMES));
      const second = connect();
      let ready = false;
      const waiting = second.waitUntilReady().then(() => (ready = true));
      await eventually(() =>
        second.lines.some(
          ({ message, fields }) =>
            message === "queue: waiting for Redis" && whatToDo.test(String(fields.reason)),
        ),
      );
      expect(ready).to.equal(false);
      await allow();
      await waiting;
      await eventually(async () => expect(await queues.health()).to.deep.equal({ status: "ok" }));
    });

  it("follow an address that leads to another primary, when the former one has become a replica", async () => {
    await redis.start();
    const promoted = await testRedis();
    let target = redis.url;
    const proxy = net.createServer((socket) => {
      const upstream = net.connect(Number(new URL(target).port), "127.0.0.1");
      for (const [one, other] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        one.pipe(other);
        one.on("error", () => undefined);
        one.on("close", () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const port = (proxy.address() as AddressInfo).port;
    const url = { REDIS_URL: `redis://127.0.0.1:${port}`, DATABASE_URL: "postgres://unused/unused" };
    const producing = opened.queues(url);
    const working = opened.queues(url);
    try {
      const seen: string[] = [];
      opened.work(working, "invoices", ({ invoiceId }) => {
        seen.push(invoiceId);
        return Promise.resolve(done);
      });
      await opensAll(producing);
      await producing.enqueue("invoices", [{ invoiceId: "inv_before" }]);
      await eventually(() => seen.includes("inv_before"));
      target = promoted.url;
      await redis.admin.replicaof("127.0.0.1", new URL(promoted.url).port);
      await eventually(async () => {
        await producing.enqueue("invoices", [{ invoiceId: "inv_after" }], { sweep: true });
        return seen.includes("inv_after");
      }, 30_000);
    } finally {
      await opened.close();
      proxy.close();
      await promoted.stop();
    }
  });

  for (const [what, settings, path, reason] of [
    ["in cluster mode", ["--cluster-enabled", "yes"], "", /cluster mode off/],
    ["without the database of its URL", ["--databases", "4"], "/7", /no database 7/],
  ] as const)
    it(`refuse a Redis ${what}`, async () => {
      const other = await testRedis({ settings });
      try {
        const { log } = recordingLog();
        const url = `${other.url}${path}`;
        const queues = connectQueues({ REDIS_URL: url, DATABASE_URL: "postgres://unused" }, { log });
        const refusal = await eventually(() => queues.waitUntilReady().catch((error: unknown) => error));
        expect(refusal).to.be.instanceOf(QueueRefusedError).with.property("message").that.matches(reason);
        expect((await inspectRedis(url)).refusal).to.match(reason);
        await queues.close();
      } finally {
        await other.stop();
      }
    });

  it("are asked with growing pauses by a worker that gets errors, and continues when they end", async () => {
    await redis.start();
    const queues = connect();
    await queues.waitUntilReady();
    await redis.admin.acl("SETUSER", "default", "-@scripting");
    let jobs = 0;
    opened.work(queues, "confirmations", () => Promise.resolve((jobs++, done)));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const errors = queues.lines.filter(({ message }) => message === "queue: worker error");
    expect(errors.length).to.be.within(1, 8);
    await redis.admin.acl("SETUSER", "default", "+@scripting");
    await queues.enqueue("confirmations", [{ height: 1 }]);
    await eventually(() => jobs > 0);
  });
});
