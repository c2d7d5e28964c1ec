import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const read = (file: string): string => readFileSync(path.join(__dirname, "../..", file), "utf8");
const RUN = read(".ci/run");
const packageJson = JSON.parse(read("package.json")) as {
  scripts: Record<string, string>;
  engines: { node: string };
};
const SUITES = Object.keys(packageJson.scripts).filter((name) => name.startsWith("test:"));
/** A gate of `npm run check`. */
const HOUSE = "test:house";

describe(".ci/run", () => {
  it("runs the gates, npm test, and every other suite, with the newest Node", () => {
    expect(RUN).to.match(/^ {2}step "check" \d+m npm run -s check$/m);
    expect(RUN).to.match(/^ {2}step "main tests" \d+m "\$\{with_oldest\[@\]\}" npm test --silent$/m);
    expect(read("scripts/npm/check.cjs")).to.include("--suite=house");
    for (const suite of SUITES.filter((name) => name !== HOUSE))
      expect(RUN).to.match(
        new RegExp(
          `^ {2}step "\\w+ tests" \\d+m "\\$\\{with_newest\\[@\\]\\}" npm run -s ${suite}( --.*)?$`,
          "m",
        ),
      );
  });

  it("takes the oldest Node that package.json allows", () => {
    expect(RUN).to.include(`\noldest_node=${packageJson.engines.node.replace(">=", "")}.0\n`);
  });

  it("has every suite in CONTRIBUTING.md's table, and no other", () => {
    const rows = [...read("CONTRIBUTING.md").matchAll(/^\| `npm (?:run )?(test\S*)` \|/gm)];
    expect(rows.map(([, name]) => name).sort()).to.deep.equal(["test", ...SUITES].sort());
  });
});
