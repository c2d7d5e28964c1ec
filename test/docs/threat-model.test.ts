import { expect } from "chai";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");
const page = readFileSync(path.join(ROOT, "docs/threat-model.md"), "utf8");

/** The weaknesses: what each is, what stops it, its test. */
const rows = page
  .slice(page.indexOf("| weakness |"), page.indexOf("## Residual risks"))
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(1)
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

describe("the threat model", () => {
  it("has a line for each known weakness", () => {
    expect(rows).to.have.length.of.at.least(30);
    for (const row of rows) expect(row, row[0]).to.have.length(3);
  });

  for (const [weakness = "", , named = ""] of rows)
    it(`names an existing test: ${weakness}`, () => {
      const found = [...named.matchAll(/`(test\/[\w./-]+)`: "([^"]+)"/g)];
      expect(found, named).not.to.be.empty;
      for (const [, file = "", title = ""] of found) {
        expect(existsSync(path.join(ROOT, file)), file).to.equal(true);
        expect(readFileSync(path.join(ROOT, file), "utf8"), file).to.include(title);
      }
    });
});
