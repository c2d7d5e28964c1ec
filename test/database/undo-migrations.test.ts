import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../adapters/crypto";
import { DatabaseRefusedError } from "../../adapters/database";
import { createDataSource } from "../../database/data-source";
import { appliedMigrations } from "../../database/server-facts";
import { migrateDatabase, undoMigrations } from "../../scripts/cli/migrate";
import { TEST_APP_SECRET } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { differencesOf, readSchemaObjects } from "../support/schema-objects";

const KEEP = "InitialSchema1795700000001";

describe("a return to an older version", () => {
  const facts = { network: "regtest", ...makeSecretBox({ appSecret: TEST_APP_SECRET }) } as const;
  let databaseUrl: string;
  let db: DataSource;

  const connect = (url: string, lastMigration?: string): Promise<DataSource> =>
    createDataSource({
      databaseUrl: url,
      poolMax: 2,
      applicationName: "test",
      ...(lastMigration === undefined ? {} : { lastMigration }),
    }).initialize();
  const undo = (keep = KEEP, of: Parameters<typeof undoMigrations>[1] = facts): Promise<string[]> =>
    undoMigrations(databaseUrl, of, keep);

  beforeEach(async () => {
    databaseUrl = await testDatabaseUrl({ empty: true });
    await migrateDatabase(databaseUrl, facts);
    db = await connect(databaseUrl);
  });
  afterEach(() => db.destroy());

  async function isRefused(work: Promise<unknown>, ...words: string[]): Promise<void> {
    const before = await appliedMigrations(db.manager);
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DatabaseRefusedError);
    for (const word of words) expect(String(error)).to.include(word);
    expect(await appliedMigrations(db.manager)).to.deep.equal(before);
  }

  it("undoes the migrations after the one that is named, keeps its rows, and leads forward again", async () => {
    await db.query(
      `INSERT INTO api_keys (id, store_id, name, prefix, hash, created_at) VALUES ('key_1', 'a', 'till', 'p', '\\x01', now())`,
    );
    const [last, ...others] = await appliedMigrations(db.manager);
    const undone = await undo();
    expect(undone).to.deep.equal([last, ...others.slice(0, others.indexOf(KEEP))]);
    expect((await appliedMigrations(db.manager))[0]).to.equal(KEEP);

    const older = await connect(await testDatabaseUrl({ empty: true }), KEEP);
    await older.runMigrations();
    const [expected, found] = [await readSchemaObjects(older.manager), await readSchemaObjects(db.manager)];
    expect(differencesOf(expected, found)).to.deep.equal([]);
    expect(differencesOf(found, expected)).to.deep.equal([]);
    await older.destroy();

    expect(await db.query("SELECT id FROM api_keys")).to.deep.equal([{ id: "key_1" }]);
    expect(await migrateDatabase(databaseUrl, facts)).to.deep.equal(undone.toReversed());
    expect(await undo(last)).to.deep.equal([]);
  });

  it("is refused while an app is connected, with its name, but a wrong migration is named first", async () => {
    const app = createDataSource({ databaseUrl, poolMax: 1, applicationName: "quittance api" });
    await app.initialize();
    await isRefused(undo(), "Stop all apps", "quittance api");
    await isRefused(undo("Later1999999999999"), "is not applied");
    await app.destroy();
    await eventually(async () => expect(await undo()).not.to.deep.equal([]));
  });

  it("is refused to a migration that is not applied, with those that are", async () => {
    await isRefused(undo("Later1999999999999"), "Later1999999999999 is not applied", KEEP);
  });

  it("is refused by a version that does not know what is to be undone", async () => {
    await db.query("INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'Later1999999999999')");
    await isRefused(undo(), "does not know Later1999999999999");
  });

  it("is refused in a database of another network", async () => {
    const error: unknown = await undo(KEEP, { ...facts, network: "signet" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).to.include("made for regtest");
    expect((await appliedMigrations(db.manager))[0]).not.to.equal(KEEP);
  });
});
