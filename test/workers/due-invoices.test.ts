import { expect } from "chai";
import type { DataSource } from "typeorm";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { parseConfig } from "../../config/load";
import { createDataSource } from "../../database/data-source";
import { startInvoiceExpiry } from "../../workers/invoice-expiry";
import type { Log } from "../../commands/ports";
import { startReconcile } from "../../workers/reconcile";
import type { RunningWorker, StartWorker, WorkerParts } from "../../workers/worker";
import {
  recordingLog,
  testContext,
  TEST_APP_SECRET,
  type LogLine,
  type TestContext,
} from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice } from "../support/factories";
import { lookedAtChain } from "../support/looked-at-chain";
import { poison } from "../support/poison";

describe("the workers of due invoices", () => {
  let db: DataSource;
  let ctx: TestContext;
  let queues: Queues;
  let lines: LogLine[];
  let log: Log;
  let databaseUrl: string;
  let worker: RunningWorker | null = null;
  beforeEach(async () => {
    databaseUrl = await testDatabaseUrl();
    await migrateQueues(databaseUrl);
    db = await createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" }).initialize();
    ctx = await testContext({ db });
    const recorded = recordingLog();
    ({ log, lines } = recorded);
    queues = connectQueues(
      { DATABASE_URL: databaseUrl, REDIS_URL: undefined },
      { log: recorded.log, workers: 1 },
    );
  });
  afterEach(async () => {
    await worker?.close();
    worker = null;
    await queues.close();
    await db.destroy();
  });

  async function start(startWorker: StartWorker): Promise<void> {
    const config = parseConfig({
      DATABASE_URL: databaseUrl,
      PUBLIC_URL: ctx.settings.publicUrl,
      APP_SECRET: TEST_APP_SECRET,
      NETWORK: "regtest",
    });
    const onFatal = (error: Error): never => {
      throw error;
    };
    // Of what a process has, as much as these two ask for.
    const parts: Partial<WorkerParts> = {
      ctx,
      instanceId: "ins_test",
      config,
      queues,
      log,
      onFatal,
    };
    worker = await startWorker(parts as WorkerParts);
  }
  const statusOf = async (id: string) =>
    (await db.query<{ status: string }[]>("SELECT status FROM invoices WHERE id = $1", [id]))[0]?.status;
  it("reconcile decides although held expiries cannot be reported, and logs that", async () => {
    const due = (await buildInvoice(ctx)).invoice.id;
    ctx.clock.advance(16 * 60_000);
    await lookedAtChain(ctx);
    const held = (await buildInvoice(ctx)).invoice.id;
    ctx.clock.advance(16 * 60_000);
    await poison(db, "alerts", "INSERT", "TRUE");
    await start(startReconcile);
    await eventually(async () => (await statusOf(due)) === "Expired");
    await eventually(() =>
      lines.some(
        ({ message, fields }) => message === "reconcile: failed" && String(fields["err"]).includes("poison"),
      ),
    );
    expect(await statusOf(held)).to.equal("New");
  });

  it("invoice-expiry decides the invoice of its job, and skips one that is not due", async () => {
    const due = (await buildInvoice(ctx)).invoice.id;
    ctx.clock.advance(15 * 60_000 + 1_000);
    const later = (await buildInvoice(ctx)).invoice.id;
    await lookedAtChain(ctx);
    await queues.enqueue("invoice-expiry", [{ invoiceId: due }, { invoiceId: later }]);
    await start(startInvoiceExpiry);
    await eventually(() => lines.filter(({ message }) => message === "job: done").length === 2);
    expect(await statusOf(due)).to.equal("Expired");
    expect(await statusOf(later)).to.equal("New");
  });
});
