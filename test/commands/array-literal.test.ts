import { expect } from "chai";
import fc from "fast-check";
import type { DataSource } from "typeorm";
import { arrayLiteral } from "../../commands/array-literal";
import { testDatabase } from "../support/database";

describe("an array's text", () => {
  let db: DataSource;
  before(async () => (db = await testDatabase(2)));
  after(() => db.destroy());

  async function readBack(type: string, values: readonly unknown[]): Promise<unknown[]> {
    const [row] = await db.query<{ list: unknown[] }[]>(`SELECT $1::${type}[] AS list`, [
      arrayLiteral(values),
    ]);
    return row?.list ?? [];
  }

  it("is read by Postgres as the texts that it was made of, whatever they hold", async () => {
    const storable = fc.string({ unit: "binary" }).filter((text) => !text.includes("\0"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(storable), { minLength: 1 }), async (texts) => {
        expect(await readBack("text", texts)).to.deep.equal(texts);
      }),
      { numRuns: 50 },
    );
  });

  it("keeps apart what only looks like syntax or like nothing", async () => {
    const texts = ["", "NULL", "null", '"', "\\", '\\"', "{}", "a,b", " ", "\n", "\\x00", null];
    expect(await readBack("text", texts)).to.deep.equal(texts);
  });

  it("has numbers, sats, booleans, instants, bytes and null", async () => {
    const at = new Date("2026-02-28T23:59:59.007Z");
    expect(await readBack("integer", [-1, 0, 2 ** 31 - 1, null])).to.deep.equal([-1, 0, 2 ** 31 - 1, null]);
    expect(await readBack("bigint", [2_100_000_000_000_000n])).to.deep.equal(["2100000000000000"]);
    expect(await readBack("boolean", [true, false, null])).to.deep.equal([true, false, null]);
    expect(await readBack("timestamptz", [at, null])).to.deep.equal([at, null]);
    const bytes = [Buffer.alloc(0), Buffer.from([0, 1, 92, 34, 255]), null];
    expect(await readBack("bytea", bytes)).to.deep.equal(bytes);
    expect(await readBack("text", [])).to.deep.equal([]);
  });

  it("refuses what it does not know", () => {
    expect(() => arrayLiteral([{}])).to.throw(TypeError);
    expect(() => arrayLiteral([[1]])).to.throw(TypeError);
  });
});
