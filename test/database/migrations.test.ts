import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { format, resolveConfig } from "prettier";
import { createDataSource, ENTITIES } from "../../database/data-source";
import { readSchemaObjects } from "../../database/schema-objects";
import { appliedMigrations } from "../../database/server-facts";
import { getMetadataArgsStorage, type DataSource } from "typeorm";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { Wallet } from "../../entities/wallet";
import { testDatabaseUrl } from "../support/database";

const { classOf, writeMigration } = require("../../scripts/npm/new-migration.cjs") as {
  classOf: (file: string) => string;
  writeMigration: (name: string, folder?: string, now?: number) => string;
};

const NAMES = "NameWalletsAndSyncs1766300000000";
const KEY_PERMISSIONS = "KeyPermissions1766400000000";
const INVITATION_MAKER = "InvitationMaker1795746749976";
const WEBHOOK_URL_KEY = "WebhookUrlKey1795752038898";
const DIALECT = "WebhookDialect1766410000000";
const FOLDER = path.join(__dirname, "../../database/migrations");
const tablesOf = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'migrations' ORDER BY 1`;

const connect = (databaseUrl: string): Promise<DataSource> =>
  createDataSource({ databaseUrl, poolMax: 2, applicationName: "test" }).initialize();

describe("migrations", () => {
  it("go up, down and up again and leave no difference to the entities", async () => {
    const dataSource = await connect(await testDatabaseUrl({ empty: true }));
    const applied = await dataSource.runMigrations();
    expect(applied.length).to.be.greaterThan(0);
    for (const migration of applied) expect(migration.name).to.match(/\d{13}$/);

    while ((await dataSource.query<unknown[]>("SELECT 1 FROM migrations")).length > 0)
      await dataSource.undoLastMigration();
    expect(await dataSource.query(tablesOf)).to.deep.equal([]);

    expect(await dataSource.runMigrations()).to.have.length(applied.length);
    const difference = await dataSource.driver.createSchemaBuilder().log();
    expect(difference.upQueries.map(({ query }) => query)).to.deep.equal([]);
    const tables = await dataSource.query<unknown[]>(tablesOf);
    expect(tables).to.have.length(ENTITIES.length);
    await dataSource.destroy();
  });

  it("need no more rights than those of the database's owner", async () => {
    const databaseUrl = await testDatabaseUrl({ empty: true });
    const admin = await connect(databaseUrl);
    const { pathname } = new URL(databaseUrl);
    const role = `owner_${pathname.slice(1)}`;
    await admin.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'secret'`);
    await admin.query(`ALTER DATABASE "${pathname.slice(1)}" OWNER TO "${role}"`);
    await admin.destroy();
    const dataSource = await connect(
      Object.assign(new URL(databaseUrl), { username: role, password: "secret" }).href,
    );
    expect(await dataSource.runMigrations()).not.to.have.length(0);
    const rights = await dataSource.query<unknown[]>(
      "SELECT rolsuper FROM pg_roles WHERE rolname = current_user",
    );
    expect(rights).to.deep.equal([{ rolsuper: false }]);
    await dataSource.destroy();
  });

  it("name a payment without an invoice, and change nothing until it has a store", async () => {
    const dataSource = await connect(await testDatabaseUrl());
    const lastApplied = async (): Promise<string | undefined> =>
      (await appliedMigrations(dataSource.manager))[0];
    while ((await lastApplied()) !== "DecisionsInColumns1766100000000") await dataSource.undoLastMigration();
    await dataSource.query(
      `INSERT INTO payments (id, invoice_id, type, amount_sats, state, first_seen_at)
       VALUES ('aa:0', 'inv_gone', 'BTC-CHAIN', 1, 'pending', now())`,
    );
    const failure: unknown = await dataSource.runMigrations().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect((failure as Error).message).to.include("1, the first is aa:0 of invoice inv_gone");
    expect(await lastApplied()).to.equal("DecisionsInColumns1766100000000");

    await dataSource.query("UPDATE payments SET store_id = 'a'");
    await dataSource.runMigrations();
    expect(await dataSource.query("SELECT id FROM payments")).to.deep.equal([{ id: "aa:0" }]);
    await dataSource.destroy();
  });

  it("give tables the glossary's words with all that is named after them, and take them back when undone", async () => {
    const db = await connect(await testDatabaseUrl());
    for (const entity of [Wallet, PaymentMethodSync]) {
      const { tableName, primaryColumns } = db.getMetadata(entity);
      const key = db.namingStrategy.primaryKeyName(
        tableName,
        primaryColumns.map(({ databaseName }) => databaseName),
      );
      const found = `SELECT conname AS key FROM pg_constraint WHERE conrelid = '${tableName}'::regclass AND contype = 'p'`;
      expect(await db.query(found), tableName).to.deep.equal([{ key }]);
    }

    while ((await appliedMigrations(db.manager)).includes(NAMES)) await db.undoLastMigration();
    const before = await connect(await testDatabaseUrl({ empty: true }));
    const runner = before.createQueryRunner();
    const names = before.migrations.findIndex(({ name }) => name === NAMES);
    for (const migration of before.migrations.slice(0, names)) await migration.up(runner);
    expect(await readSchemaObjects(db.manager)).to.deep.equal(await readSchemaObjects(runner.manager));
    await runner.release();
    await Promise.all([db.destroy(), before.destroy()]);
  });

  it("let an event have several deliveries to a webhook, and leave the older rows as they were", async () => {
    const db = await connect(await testDatabaseUrl());
    while ((await appliedMigrations(db.manager)).includes(DIALECT)) await db.undoLastMigration();
    await db.query(
      `INSERT INTO webhooks (id, store_id, url, events, secret_encrypted, created_at)
       VALUES ('wh', 'a', 'https://shop.example', '{Settled}', 'x', now())`,
    );
    const deliver = (id: string, rest = "", values = ""): Promise<unknown> =>
      db.query(
        `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at${rest})
         VALUES ($1, 'evt', 1, 'wh', 'a', 'inv', now()${values})`,
        [id],
      );
    await deliver("whd_0", ", state", ", 'failed'");
    // As after an interruption: its index is not complete.
    await db.query("CREATE UNIQUE INDEX webhook_deliveries_new_key ON webhook_deliveries (id)");
    await db.query(
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'webhook_deliveries_new_key'::regclass",
    );
    await db.runMigrations();
    expect(
      await db.query(
        "SELECT state, part, dialect_type, dialect_fields, retry_count, retry_at FROM webhook_deliveries",
      ),
    ).to.deep.equal([
      { state: "failed", part: 0, dialect_type: null, dialect_fields: null, retry_count: 0, retry_at: null },
    ]);
    expect(
      await db.query("SELECT events, dialect, specific_events, automatic_redelivery FROM webhooks"),
    ).to.deep.equal([
      { events: ["Settled"], dialect: "native", specific_events: null, automatic_redelivery: false },
    ]);
    await deliver("whd_1", ", part, dialect_type", ", 1, 'InvoiceSettled'");
    const twice: unknown = await deliver("whd_2", ", part", ", 1").catch((error: unknown) => error);
    expect(String(twice)).to.include("webhook_deliveries_once");

    await db.query("UPDATE webhooks SET dialect = 'greenfield', automatic_redelivery = true");
    while ((await appliedMigrations(db.manager)).includes(DIALECT)) await db.undoLastMigration();
    expect(await db.query("SELECT id FROM webhook_deliveries")).to.deep.equal([{ id: "whd_0" }]);
    expect(await db.query("SELECT enabled FROM webhooks WHERE deleted_at IS NOT NULL")).to.deep.equal([
      { enabled: false },
    ]);
    await db.destroy();
  });

  it("delete keys with permissions when these are undone, and keep the others", async () => {
    const db = await connect(await testDatabaseUrl());
    await db.query(
      `INSERT INTO api_keys (id, store_id, name, prefix, hash, permissions, created_at)
       VALUES ('key_till', 'a', 'till', 'p', '\\x01', NULL, now()),
              ('key_shop', 'a', 'shop', 'p', '\\x02', '{btcpay.store.canviewinvoices}', now())`,
    );
    while ((await appliedMigrations(db.manager)).includes(KEY_PERMISSIONS)) await db.undoLastMigration();
    expect(await db.query("SELECT id FROM api_keys")).to.deep.equal([{ id: "key_till" }]);
    await db.destroy();
  });

  it("delete invitations whose makers may not invite when the makers are undone, and keep the others", async () => {
    const db = await connect(await testDatabaseUrl());
    await db.query(
      `INSERT INTO users (id, email, admin, disabled_at)
       VALUES ('owner', 'a@example.com', false, NULL), ('member', 'b@example.com', false, NULL),
              ('admin', 'c@example.com', true, NULL), ('disabled', 'd@example.com', true, now())`,
    );
    await db.query(
      `INSERT INTO store_members (store_id, user_id, role, created_at)
       VALUES ('a', 'owner', 'owner', now()), ('a', 'member', 'member', now()), ('b', 'member', 'owner', now()),
              ('a', 'disabled', 'owner', now())`,
    );
    await db.query(
      `INSERT INTO store_invitations (store_id, user_id, role, created_by_user_id, created_at, expires_at)
       SELECT 'a', coalesce('by ' || maker, 'older'), 'owner', maker, now(), now()
         FROM unnest(ARRAY['owner', 'member', 'admin', 'disabled', 'gone', NULL]) AS maker`,
    );
    while ((await appliedMigrations(db.manager)).includes(INVITATION_MAKER)) await db.undoLastMigration();
    expect(await db.query("SELECT user_id FROM store_invitations ORDER BY 1")).to.deep.equal([
      { user_id: "by admin" },
      { user_id: "by owner" },
      { user_id: "older" },
    ]);
    await db.destroy();
  });

  it("take from the audit log which key set a webhook's URL last", async () => {
    const db = await connect(await testDatabaseUrl());
    while ((await appliedMigrations(db.manager)).includes(WEBHOOK_URL_KEY)) await db.undoLastMigration();
    const webhooks = ["by-key", "moved-by-key", "moved-by-user", "enabled-by-key", "unknown"];
    await db.query(
      `INSERT INTO webhooks (id, store_id, url, events, secret_encrypted, created_at)
       SELECT id, 'a', 'https://shop.example', '{}', '\\x01', now() FROM unnest($1::text[]) AS id`,
      [webhooks],
    );
    await db.query(
      `INSERT INTO audit_log (id, at, actor_kind, actor_id, action, store_id, subject, details)
       SELECT subject || at, '2026-01-01'::timestamptz + at * interval '1 day', kind, actor, action, 'a', subject, details::jsonb
         FROM (VALUES
           ('by-key', 1, 'key', 'key_1', 'webhook.created', '{"origin": "https://shop.example"}'),
           ('moved-by-key', 1, 'user', 'usr_1', 'webhook.created', '{"origin": "https://shop.example"}'),
           ('moved-by-key', 2, 'key', 'key_2', 'webhook.changed', '{"origin": "https://other.example"}'),
           ('moved-by-user', 1, 'key', 'key_1', 'webhook.created', '{"origin": "https://shop.example"}'),
           ('moved-by-user', 2, 'user', 'usr_1', 'webhook.changed', '{"origin": "https://other.example"}'),
           ('enabled-by-key', 1, 'user', 'usr_1', 'webhook.created', '{"origin": "https://shop.example"}'),
           ('enabled-by-key', 2, 'key', 'key_1', 'webhook.changed', '{"enabled": true}')
         ) AS entry (subject, at, kind, actor, action, details)`,
    );
    await db.runMigrations();
    const rows = await db.query<{ id: string; key: string | null }[]>(
      "SELECT id, url_set_by_key_id AS key FROM webhooks ORDER BY array_position($1::text[], id)",
      [webhooks],
    );
    expect(rows.map(({ id, key }) => [id, key])).to.deep.equal([
      ["by-key", "key_1"],
      ["moved-by-key", "key_2"],
      ["moved-by-user", null],
      ["enabled-by-key", null],
      ["unknown", null],
    ]);
    await db.destroy();
  });

  it("have a class with the name and the number of their file", () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));
    expect(files).not.to.be.empty;
    for (const file of files)
      expect(readFileSync(path.join(FOLDER, file), "utf8"), file)
        .to.contain(`export class ${classOf(path.parse(file).name)} implements`)
        .and.to.contain(`name = "${classOf(path.parse(file).name)}"`);
  });

  describe("written by npm run migration:new", () => {
    let folder: string;
    beforeEach(() => void (folder = mkdtempSync(path.join(os.tmpdir(), "quittance-migration-"))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it("are formatted, and go up and down once they are filled in", async () => {
      const file = writeMigration("add-invoice-notes", folder, 1_900_000_000_000);
      expect(file).to.equal("1900000000000-add-invoice-notes.ts");
      const written = path.join(folder, file);
      const text = readFileSync(written, "utf8");
      const config = await resolveConfig(path.join(FOLDER, file));
      expect(await format(text, { ...config, filepath: file })).to.equal(text);

      const [up, down] = ["CREATE TABLE notes (id text)", "DROP TABLE notes"];
      writeFileSync(written, text.replace("``", `\`${up}\``).replace("``", `\`${down}\``));
      const databaseUrl = await testDatabaseUrl({ empty: true });
      const dataSource = createDataSource({ databaseUrl, poolMax: 2, applicationName: "test" });
      const { migrations } = dataSource.options;
      dataSource.setOptions({ migrations: [...(migrations as string[]), path.join(folder, "[0-9]*.ts")] });
      await dataSource.initialize();
      const applied = await dataSource.runMigrations();
      expect(applied.at(-1)?.name).to.equal("AddInvoiceNotes1900000000000");
      expect(await dataSource.query("SELECT * FROM notes")).to.deep.equal([]);
      await dataSource.undoLastMigration();
      expect(await dataSource.query("SELECT to_regclass('notes') AS name")).to.deep.equal([{ name: null }]);
      await dataSource.destroy();
    });

    it("come after all others, even when the clock is behind, and replace none", () => {
      writeFileSync(path.join(folder, "1900000000000-former.ts"), "");
      expect(writeMigration("a", folder, 1_800_000_000_000)).to.equal("1900000000001-a.ts");
      expect(writeMigration("a", folder, 1_800_000_000_000)).to.equal("1900000000002-a.ts");
    });

    it("have a name that a class can have", () => {
      for (const name of ["", "Add-Notes", "add_notes", "1-add", "../add", "add--notes", "a".repeat(61)])
        expect(() => writeMigration(name, folder), name).to.throw(RangeError, "such as add-invoice-notes");
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  });

  it("serve entities whose every column names its type, since the compiler emits none", () => {
    const silent = getMetadataArgsStorage().columns.filter(
      ({ options, mode }) => options.type === undefined && mode !== "virtual",
    );
    expect(silent.map(({ target, propertyName }) => `${String(target)}.${propertyName}`)).to.deep.equal([]);
  });
});
