import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { format, resolveConfig } from "prettier";
import { makeSecretBox } from "../../adapters/crypto";
import { DatabaseRefusedError } from "../../adapters/database";
import { createDataSource, ENTITIES } from "../../database/data-source";
import { getMetadataArgsStorage, type DataSource } from "typeorm";
import { migrateDatabase } from "../../scripts/cli/migrate";
import { TEST_APP_SECRET } from "../support/context";
import { testDatabaseUrl } from "../support/database";

const { classOf, writeMigration } = require("../../scripts/npm/new-migration.cjs") as {
  classOf: (file: string) => string;
  writeMigration: (name: string, folder?: string, now?: number) => string;
};

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

  it("are not applied to a database of an earlier checkout, and say by which commit it is migrated first", async () => {
    const databaseUrl = await testDatabaseUrl({ empty: true });
    const dataSource = await connect(databaseUrl);
    await dataSource.query(
      "CREATE TABLE migrations (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL)",
    );
    await dataSource.query(
      "INSERT INTO migrations (timestamp, name) VALUES (1796000300000, 'ReportKinds1796000300000')",
    );
    const facts = { network: "regtest", ...makeSecretBox({ appSecret: TEST_APP_SECRET }) } as const;
    const error = await migrateDatabase(databaseUrl, facts).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DatabaseRefusedError);
    expect(String(error)).to.include("ReportKinds1796000300000").and.include("commit c56e6010");
    expect(await dataSource.query(tablesOf)).to.deep.equal([]);
    await dataSource.destroy();
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
