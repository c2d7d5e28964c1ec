import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { describeTables } from "../../database/describe-tables";
import { dataModel } from "../../scripts/data-model";

const page = readFileSync(path.join(__dirname, "../../docs/data-model.md"), "utf8");

describe("docs/data-model.md", () => {
  it("matches the entities", () => {
    expect(page).to.equal(dataModel());
  });

  it("is not written while a table has no description, or a described one is gone", () => {
    const tables = describeTables();
    const one = { name: "new_table", columns: [], keys: [] };
    expect(() => dataModel([...tables, one])).to.throw("does not describe: new_table");
    expect(() => dataModel(tables.slice(1))).to.throw("which has no entity");
  });
});
