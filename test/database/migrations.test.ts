import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { createDataSource, ENTITIES } from "../../database/data-source";
import { getMetadataArgsStorage, type DataSource } from "typeorm";
import { camelCase } from "typeorm/util/StringUtils";
import { testDatabaseUrl } from "../support/database";

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

  it("have a class with the name and the number of their file", () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));
    expect(files).not.to.be.empty;
    for (const file of files) {
      const [, number = "", name = ""] = /^(\d{13})-(.+)\.ts$/.exec(file) ?? [];
      expect(readFileSync(path.join(FOLDER, file), "utf8"), file).to.contain(
        `export class ${camelCase(name, true)}${number} implements`,
      );
    }
  });

  it("serve entities whose every column names its type, since the compiler emits none", () => {
    const silent = getMetadataArgsStorage().columns.filter(
      ({ options, mode }) => options.type === undefined && mode !== "virtual",
    );
    expect(silent.map(({ target, propertyName }) => `${String(target)}.${propertyName}`)).to.deep.equal([]);
  });
});
