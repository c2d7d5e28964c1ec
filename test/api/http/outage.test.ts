import { expect } from "chai";
import type { DataSource } from "typeorm";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";
import { startApi, type TestApi, type TestStore } from "../server";

describe("API: with the database away", () => {
  let db: DataSource;
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    db = await testDatabase(3);
    api = await startApi({ db });
    shop = await api.store();
  });
  after(() => api.stop());

  const invoices = () => `/stores/${shop.storeId}/invoices`;
  const list = () => api.call("GET", invoices(), { key: shop.apiKey });

  it("answers 503 to requests under way when it went away", async () => {
    const locked = db.createQueryRunner();
    await locked.connect();
    await locked.startTransaction();
    await locked.query("LOCK TABLE invoices");
    const waiting = list();
    await eventually(async () => {
      const rows = (await locked.query("SELECT 1 FROM pg_locks WHERE NOT granted")) as unknown[];
      return rows.length > 0;
    });
    await locked.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()",
    );
    const answer = await waiting;
    expect([answer.status, answer.json.code]).to.deep.equal([503, "unavailable"]);
    expect(answer.headers.get("retry-after")).to.equal("5");
    expect(answer.text).not.to.match(/postgres|127\.0\.0\.1|ECONN/i);
    await locked.rollbackTransaction();
    await locked.release();
    await eventually(async () => expect((await list()).status).to.equal(200));
  });

  it("answers 503 when every connection of the pool is held for too long", async () => {
    const held = [db.createQueryRunner(), db.createQueryRunner(), db.createQueryRunner()];
    for (const runner of held) await runner.connect();
    const answer = await list();
    expect([answer.status, answer.json.code]).to.deep.equal([503, "unavailable"]);
    const health = await api.call("GET", "/health");
    expect([health.status, health.json.status]).to.deep.equal([503, "down"]);
    for (const runner of held) await runner.release();
    expect((await list()).status).to.equal(200);
  });
});
