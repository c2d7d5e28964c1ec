import { expect } from "chai";
import { readFileSync } from "node:fs";
import path from "node:path";

interface Lock {
  packages: Record<string, LockEntry>;
}
interface LockEntry {
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  integrity?: string;
  resolved?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}
const { missingIntegrity, missingOptional } = require("../../scripts/npm/complete-lock.cjs") as {
  missingIntegrity: (lock: Lock) => [string, LockEntry][];
  missingOptional: (lock: Lock) => Map<string, { version: string; dev: boolean }>;
};
const ROOT = path.join(__dirname, "../..");
const lock = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8")) as Lock;

describe("the lock file", () => {
  it("names every package for another platform, so that npm ci accepts it everywhere", () => {
    const missing = [...missingOptional(lock).keys()];
    expect(missing, "run `node scripts/npm/complete-lock.cjs`").to.deep.equal([]);
  });

  it("fails the check when a nested parent's package is nowhere above it", () => {
    const optionalDependencies = { "@x/linux-x64": "1.0.0", "@x/darwin-arm64": "1.0.0", "@x/top": "1.0.0" };
    const missing = missingOptional({
      packages: {
        "": {},
        "node_modules/a/node_modules/b": { dev: true, optionalDependencies },
        "node_modules/a/node_modules/@x/linux-x64": {},
        "node_modules/@x/top": {},
        "node_modules/c/node_modules/@x/darwin-arm64": {},
      },
    });
    expect([...missing]).to.deep.equal([["@x/darwin-arm64", { version: "1.0.0", dev: true }]]);
  });

  it("has the hash of every package that runs in production, so that npm accepts no other", () => {
    const unchecked = missingIntegrity(lock)
      .filter(([, { dev }]) => dev !== true)
      .map(([folder]) => folder);
    expect(unchecked, "run `node scripts/npm/complete-lock.cjs`").to.deep.equal([]);
  });

  it("has the hashes of the development tools, except the parts for other platforms without a registry that has them", () => {
    for (const [folder, { dev, optional, os = [] }] of missingIntegrity(lock)) {
      expect(folder).to.match(/^node_modules\/@oxc-parser\/binding-/);
      expect([dev, optional, os.length > 0], folder).to.deep.equal([true, true, true]);
    }
  });

  it("fails the check when a package has no hash", () => {
    const missing = missingIntegrity({
      packages: {
        "": {},
        "node_modules/a": { integrity: "sha512-x" },
        "node_modules/b": {},
        c: { link: true },
      },
    });
    expect(missing.map(([folder]) => folder)).to.deep.equal(["node_modules/b"]);
  });

  it("names no registry, so that each user may use their own", () => {
    expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).to.deep.equal([]);
  });

  it("is installed without a script of any package", () => {
    expect(readFileSync(path.join(ROOT, ".npmrc"), "utf8").split("\n")).to.include("ignore-scripts=true");
  });
});
