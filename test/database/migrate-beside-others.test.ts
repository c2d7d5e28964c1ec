import { expect } from "chai";
import type { DataSource, QueryRunner } from "typeorm";
import { makeSecretBox } from "../../adapters/crypto";
import { DatabaseRefusedError } from "../../adapters/database";
import { createDataSource } from "../../database/data-source";
import { appliedMigrations } from "../../database/server-facts";
import { migrateDatabase, undoMigrations } from "../../scripts/cli/migrate";
import { TEST_APP_SECRET } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";

const OLDER = "InitialSchema1795700000001";
/** The first migration after it that changes these tables. */
const TABLES = ["webhooks", "webhook_attempts"];
const CHANGES_THEM = "ReleaseDeliveries1796000400000";

describe("migrations while another session reads a table that they change", () => {
  const facts = { network: "regtest", ...makeSecretBox({ appSecret: TEST_APP_SECRET }) } as const;
  let databaseUrl: string;
  let db: DataSource;
  let backup: QueryRunner;

  beforeEach(async () => {
    databaseUrl = await testDatabaseUrl({ empty: true });
    await migrateDatabase(databaseUrl, facts);
    await undoMigrations(databaseUrl, facts, OLDER);
    const connect = (applicationName: string) =>
      createDataSource({ databaseUrl, poolMax: 2, applicationName }).initialize();
    db = await connect("test");
    backup = (await connect("nightly backup")).createQueryRunner();
    await backup.query("SET idle_in_transaction_session_timeout = 0");
    await backup.startTransaction();
  });
  afterEach(async () => {
    await backup.release();
    await backup.connection.destroy();
    await db.destroy();
  });

  const waiting = async (): Promise<number> => {
    const [row] = await db.query<{ count: number }[]>(
      "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return row?.count ?? 0;
  };

  for (const table of TABLES)
    it(`let the apps read ${table} on, and are done when it ends`, async () => {
      await backup.query(`SELECT count(*) FROM ${table}`);
      const reports: string[] = [];
      const migrated = migrateDatabase(databaseUrl, facts, { report: (text) => reports.push(text) });
      await eventually(async () => expect(await waiting()).to.equal(1));
      // Behind the migration, which waits for the backup.
      await db.query(`SELECT count(*) FROM ${table}`);
      expect(await appliedMigrations(db.manager)).not.to.include(CHANGES_THEM);
      await eventually(() => expect(reports.join()).to.include("nightly backup"));
      await backup.commitTransaction();
      const applied = await migrated;
      expect(applied).to.include(CHANGES_THEM);
      expect((await appliedMigrations(db.manager)).slice(0, applied.length).toReversed()).to.deep.equal(
        applied,
      );
    });

  it("are refused with its name when it does not end, and go on when run again", async () => {
    await backup.query("SELECT count(*) FROM webhooks");
    const refused: unknown = await migrateDatabase(databaseUrl, facts, { giveUpAfterMs: 0 }).catch(
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(DatabaseRefusedError);
    expect(String(refused)).to.include("run this again").and.to.include("nightly backup");
    const before = await appliedMigrations(db.manager);
    expect(before).not.to.include(CHANGES_THEM);
    await backup.commitTransaction();
    expect(await migrateDatabase(databaseUrl, facts)).to.include(CHANGES_THEM);
  });
});
