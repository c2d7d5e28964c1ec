import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");

function check(...names: string[]): { status: number | null; output: string } {
  const args = [path.join(ROOT, "scripts/npm/check.cjs"), ...names];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

describe("npm run check", function () {
  this.timeout(60_000);

  it("runs the named gates, and no others", () => {
    const { status, output } = check("settings documented");
    expect(status, output).to.equal(0);
    expect(output).to.match(/^1 gate: settings documented\nok {6}settings documented /);
  });

  it("lists the gates when a name is unknown", () => {
    const { status, output } = check("nonsense");
    expect(status).to.equal(1);
    expect(output).to.match(/^There is no gate "nonsense". Gates: lint, types, /);
  });

  it("has the gates of npm run lint and npm run typecheck", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const { output } = check("nonsense");
    const gates = output
      .trim()
      .replace(/^.*Gates: |\.$/g, "")
      .split(", ");
    expect(gates).to.include.members(["lint", "types", "types of the pages"]);
    expect(scripts["lint"]).to.equal("node scripts/npm/check.cjs lint");
    expect(scripts["typecheck"]).to.equal('node scripts/npm/check.cjs types "types of the pages"');
  });
});
