import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../adapters/crypto";
import { acceptRows, findNotAuthentic } from "../../commands/accounts/authentic-rows";
import { createDataSource } from "../../database/data-source";
import { migrateDatabase } from "../../scripts/cli/migrate";
import { TEST_APP_SECRET } from "../support/context";
import { testDatabaseUrl } from "../support/database";

const BEFORE = "WebhookUrlKey1795752038898";

describe("users, keys and roles of a database of the version before", () => {
  const secrets = makeSecretBox({ appSecret: TEST_APP_SECRET });
  const facts = { network: "regtest", ...secrets } as const;
  let databaseUrl: string;

  const connect = (lastMigration?: string): Promise<DataSource> =>
    createDataSource({
      databaseUrl,
      poolMax: 2,
      applicationName: "test",
      ...(lastMigration === undefined ? {} : { lastMigration }),
    }).initialize();
  const insertUser = (db: DataSource, id: string): Promise<unknown> =>
    db.query("INSERT INTO users (id, email, admin) VALUES ($1, $1 || '@example.com', true)", [id]);
  const notAuthentic = async (db: DataSource): Promise<string[]> =>
    (await findNotAuthentic({ db, secrets })).map(({ row }) => row);

  beforeEach(async () => {
    databaseUrl = await testDatabaseUrl({ empty: true });
    const older = await connect(BEFORE);
    await older.runMigrations();
    await insertUser(older, "usr_1");
    await older.query(
      "INSERT INTO store_members (store_id, user_id, role, created_at) VALUES ('s', 'usr_1', 'owner', now())",
    );
    await older.query(
      `INSERT INTO api_keys (id, store_id, name, prefix, hash, permissions, created_at, expires_at)
       VALUES ('key_1', 's', 'till', 'p', '\\x01', '{btcpay.store.canviewinvoices}', now(), now())`,
    );
    await older.query("INSERT INTO stores (id, name, wallet_changes_by_key) VALUES ('s', 'Tea', true)");
    await older.destroy();
  });

  it("are authenticated by migrate, once, and later only on the operator's word", async () => {
    await migrateDatabase(databaseUrl, facts);
    const db = await connect();
    expect(await notAuthentic(db)).to.deep.equal([]);
    // As an app of the version before, which still runs, or as somebody else.
    await insertUser(db, "usr_2");
    await db.query("UPDATE store_members SET role = 'viewer'");
    await migrateDatabase(databaseUrl, facts);
    expect(await notAuthentic(db)).to.deep.equal(["usr_2", "usr_1 s"]);
    expect((await acceptRows({ db, secrets })).map(({ what }) => what)).to.deep.equal([
      "user",
      "store-member",
    ]);
    expect(await notAuthentic(db)).to.deep.equal([]);
    await db.destroy();
  });

  it("are authenticated by the next migrate when one was interrupted before it", async () => {
    const half = await connect("AuthenticAccess1795833600000");
    await half.runMigrations();
    expect(await notAuthentic(half)).to.have.length(4);
    await half.destroy();
    expect(await migrateDatabase(databaseUrl, facts)).to.include("AccessAuthenticated1795833600001");
    const db = await connect();
    expect(await notAuthentic(db)).to.deep.equal([]);
    await db.destroy();
  });
});
