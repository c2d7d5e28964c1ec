import { expect } from "chai";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { createDataSource } from "../../database/data-source";
import { send, startApi } from "../api/server";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { watchInvariants } from "../support/invariants-always";
import { killWorkerProcesses, startWorkerProcess, type WorkerProcess } from "../support/worker-process";

describe("API: Idempotency-Key with two processes of the API", function () {
  this.timeout(120_000);
  afterEach(killWorkerProcesses);

  async function portOf(process: WorkerProcess): Promise<string> {
    await process.ready;
    const line = process.lines.find(({ message }) => message === "listening");
    return `http://127.0.0.1:${String(line?.["port"])}`;
  }

  it("gives one invoice and one address to 50 requests, also when the working process is killed", async () => {
    const databaseUrl = await testDatabaseUrl();
    await migrateQueues(databaseUrl);
    const db = watchInvariants(
      await createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" }).initialize(),
    );
    const api = await startApi({ db });
    const shop = await api.store();
    // A node that is away: without one that is configured no invoice gets an address.
    const node = { BITCOIND_RPC_URL: "http://user:password@127.0.0.1:1" };
    const settings = { DATABASE_URL: databaseUrl, PORT: "0", RATE_LIMIT_PER_MINUTE: "0", ...node };
    const first = startWorkerProcess("api", settings);
    const second = startWorkerProcess("api", settings);
    const bases = [await portOf(first), await portOf(second)];
    const create = (base: string, key: string) =>
      send(base, "POST", `/api/v1/stores/${shop.storeId}/invoices`, {
        key: shop.apiKey,
        body: { amount: "1000", currency: "SATS" },
        headers: { "idempotency-key": key },
      });

    const parallel = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(bases[index % 2] ?? "", "both")),
    );
    expect(new Set(parallel.map(({ text }) => text)).size).to.equal(1);
    expect(parallel[0]?.status).to.equal(201);
    const counts = `SELECT (SELECT count(*)::int FROM invoices) AS invoices, (SELECT next_index FROM wallets) AS "nextIndex"`;
    expect(await db.query(counts)).to.deep.equal([{ invoices: 1, nextIndex: 1 }]);

    const runner = db.createQueryRunner();
    await runner.startTransaction();
    await runner.query("LOCK TABLE invoice_events IN ACCESS EXCLUSIVE MODE");
    const lost = Array.from({ length: 5 }, () => create(bases[0] ?? "", "killed").catch(() => null));
    await eventually(async () => {
      const rows = await runner.manager.query<unknown[]>(
        "SELECT 1 FROM pg_locks WHERE relation = 'invoice_events'::regclass AND NOT granted",
      );
      return rows.length === 1;
    });
    first.kill("SIGKILL");
    await first.exited;
    await runner.rollbackTransaction();
    await runner.release();
    expect(await Promise.all(lost)).to.deep.equal([null, null, null, null, null]);

    const others = await Promise.all(Array.from({ length: 25 }, () => create(bases[1] ?? "", "killed")));
    expect(new Set(others.map(({ text }) => text)).size).to.equal(1);
    expect(others[0]?.status, others[0]?.text).to.equal(201);
    // Addresses are allocated last: what the dead one had begun left no second invoice, and no hole either.
    expect(await db.query(counts)).to.deep.equal([{ invoices: 2, nextIndex: 2 }]);
    await api.stop();
  });
});
