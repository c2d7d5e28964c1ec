import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");

// npm and mocha are stand-ins here that tell what they were asked; scripts/npm is the real thing.
const NPM = `
const { mkdirSync, writeFileSync, readFileSync } = require("node:fs");
console.log("npm " + process.argv.slice(2).join(" "));
if (process.env.NPM_FAILS) process.exit(7);
mkdirSync("node_modules/mocha/bin", { recursive: true });
writeFileSync("node_modules/mocha/bin/mocha.js", 'console.log("mocha " + process.argv.slice(2).join(" ")); process.exitCode = Number(process.env.MOCHA_EXITS ?? 0);');
writeFileSync("node_modules/.package-lock.json", readFileSync("package-lock.json"));
`;
const OLD_NODE = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } });`;

describe("npm test", function () {
  this.timeout(30_000);
  let clone: string;
  beforeEach(() => {
    clone = mkdtempSync(path.join(os.tmpdir(), "quittance-npm-test-"));
    chmodSync(clone, 0o755);
    cpSync(path.join(ROOT, "scripts/npm"), path.join(clone, "scripts/npm"), { recursive: true });
    const scripts = { test: "", "test:regtest": "", "test:e2e": "" };
    writeFileSync(
      path.join(clone, "package.json"),
      JSON.stringify({ engines: { node: ">=20.19" }, scripts }),
    );
    lock({ "node_modules/left": { version: "1.0.0" } });
    writeFileSync(path.join(clone, "npm.js"), NPM);
    writeFileSync(path.join(clone, "old-node.cjs"), OLD_NODE);
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  const lock = (packages: Record<string, object>): void =>
    writeFileSync(
      path.join(clone, "package-lock.json"),
      JSON.stringify({ packages: { "": {}, ...packages } }),
    );

  function run(args: string[] = [], env: Record<string, string> = {}, as: { uid?: number } = {}) {
    const { CI: _ci, NODE_OPTIONS: _options, ...own } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/npm/test.cjs", ...args], {
      ...as,
      cwd: clone,
      encoding: "utf8",
      env: { ...own, npm_execpath: path.join(clone, "npm.js"), ...env },
    });
    return { status, stdout, stderr, mocha: stdout.split("\n").find((line) => line.startsWith("mocha ")) };
  }
  const installs = (stdout: string): boolean => stdout.includes("npm ci");

  it("installs in a fresh clone, says so, and runs every test but the suites with a command of their own", () => {
    const { status, stdout, mocha } = run();
    expect(stdout).to.match(/^Nothing is installed yet: installing packages \(npm ci\)/);
    expect(mocha).to.equal(
      "mocha --fail-zero --ignore test/regtest/** --ignore test/e2e/** test/**/*.test.ts",
    );
    expect(status).to.equal(0);
  });

  it("installs development packages, whatever NODE_ENV says", () => {
    expect(run([], { NODE_ENV: "production" }).stdout).to.include("npm ci --include=dev --include=optional");
  });

  it("installs nothing twice", () => {
    run();
    expect(installs(run().stdout)).to.equal(false);
  });

  it("installs again when package-lock.json names another version", () => {
    run();
    lock({ "node_modules/left": { version: "1.0.1" } });
    expect(run().stdout).to.match(/^package-lock\.json has changed/);
  });

  it("installs again when package-lock.json names another package", () => {
    run();
    lock({ "node_modules/left": { version: "1.0.0" }, "node_modules/right": { version: "1.0.0" } });
    expect(installs(run().stdout)).to.equal(true);
  });

  it("does not miss a package that is for another platform", () => {
    run();
    const other = { version: "1.0.0", optional: true, os: ["plan9"] };
    lock({ "node_modules/left": { version: "1.0.0" }, "node_modules/other": other });
    expect(installs(run().stdout)).to.equal(false);
  });

  it("installs again after an installation that was broken off", () => {
    mkdirSync(path.join(clone, "node_modules/left"), { recursive: true });
    expect(installs(run().stdout)).to.equal(true);
  });

  it("fails when the installation fails, and runs no test", () => {
    const { status, stderr, mocha } = run([], { NPM_FAILS: "1" });
    expect(status).to.equal(1);
    expect(stderr).to.include("npm ci failed");
    expect(mocha).to.equal(undefined);
  });

  it("runs one suite by its name", () => {
    expect(run(["--suite=regtest"]).mocha).to.equal("mocha --fail-zero test/regtest/**/*.test.ts");
  });

  it("refuses a suite that is not there", () => {
    const { status, stderr } = run(["--suite=nothing"]);
    expect(status).to.equal(1);
    expect(stderr).to.include("There is no suite nothing; there are: regtest, e2e.");
  });

  it("passes a file and mocha's options through", () => {
    expect(run(["test/a.test.ts", "--grep", "late"]).mocha).to.equal(
      "mocha --fail-zero test/a.test.ts --grep late",
    );
    expect(run(["--grep", "late"]).mocha).to.match(/--grep late test\/\*\*\/\*\.test\.ts$/);
  });

  it("lets nothing be skipped in CI", () => {
    expect(run([], { CI: "true" }).mocha).to.include("--forbid-pending --forbid-only");
    expect(run(["test/a.test.ts"], { CI: "true" }).mocha).to.include("--forbid-pending --forbid-only");
  });

  it("fails as the tests fail", () => {
    expect(run([], { MOCHA_EXITS: "3" }).status).to.equal(3);
  });

  it("says that Node is too old, before anything else", () => {
    const { status, stderr, stdout } = run([], {
      NODE_OPTIONS: `--require ${path.join(clone, "old-node.cjs")}`,
    });
    expect(stderr).to.include("Quittance needs Node 20.19 or newer; this is Node 20.18.3");
    expect(stdout).to.equal("");
    expect(status).to.equal(1);
  });

  it("says that the folder cannot be written to", () => {
    chmodSync(clone, 0o555);
    // Root may write everywhere, so somebody else has to try.
    const { status, stderr } = run([], {}, process.getuid?.() === 0 ? { uid: 65_534 } : {});
    chmodSync(clone, 0o755);
    expect(stderr).to.include(`The folder ${clone} cannot be written to`);
    expect(status).to.equal(1);
  });
});
