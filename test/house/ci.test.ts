import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const RUN = readFileSync(path.join(ROOT, ".ci/run"), "utf8");
const steps = [...RUN.matchAll(/^step "([^"]+)" (\d+)m (.+)$/gm)].map(([, name = "", , command = ""]) => ({
  name,
  command,
}));

/**
 * Measurements are left to `npm run test:all`: beside nothing else, on a machine that is known. So is the simulation, until
 * its rounds have run for hours without a failure by chance (docs/reliability.md).
 */
const LEFT_OUT = ["test:all", "test:bench", "test:load", "test:simulation"];

describe(".ci/run", () => {
  it("is a script that bash can read", () => {
    execFileSync("bash", ["-n", path.join(ROOT, ".ci/run")]);
  });

  it("runs the gates, npm test, then every other suite but those left out, and the demo last", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const suites = Object.keys(scripts).filter(
      (name) => name.startsWith("test:") && !LEFT_OUT.includes(name),
    );
    const commands = steps.map(({ command }) => command);
    const at = (end: string): number => commands.findIndex((command) => command.endsWith(` ${end}`));
    const first = ["check", "build", "test --silent"].map(at);
    expect(suites).to.include.members(["test:e2e", "test:road", "test:regtest"]);
    expect(first).not.to.include(-1);
    expect(first).to.deep.equal(first.toSorted((a, b) => a - b));
    for (const suite of suites) expect(at(suite), suite).to.be.greaterThan(at("test --silent"));
    expect(commands.at(-1)).to.contain("demo-check.sh");
  });

  it("has every suite in CONTRIBUTING.md's table, and no other", () => {
    const page = readFileSync(path.join(ROOT, "CONTRIBUTING.md"), "utf8");
    const rows = [...page.matchAll(/^\| `npm (?:run )?(test\S*)` \|/gm)].map(([, name]) => name);
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    expect(rows.sort()).to.deep.equal(
      Object.keys(scripts)
        .filter((name) => /^test(:|$)/.test(name))
        .sort(),
    );
  });

  it("sets CI, in which nothing may be skipped, and hides no failure", () => {
    expect(RUN).to.match(/^export CI=true/m);
    for (const { command } of steps) expect(command).not.to.match(/\|\| *(true|:)|--grep|pending/);
  });
});
