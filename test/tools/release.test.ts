import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");

const NODES = "scripts/cli/doctor/secure-nodes.ts";
const KEPT = "test/fixtures/released/1.2.3/shop.json";

/** Records its calls, and makes what the script then reads. */
const NPM = `#!/bin/sh
echo "$*" >>"$NPM_CALLS"
[ "$1" = sbom ] && echo '{}'
[ "$1 $2" = "run package" ] && mkdir -p .packages/quittance && echo tarball >.packages/quittance-1.2.3.tgz
exit 0
`;

describe("scripts/release.sh", function () {
  this.timeout(60_000);
  let dir: string;
  let clone: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.example", ...args], { cwd: clone });
  const write = (name: string, text: string) => writeFileSync(path.join(clone, name), text);
  const commit = () => {
    git("add", "-A");
    git("commit", "-qm", "change");
  };
  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), "quittance-release-"));
    clone = path.join(dir, "clone");
    for (const folder of ["bin", "clone/scripts"]) mkdirSync(path.join(dir, folder), { recursive: true });
    writeFileSync(path.join(dir, "bin/npm"), NPM, { mode: 0o755 });
    cpSync(path.join(ROOT, "scripts/release.sh"), path.join(clone, "scripts/release.sh"));
    write("package.json", '{"version": "1.2.3"}');
    write(".gitignore", ".packages/\n");
    for (const folder of ["database/migrations", "test/fixtures/released/1.2.3"])
      mkdirSync(path.join(clone, folder), { recursive: true });
    for (const file of ["1766000000001-first.ts", "1766300000000-name-wallets.ts"])
      write(`database/migrations/${file}`, "");
    write(KEPT, '{\n  "lastMigration": "NameWallets1766300000000"\n}\n');
    write("CHANGELOG.md", "## [Unreleased]\n\n## [1.2.3] - 2026-11-23\n");
    cpSync(path.join(ROOT, NODES), path.join(clone, NODES));
    write("Dockerfile", "FROM node:24.100.0-bookworm-slim@sha256:00 AS node\n");
    git("init", "-q");
    commit();
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function release(): { status: number | null; output: string; calls: string[] } {
    const file = path.join(dir, "calls");
    writeFileSync(file, "");
    const { status, stdout, stderr } = spawnSync("bash", ["scripts/release.sh"], {
      cwd: clone,
      encoding: "utf8",
      env: { ...process.env, PATH: `${path.join(dir, "bin")}:${process.env["PATH"] ?? ""}`, NPM_CALLS: file },
    });
    return { status, output: stdout + stderr, calls: readFileSync(file, "utf8").trim().split("\n") };
  }

  it("makes the packages with their sums, says the steps, and publishes nothing", () => {
    const { status, output, calls } = release();
    expect(status, output).to.equal(0);
    expect(calls.map((call) => call.split(" ")[0])).to.deep.equal(["ci", "run", "sbom"]);
    expect(readFileSync(path.join(clone, ".packages/SHA256SUMS"), "utf8")).to.match(
      /^[0-9a-f]{64} {2}\.\/quittance-1\.2\.3\.tgz\n$/,
    );
    expect(output).to.include("npm publish .packages/quittance-1.2.3.tgz");
    expect(git("tag", "--list").toString()).to.equal("");
  });

  const refused: Record<string, [() => void, string]> = {
    "there are changes that are not committed": [() => write("new", ""), "not committed"],
    "the changelog has no section of the version": [
      () => {
        write("CHANGELOG.md", "## [Unreleased]\n");
        commit();
      },
      "no section [1.2.3]",
    ],
    "no database of the version is kept": [
      () => {
        rmSync(path.join(clone, KEPT));
        commit();
      },
      "no database of this version is kept",
    ],
    "the kept database lacks a migration": [
      () => {
        write("database/migrations/1766300000001-later.ts", "");
        commit();
      },
      "no database of this version is kept",
    ],
    "the image's Node lacks security fixes": [
      () => {
        write("Dockerfile", "FROM node:24.14.0-bookworm-slim@sha256:00 AS node\n");
        commit();
      },
      "Node 24.14.0 lacks the security fixes of 24.",
    ],
    "the version was released": [() => void git("tag", "v1.2.3"), "is a tag already"],
  };
  for (const [when, [make, words]] of Object.entries(refused))
    it(`makes nothing when ${when}`, () => {
      make();
      const { status, output, calls } = release();
      expect(status).to.equal(1);
      expect(output).to.include(words);
      expect(calls).to.deep.equal([""]);
    });
});
