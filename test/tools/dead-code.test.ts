import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");

/** A service with one part that it uses, and one that only its tests use. */
const FILES: Record<string, string> = {
  "package.json": `{ "name": "house", "version": "1.0.0" }`,
  "workers/main.ts": `import { used } from "../domain/used"; used();`,
  "domain/used.ts": `export const used = () => 1; export const testedAlone = () => 2;`,
  "domain/tested-alone.ts": `export const alone = () => 3;`,
  "test/a.test.ts": `import { testedAlone } from "../domain/used"; import { alone } from "../domain/tested-alone"; import { factory } from "./support/factory"; [testedAlone(), alone(), factory()];`,
  "test/support/factory.ts": `export const factory = () => 4; export const forgotten = () => 5;`,
};

describe("the gates against dead code", function () {
  this.timeout(60_000);
  let dir: string;
  before(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), "quittance-dead-code-"));
    copyFileSync(path.join(ROOT, "knip.json"), path.join(dir, "knip.json"));
    for (const [file, code] of Object.entries(FILES)) {
      mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      writeFileSync(path.join(dir, file), code);
    }
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** What a gate of `npm run check` reports: the names of its exports and its files. */
  function reported(...options: string[]): string[] {
    const gate = ["knip.js", "--no-config-hints", ...options].map((word) => `${word}"`).join(', "');
    expect(readFileSync(path.join(ROOT, "scripts/npm/check.cjs"), "utf8")).to.include(`${gate}]`);
    const program = path.join(ROOT, "node_modules/knip/bin/knip.js");
    const args = [program, "--no-config-hints", "--reporter", "compact", ...options];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: dir, encoding: "utf8" });
    expect(status, stdout).to.equal(1);
    return ["testedAlone", "tested-alone.ts", "factory.ts", "forgotten", "used.ts"].filter((name) =>
      new RegExp(`\\b${name.replace(".", "\\.")}(?!\\w)`).test(stdout),
    );
  }

  it("find what is not used, tests included", () => {
    expect(reported()).to.deep.equal(["factory.ts", "forgotten"]);
  });

  it("find what only tests use, and ignore tests themselves", () => {
    expect(reported("--production")).to.deep.equal(["testedAlone", "tested-alone.ts", "used.ts"]);
  });
});
