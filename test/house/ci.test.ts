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

describe(".ci/run", () => {
  it("is a script that bash can read", () => {
    execFileSync("bash", ["-n", path.join(ROOT, ".ci/run")]);
  });

  it("runs npm test, then every other suite, and the demo last", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const suites = Object.keys(scripts).filter((name) => name.startsWith("test:"));
    const commands = steps.map(({ command }) => command);
    const first = commands.findIndex((command) => /^npm test\b/.test(command));
    const others = suites.map((suite) => commands.findIndex((command) => command.endsWith(` ${suite}`)));
    expect(suites).not.to.be.empty;
    expect(first).to.be.at.least(0);
    for (const [index, at] of others.entries()) expect(at, suites[index]).to.be.greaterThan(first);
    expect(commands.at(-1)).to.contain("demo-check.sh");
    for (const gate of ["check", "build"])
      expect(
        commands.some((command) => command.endsWith(` ${gate}`)),
        gate,
      ).to.equal(true);
  });

  it("sets CI, in which nothing may be skipped, and hides no failure", () => {
    expect(RUN).to.match(/^export CI=true/m);
    for (const { command } of steps) expect(command).not.to.match(/\|\| *(true|:)|--grep|pending/);
  });
});
