import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const MOST = 25;
/** Lists, not rooms: one file for each table, language, decision, helper of the tests, or planted defect. */
const LISTS = ["entities", "domain/languages/texts", "docs/adr", "test/support", "test/simulation/mutants"];

/** The folders that hold more files than a reader takes in, with how many. */
function overfull(files: readonly string[]): string[] {
  const count = new Map<string, number>();
  for (const file of files) count.set(path.dirname(file), (count.get(path.dirname(file)) ?? 0) + 1);
  return [...count].flatMap(([folder, n]) =>
    n > MOST && !LISTS.includes(folder) ? [`${folder}: ${n}`] : [],
  );
}

describe("the folders", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");

  it(`have at most ${MOST} files each, except for lists`, () => {
    expect(files.length).to.be.greaterThan(1_000); // git listed them
    expect(overfull(files)).to.deep.equal([]);
  });
});
