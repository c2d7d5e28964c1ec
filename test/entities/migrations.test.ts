import { expect } from "chai";
import { createDataSource, ENTITIES } from "../../entities/data-source";
import { getMetadataArgsStorage } from "typeorm";
import { testDatabaseUrl } from "../support/database";

const tablesOf = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'migrations' ORDER BY 1`;

describe("migrations", () => {
  it("go up, down and up again and leave no difference to the entities", async () => {
    const databaseUrl = await testDatabaseUrl({ empty: true });
    const dataSource = createDataSource({ databaseUrl, poolMax: 2, applicationName: "test" });
    await dataSource.initialize();
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

  it("serve entities whose every column names its type, since the compiler emits none", () => {
    const silent = getMetadataArgsStorage().columns.filter(
      ({ options, mode }) => options.type === undefined && mode !== "virtual",
    );
    expect(silent.map(({ target, propertyName }) => `${String(target)}.${propertyName}`)).to.deep.equal([]);
  });
});
