import { expect } from "chai";
import { readFileSync } from "node:fs";
import path from "node:path";

interface Lock {
  packages: Record<string, { dev?: boolean; optionalDependencies?: Record<string, string> }>;
}
const { missingOptional } = require("../../scripts/npm/complete-lock.cjs") as {
  missingOptional: (lock: Lock) => Map<string, { version: string; dev: boolean }>;
};

describe("the lock file", () => {
  it("names every package for another platform, so that npm ci accepts it everywhere", () => {
    const text = readFileSync(path.join(__dirname, "../../package-lock.json"), "utf8");
    const missing = [...missingOptional(JSON.parse(text) as Lock).keys()];
    expect(missing, "run `node scripts/npm/complete-lock.cjs`").to.deep.equal([]);
  });

  it("is found wanting when a nested parent's package is nowhere above it", () => {
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
});
