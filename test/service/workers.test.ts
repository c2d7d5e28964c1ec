import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeLndClient } from "../../adapters/lnd/lnd-client";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { createDataSource } from "../../database/data-source";
import { Payment } from "../../entities/payment";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { TcpGate } from "../support/devnet/tcp-gate";
import { lndEnvironment, lndSettingsOf, serverNode } from "../support/lightning";
import { testContext, type TestContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../support/factories";
import { startReceiver, type Receiver } from "../support/receiver";
import { freePort } from "../../scripts/devnet/free-port";
import { killWorkerProcesses, startWorkerProcess } from "../support/worker-process";

/** A database with all tables, a context on it, and the queues that a process of ours would use. */
async function installation(redisUrl?: string) {
  const databaseUrl = await testDatabaseUrl();
  await migrateQueues(databaseUrl);
  const db = await createDataSource({ databaseUrl, poolMax: 3, applicationName: "test" }).initialize();
  const ctx = await testContext({ db });
  const queues = connectQueues({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, { log: ctx.log });
  return { databaseUrl, db, ctx, queues };
}

const messages = (lines: Record<string, unknown>[]): string[] => lines.map(({ message }) => String(message));

describe("a worker's process", function () {
  this.timeout(60_000);
  afterEach(killWorkerProcesses);

  it("names the workers when it is asked for an unknown one", async () => {
    const worker = startWorkerProcess("invoice", {});
    expect(await worker.exited).to.include({ code: 1 });
    expect(worker.output()).to.include("chain-watch|lightning-watch|invoices|confirmations");
  });

  it("lists every invalid setting and exits with 1", async () => {
    const worker = startWorkerProcess("invoices", {
      NETWORK: "testnet",
      APP_SECRET: "too-short-a-secret",
      REDIS_URL: "http://127.0.0.1",
      WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/33",
      RATES_SOURCES: "fixed:USD=60000,EURO=1",
    });
    expect(await worker.exited).to.include({ code: 1 });
    const [line] = worker.lines;
    expect(line).to.include({ level: "error", worker: "invoices" });
    const problems = (line?.problems as string[]).join("\n");
    for (const name of ["DATABASE_URL", "NETWORK", "APP_SECRET", "REDIS_URL"])
      expect(problems).to.include(name);
    expect(worker.output()).to.not.include("too-short-a-secret");
  });

  it("watches LND though the queue is away, and does nothing without LND", async () => {
    const { databaseUrl, db, ctx, queues } = await installation();
    await queues.close();
    const node = await SimulatedLnd.start();
    const lightning = makeLndClient(lndSettingsOf(node.grpc));
    const store = await buildStore(ctx);
    await db.query(
      "INSERT INTO store_payment_methods (store_id, type, lightning_node_id) VALUES ($1, 'BTC-LN', 'lnd_server')",
      [store.id],
    );
    const { methods } = await buildInvoice(
      { ...ctx, lightning: serverNode(lightning) },
      { store, paymentMethods: ["BTC-LN"] },
    );
    const environment = { DATABASE_URL: databaseUrl, REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const idle = startWorkerProcess("lightning-watch", environment);
    await idle.ready;
    const watcher = startWorkerProcess("lightning-watch", { ...environment, ...lndEnvironment(node.grpc) });
    await watcher.ready;
    await node.pay(methods[0]?.destination ?? "");
    await eventually(async () => (await db.manager.count(Payment)) === 1);
    for (const worker of [idle, watcher]) {
      worker.kill("SIGTERM");
      expect((await worker.exited).code).to.equal(0);
    }
    lightning.close();
    await node.stop();
    await db.destroy();
  });

  describe("on a database of its own", () => {
    let made: { databaseUrl: string; db: DataSource; ctx: TestContext; queues: Queues };
    let receiver: Receiver;
    beforeEach(async () => {
      made = await installation();
      receiver = await startReceiver();
    });
    afterEach(async () => {
      await killWorkerProcesses();
      await receiver.close();
      await made.queues.close();
      await made.db.destroy();
    });
    const heartbeats = () =>
      made.db.query<{ worker: string }[]>("SELECT worker FROM heartbeats ORDER BY worker");

    it("reports that it lives, and stops at once when nothing is under way", async () => {
      const worker = startWorkerProcess("confirmations", { DATABASE_URL: made.databaseUrl });
      await worker.ready;
      await eventually(async () => (await heartbeats()).length === 1);
      expect(await heartbeats()).to.deep.equal([{ worker: "confirmations" }]);
      worker.kill("SIGTERM");
      expect(await worker.exited).to.deep.equal({ code: 0, signal: null });
      expect(await heartbeats()).to.deep.equal([]);
      expect(messages(worker.lines)).to.include.members(["ready", "stopping", "stopped"]);
      expect(worker.output()).to.not.include(new URL(made.databaseUrl).password);
    });

    it("runs every worker in one process, each alive under its own name, and stops them together", async () => {
      const workers = startWorkerProcess("workers", { DATABASE_URL: made.databaseUrl });
      await workers.ready;
      const names = [
        "chain-watch",
        "confirmations",
        "invoice-expiry",
        "invoices",
        "lightning-watch",
        "reconcile",
        "webhook-delivery",
        "workers",
      ];
      await eventually(async () => (await heartbeats()).length === names.length);
      expect((await heartbeats()).map(({ worker }) => worker)).to.deep.equal(names);
      await eventually(() => workers.lines.some(({ worker }) => worker === "chain-watch"));
      workers.kill("SIGTERM");
      expect(await workers.exited).to.deep.equal({ code: 0, signal: null });
      expect(await heartbeats()).to.deep.equal([]);
    });

    it("stops while its queues still wait for Redis, and leaves no heartbeat", async () => {
      const workers = startWorkerProcess("workers", {
        DATABASE_URL: made.databaseUrl,
        REDIS_URL: "redis://127.0.0.1:1",
      });
      await eventually(() => workers.output().includes("waiting for Redis"));
      workers.kill("SIGTERM");
      expect(await workers.exited).to.include({ signal: null });
      expect(await heartbeats()).to.deep.equal([]);
    });

    it("refuses another APP_SECRET than the first, unless the first is given as the old one", async () => {
      const databaseUrl = made.databaseUrl;
      const first = startWorkerProcess("confirmations", { DATABASE_URL: databaseUrl });
      await first.ready;
      const other = "another secret of more than 32 characters";
      const second = startWorkerProcess("confirmations", { DATABASE_URL: databaseUrl, APP_SECRET: other });
      expect(await second.exited).to.include({ code: 1 });
      expect(messages(second.lines).join()).to.include("APP_SECRET is not the one");
      expect(second.output()).to.not.include(other);
      const third = startWorkerProcess("confirmations", {
        DATABASE_URL: databaseUrl,
        APP_SECRET: other,
        APP_SECRET_OLD: "a test secret of more than 32 characters",
      });
      await third.ready;
    });

    it("encrypts everything again when reconcile starts with another APP_SECRET, whatever the schedule", async () => {
      const secrets = ["a test", "a second", "a third"].map(
        (which) => `${which} secret of more than 32 characters`,
      );
      const creator = startWorkerProcess("confirmations", { DATABASE_URL: made.databaseUrl });
      await creator.ready;
      for (const [before, secret] of secrets.slice(1).entries()) {
        const settings = {
          DATABASE_URL: made.databaseUrl,
          APP_SECRET: secret,
          APP_SECRET_OLD: secrets[before] ?? "",
        };
        const worker = startWorkerProcess("reconcile", settings);
        await worker.ready;
        await eventually(
          () => messages(worker.lines).join().includes("APP_SECRET_OLD can be removed"),
          20_000,
        );
        worker.kill("SIGTERM");
        await worker.exited;
      }
    });

    it("finishes and records a webhook under way before it stops", async () => {
      const store = await buildStore(made.ctx);
      await buildWebhook(made.ctx, store, `${receiver.url}/hook`);
      await buildInvoice(made.ctx, { store });
      receiver.answer("/hook", { kind: "status", status: 200, holdMs: 2_000 });
      const worker = startWorkerProcess("webhook-delivery", { DATABASE_URL: made.databaseUrl });
      await worker.ready;
      await made.queues.enqueue("webhook-delivery", made.ctx.jobsOf("webhook-delivery"));
      await eventually(() => receiver.requests.length === 1);
      worker.kill("SIGINT");
      expect(await worker.exited).to.deep.equal({ code: 0, signal: null });
      expect(receiver.requests[0]?.answered).to.equal(200);
      const [delivery] = await made.db.manager.find(WebhookDelivery);
      expect(delivery).to.include({ state: "delivered", httpStatus: 200, attemptCount: 1 });
    });

    it("records a webhook under way also where a watcher's end ends all of them", async () => {
      const url = new URL(made.databaseUrl);
      const gate = TcpGate.make(0);
      await gate.open(Number(url.port));
      url.port = String(gate.port);
      const store = await buildStore(made.ctx);
      await buildWebhook(made.ctx, store, `${receiver.url}/hook`);
      await buildInvoice(made.ctx, { store });
      receiver.answer("/hook", { kind: "status", status: 200, holdMs: 2_000 });
      const workers = startWorkerProcess("workers", { DATABASE_URL: url.href });
      await workers.ready;
      await eventually(() => receiver.requests.length === 1);
      gate.freeze();
      await eventually(() => messages(workers.lines).includes("process: fatal error"), 40_000);
      gate.thaw();
      expect(await workers.exited).to.deep.equal({ code: 1, signal: null });
      const [delivery] = await made.db.manager.find(WebhookDelivery);
      expect(delivery).to.include({ state: "delivered", attemptCount: 1 });
      await gate.close();
    });
  });
});
