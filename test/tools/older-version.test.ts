import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const SCRIPT = "scripts/ci/older-version.sh";

describe("scripts/ci/older-version.sh", () => {
  let clone: string;
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.example", ...args], {
      cwd: clone,
      encoding: "utf8",
    }).trim();
  function commit(name: string, text: string): string {
    writeFileSync(path.join(clone, name), text);
    git("add", "-A");
    git("commit", "-qm", name, "--allow-empty");
    return git("rev-parse", "HEAD");
  }
  const release = (version: string, ...earlier: string[]): string => {
    commit("package.json", `{"version": "${version}"}`);
    return commit(
      "CHANGELOG.md",
      ["[Unreleased]", `[${version}]`, ...earlier].map((heading) => `## ${heading}\n`).join("\n"),
    );
  };
  const older = () => {
    const { status, stdout, stderr } = spawnSync("bash", [SCRIPT, "--commit"], {
      cwd: clone,
      encoding: "utf8",
    });
    return { status, commit: stdout.trim(), stderr };
  };
  let beforeFirst: string;

  beforeEach(() => {
    clone = mkdtempSync(path.join(os.tmpdir(), "quittance-older-"));
    for (const folder of ["scripts/ci", "database/migrations"])
      mkdirSync(path.join(clone, folder), { recursive: true });
    cpSync(path.join(ROOT, SCRIPT), path.join(clone, SCRIPT));
    git("init", "-q");
    commit("package.json", '{"version": "0.1.0"}');
    beforeFirst = commit("CHANGELOG.md", "## [Unreleased]\n");
    commit("database/migrations/1766400000000-key-permissions.ts", "");
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  it("is the commit before the first release's migrations, also while that release is made", () => {
    expect(older().commit).to.equal(beforeFirst);
    release("0.1.0");
    expect(older().commit).to.equal(beforeFirst);
  });

  it("is the release before, at the next commit and while the next release is made", () => {
    const first = release("0.1.0");
    git("tag", "v0.1.0");
    commit("a.ts", "");
    expect(older().commit).to.equal(first);
    const second = release("0.2.0", "[0.1.0]");
    git("tag", "v0.2.0");
    expect(older().commit).to.equal(first);
    commit("b.ts", "");
    expect(older().commit).to.equal(second);
  });

  it("is absent where the tag of a release, or the history, is", () => {
    release("0.1.0");
    release("0.2.0", "[0.1.0]");
    expect(older().status).to.equal(3);
    expect(older().stderr).to.include("no tag").and.to.include("git fetch --unshallow --tags");
    commit("CHANGELOG.md", "## [Unreleased]\n");
    git("checkout", "-q", "--orphan", "new");
    git("rm", "-q", "--cached", "database/migrations/1766400000000-key-permissions.ts");
    git("commit", "-qm", "without history");
    expect(older().status).to.equal(3);
  });
});
