import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import ts from "typescript";

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

  it("checks the types of every source and test; the client's are checked where it is built", () => {
    const checked = ["tsconfig.json", "web/tsconfig.json"].flatMap((name) => {
      const file = path.join(ROOT, name);
      const { config } = ts.readConfigFile(file, (at) => ts.sys.readFile(at)) as { config: unknown };
      return ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(file)).fileNames;
    });
    const all = execFileSync("git", ["ls-files", "--", "*.ts", "*.tsx"], { cwd: ROOT, encoding: "utf8" });
    const unchecked = all
      .split("\n")
      .filter((name) => name !== "" && !name.startsWith("clients/"))
      .filter((name) => !checked.includes(path.join(ROOT, name)));
    expect(unchecked).to.deep.equal([]);
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
