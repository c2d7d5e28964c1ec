import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const FOLDER = path.join(ROOT, "test/simulation/mutants");

describe("the defects that the simulation has to find", () => {
  const patches = readdirSync(FOLDER).filter((name) => name.endsWith(".patch"));

  it("can be put into the sources as they are", () => {
    expect(patches.length).to.be.at.least(31);
    const stale = patches.flatMap((patch) => {
      const { status, stderr } = spawnSync("git", ["apply", "--check", path.join(FOLDER, patch)], {
        cwd: ROOT,
        encoding: "utf8",
      });
      return status === 0 ? [] : [`${patch}: ${stderr}`];
    });
    expect(stale).to.deep.equal([]);
  });
});
