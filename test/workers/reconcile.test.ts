import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { makeAlertClient } from "../../adapters/http/alert-client";
import { connectQueues } from "../../adapters/queues/connect";
import type { AlertMessage } from "../../commands/ports";
import { parseConfig } from "../../config/load";
import { Alert } from "../../entities/alert";
import { Invoice } from "../../entities/invoice";
import { startReconcile } from "../../workers/reconcile";
import type { WorkerParts } from "../../workers/worker";
import { recordingLog, testContext, TEST_APP_SECRET } from "../support/context";
import { testDatabase, testDatabaseUrl } from "../support/database";
import { buildInvoice, buildStore } from "../support/factories";
import { eventually } from "../support/eventually";
import { lookedAtChain } from "../support/looked-at-chain";
import { redisAvailable, testRedis } from "../support/redis";

describe("reconcile with a Redis that refuses writes", function () {
  this.timeout(90_000);
  before(function () {
    if (!redisAvailable()) this.skip();
  });

  it("decides what is due and sends the alert queue-away, which it ends when Redis accepts writes again", async () => {
    const redis = await testRedis();
    const ctx = await testContext({ db: await testDatabase() });
    const received: AlertMessage[] = [];
    const receiver = http.createServer((request, response) => {
      void text(request).then((body) => {
        received.push(JSON.parse(body) as AlertMessage);
        response.end();
      });
    });
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    const { log, lines } = recordingLog();
    const alertUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const config = parseConfig({
      DATABASE_URL: await testDatabaseUrl(),
      REDIS_URL: redis.url,
      PUBLIC_URL: ctx.settings.publicUrl,
      APP_SECRET: TEST_APP_SECRET,
      NETWORK: "regtest",
      ALERT_URL: alertUrl,
    });
    const queues = connectQueues(config, { log, workers: 1 });
    const onFatal = (error: Error): never => {
      throw error;
    };
    // Of what a process has, as much as this one asks for.
    const parts: Partial<WorkerParts> = {
      instanceId: "ins_test",
      ctx: { ...ctx, alertChannels: [makeAlertClient(alertUrl)] },
      config,
      queues,
      log,
      onFatal,
    };
    await redis.admin.config("SET", "maxmemory", "1");
    ctx.clock.freeze(new Date("2026-03-01T12:00:00Z"));
    const { invoice } = await buildInvoice(ctx, { store: await buildStore(ctx) });
    ctx.clock.advance(16 * 60_000);
    await lookedAtChain(ctx);
    const worker = await startReconcile(parts as WorkerParts);
    await eventually(() => lines.some(({ message }) => message === "queue: waiting for Redis"));
    await eventually(
      async () => (await ctx.db.manager.findOneByOrFail(Invoice, { id: invoice.id })).status === "Expired",
    );
    await eventually(() => {
      ctx.clock.advance(60_000);
      return received.length > 0;
    }, 45_000);
    expect(received[0]).to.include({ kind: "queue-away", severity: "critical" });
    expect(received[0]?.message).to.include("Raise its maxmemory");

    await redis.admin.config("SET", "maxmemory", "0");
    await eventually(async () => {
      const [alert] = await ctx.db.manager.findBy(Alert, { kind: "queue-away" });
      expect(alert?.resolvedAt).to.be.instanceOf(Date);
    }, 45_000);
    await worker.close();
    await queues.close();
    receiver.close();
    await ctx.db.destroy();
    await redis.stop();
  });
});
