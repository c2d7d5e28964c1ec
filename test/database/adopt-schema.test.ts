import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../adapters/crypto";
import { showPaymentMethod } from "../../commands/wallets/list-payment-methods";
import { readInvoice } from "../../commands/invoices/read-invoice";
import { reencryptSecrets } from "../../commands/installation/reencrypt-secrets";
import { webhookSecretPlace } from "../../commands/server/sealed-places";
import { createDataSource } from "../../database/data-source";
import { Invoice } from "../../entities/invoice";
import { Store } from "../../entities/store";
import { Webhook } from "../../entities/webhook";
import { migrateDatabase } from "../../scripts/cli/migrate";
import { TEST_APP_SECRET, testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice } from "../support/factories";
import { checkInvariants } from "../support/invariants";

const DUMP = readFileSync(path.join(__dirname, "../fixtures/database/former-migrations.sql"), "utf8");
const INITIAL = "InitialSchema1795700000001";
const LAST_BEFORE = "ReportKinds1796000300000";

describe("a database with the migrations before the initial one", () => {
  const facts = { network: "regtest", ...makeSecretBox({ appSecret: TEST_APP_SECRET }) } as const;
  let databaseUrl: string;
  let db: DataSource;

  const connect = (url: string): Promise<DataSource> =>
    createDataSource({ databaseUrl: url, poolMax: 4, applicationName: "test" }).initialize();

  beforeEach(async () => {
    databaseUrl = await testDatabaseUrl({ empty: true });
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(DUMP);
    await client.end();
    db = await connect(databaseUrl);
  });
  afterEach(() => db.destroy());

  const migrate = (): Promise<string[]> => migrateDatabase(databaseUrl, facts);
  const applied = async (): Promise<string[]> =>
    (await db.query<{ name: string }[]>("SELECT name FROM migrations ORDER BY timestamp")).map(
      ({ name }) => name,
    );
  /** It says these words, and the history is as it was. */
  async function isRefused(...words: string[]): Promise<void> {
    const before = await applied();
    const error: unknown = await migrate().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
    for (const word of words) expect(String(error)).to.include(word);
    expect(await applied()).to.deep.equal(before);
    const schemas = await db.query<unknown[]>(
      "SELECT 1 FROM pg_namespace WHERE nspname = 'quittance_initial_schema'",
    );
    expect(schemas).to.deep.equal([]);
  }

  it("is recorded as one with the initial migration, keeps its rows, and continues", async () => {
    const counts = (): Promise<unknown> =>
      db.query(
        `SELECT (SELECT count(*) FROM invoices) AS invoices, (SELECT count(*) FROM payments) AS payments,
                (SELECT count(*) FROM webhook_attempts WHERE state = 'delivered') AS sent`,
      );
    const before = await counts();
    expect(before).to.deep.equal([{ invoices: "4", payments: "2", sent: "6" }]);
    const [first, ...later] = await migrate();
    expect(first).to.equal(INITIAL);
    expect(await migrate()).to.deep.equal([]);
    const names = db.migrations.map(({ name = "" }) => name);
    expect(await applied()).to.deep.equal(names);
    expect(later).to.include.members(names.slice(1));

    expect(await counts()).to.deep.equal(before);
    const difference = await db.driver.createSchemaBuilder().log();
    expect(difference.upQueries.map(({ query }) => query)).to.deep.equal([]);
    const ctx = await testContext({ db });
    const [invoice] = await db.manager.findBy(Invoice, { status: "New", amount: "100000" });
    if (invoice === undefined) throw new Error("there is no such invoice");
    const { methods } = await readInvoice(ctx, invoice.storeId, invoice.id);
    expect(methods.map(({ type, available }) => [type, available])).to.deep.equal([
      ["BTC-CHAIN", true],
      ["BTC-LN", true],
    ]);
    const { wallet } = await showPaymentMethod(ctx, invoice.storeId, "BTC-CHAIN");
    expect(wallet).to.deep.include({ nextIndex: 4 });
    expect(wallet?.fingerprint, "its key is still readable").to.match(/^[0-9a-f]{8}$/);
    const webhook = await db.manager.findOneByOrFail(Webhook, {});
    expect(ctx.secrets.decrypt(webhook.secretEncrypted, webhookSecretPlace(webhook.id))).to.match(/^whsec_/);
    expect((await buildInvoice(ctx)).methods[0]?.available).to.equal(true);
    await checkInvariants(db);
  });

  it("has values that can be encrypted again under a new APP_SECRET", async () => {
    await migrate();
    const appSecret = "the next secret, long enough to be one";
    const both = makeSecretBox({ appSecret, appSecretOld: TEST_APP_SECRET });
    const during = await testContext({ db, secrets: both });
    expect(await reencryptSecrets(during)).to.be.greaterThan(0);
    expect(during.lines.filter(({ level }) => level === "error")).to.deep.equal([]);

    const ctx = await testContext({ db, secrets: makeSecretBox({ appSecret }) });
    const store = await db.manager.findOneByOrFail(Store, { name: "A store" });
    const { wallet } = await showPaymentMethod(ctx, store.id, "BTC-CHAIN");
    expect(wallet?.fingerprint).to.match(/^[0-9a-f]{8}$/);
    const [invoice] = await db.manager.findBy(Invoice, { status: "New", amount: "100000" });
    const { methods } = await readInvoice(ctx, store.id, invoice?.id ?? "");
    expect(methods.every(({ available }) => available)).to.equal(true);
  });

  it("is recorded once when two migrate at once", async () => {
    const [one, other] = await Promise.all([migrate(), migrate()]);
    expect([...one, ...other].filter((name) => name === INITIAL)).to.have.length(1);
    expect((await applied()).filter((name) => name === INITIAL)).to.have.length(1);
  });

  it("may have foreign tables", async () => {
    await db.query("CREATE TABLE reports (id text)");
    await db.query("CREATE VIEW paid AS SELECT id FROM invoices WHERE status = 'Settled'");
    expect(await migrate()).to.include(INITIAL);
  });

  it("is refused when it lacks the last of them, with a message that says what to run first", async () => {
    await db.query("DELETE FROM migrations WHERE name = $1", [LAST_BEFORE]);
    // Sealed as it was then: the answer must not be that APP_SECRET is wrong.
    await db.query("UPDATE installation SET secret_check = '\\x01'");
    await isRefused("SetAsideTransactions1796000200000", LAST_BEFORE, "commit 147cf0d9", "-- migrate`");
  });

  for (const [statement, difference] of [
    ["ALTER TABLE invoices ALTER amount TYPE varchar(20)", "missing: column invoices.amount text NOT NULL"],
    ["ALTER TABLE invoices ADD note text", "too much: column invoices.note text"],
    ["ALTER TABLE stores ALTER name DROP NOT NULL", "missing: column stores.name text NOT NULL"],
    ["ALTER TABLE stores ALTER expires_in_seconds SET DEFAULT 60", "integer NOT NULL DEFAULT 900"],
    [
      "ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_once",
      "UNIQUE (event_id, webhook_id, part)",
    ],
    ["DROP INDEX payments_txid", "missing: index CREATE INDEX payments_txid ON payments"],
    ["CREATE INDEX mine ON payments (amount_sats)", "too much: index CREATE INDEX mine ON payments"],
    ["UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'payments_txid'::regclass", "(invalid)"],
    ["ALTER TABLE payments SET (fillfactor = 50)", "options {fillfactor=50}"],
    ["ALTER TABLE leases SET UNLOGGED", "too much: table leases of kind ru"],
    ["DROP TABLE passkeys", "missing: table passkeys of kind rp"],
    [
      "CREATE TRIGGER guard BEFORE UPDATE ON leases FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
      "too much: trigger CREATE TRIGGER guard",
    ],
  ] as const)
    it(`is refused after ${statement.split(" FOR ")[0]}`, async () => {
      await db.query(statement);
      await isRefused("differ", difference);
    });

  it("is refused while an app is connected", async () => {
    const app = createDataSource({ databaseUrl, poolMax: 1, applicationName: "quittance api" });
    await app.initialize();
    await isRefused("Stop all apps", "quittance api");
    await app.destroy();
    await eventually(async () => expect(await migrate()).to.include(INITIAL));
  });

  it("is refused when it belongs to another network, before anything is recorded", async () => {
    await db.query("UPDATE installation SET network = 'signet'");
    await isRefused("made for signet");
  });
});
