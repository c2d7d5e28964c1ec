import { expect } from "chai";
import { readFileSync } from "node:fs";
import path from "node:path";
import { nodeCheck } from "../../scripts/cli/doctor/host-checks";

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
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(ROOT, name), "utf8"));
const lock = read("package-lock.json") as Lock;
const ofNode = read("scripts/image/package-lock.json") as Lock;

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
    const unchecked = [lock, ofNode]
      .flatMap(missingIntegrity)
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
    const entries = [lock, ofNode].flatMap(({ packages }) => Object.values(packages));
    expect(entries.filter(({ resolved }) => resolved !== undefined)).to.deep.equal([]);
  });

  it("brings one Node into the image, of both processors, with the security fixes of its line", () => {
    const { "": root, ...builds } = ofNode.packages;
    const versions = new Set(Object.values(root?.optionalDependencies ?? {}));
    expect(Object.keys(builds)).to.deep.equal(
      ["arm64", "x64"].map((processor) => `node_modules/node-linux-${processor}`),
    );
    expect(versions).to.have.property("size", 1);
    expect(nodeCheck([...versions][0]).status).to.equal("ok");
  });

  it("is installed without a script of any package", () => {
    expect(readFileSync(path.join(ROOT, ".npmrc"), "utf8").split("\n")).to.include("ignore-scripts=true");
  });
});
