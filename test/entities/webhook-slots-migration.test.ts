import { expect } from "chai";
import { createDataSource } from "../../entities/data-source";
import { WebhookSlots1764500000060 } from "../../migrations/1764500000060-webhook-slots";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";

describe("the migration to webhook slots", () => {
  it("waits for a long reader without holding up those who come behind it", async () => {
    const databaseUrl = await testDatabaseUrl();
    const settings = { databaseUrl, poolMax: 4, applicationName: "test" };
    const migrator = await createDataSource({ ...settings, unlimited: true }).initialize();
    const service = await createDataSource(settings).initialize();
    const migration = new WebhookSlots1764500000060();
    const runner = migrator.createQueryRunner();
    await migration.down(runner);

    const dump = service.createQueryRunner();
    await dump.startTransaction();
    await dump.query("LOCK TABLE webhook_attempts IN ACCESS SHARE MODE");
    let done = false;
    const up = migration.up(runner).then(() => (done = true));
    await eventually(async () => {
      const rows = await service.query<unknown[]>(
        `SELECT 1 FROM pg_locks WHERE relation = 'webhook_attempts'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`,
      );
      return rows.length > 0;
    });
    // Behind the migration's lock, which is given up before a statement's own wait (10 s) is over.
    await service.query("SELECT 1 FROM webhook_attempts");
    await service.query("UPDATE webhook_attempts SET error = NULL");
    expect(done).to.equal(false);
    await dump.rollbackTransaction();
    await dump.release();
    await up;

    expect(await runner.query("SHOW lock_timeout")).to.deep.equal([{ lock_timeout: "0" }]);
    expect((await migrator.driver.createSchemaBuilder().log()).upQueries).to.deep.equal([]);
    await runner.release();
    await migrator.destroy();
    await service.destroy();
  });
});
