import { expect } from "chai";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { commandOf } from "../../scripts/processes";
import { eventually } from "../support/eventually";
import { needs } from "../support/needs";
import { startGroup, type TestGroup } from "../support/processes";

const ROOT = path.join(__dirname, "../..");

// npm and mocha are stand-ins here that print their arguments; scripts/npm is the real thing.
const NPM = `
const { spawnSync } = require("node:child_process");
const { existsSync, mkdirSync, writeFileSync, readFileSync } = require("node:fs");
console.log("npm " + process.argv.slice(2).join(" "));
if (process.argv.join(" ").includes(process.env.NPM_FAILS)) process.exit(7);
const { NPM_WAITS_FOR } = process.env;
while (NPM_WAITS_FOR && !existsSync(NPM_WAITS_FOR)) spawnSync("sleep", ["0.02"]);
mkdirSync("node_modules/mocha/bin", { recursive: true });
writeFileSync("node_modules/mocha/bin/mocha.js", readFileSync("mocha.js"));
writeFileSync("node_modules/.package-lock.json", readFileSync("package-lock.json"));
`;
const MOCHA = `
const { spawn } = require("node:child_process");
console.log("mocha " + process.argv.slice(2).join(" "));
const { PGSSLMODE, no_proxy, NO_PROXY } = process.env;
console.log("environment " + JSON.stringify({ PGSSLMODE, no_proxy, NO_PROXY }));
if (process.argv.join().includes(process.env.MOCHA_FAILS)) process.exitCode = 3;
if (process.env.MOCHA_HANGS) {
  // A server in a group of its own, as the embedded Postgres is, and a child in ours.
  const wait = ["-e", "setInterval(() => {}, 1000)"];
  const server = spawn(process.execPath, [...wait, process.env.TMPDIR + "/data"], { detached: true, stdio: "ignore" });
  const child = spawn(process.execPath, wait, { stdio: "ignore" });
  console.log(JSON.stringify({ folder: process.env.TMPDIR, pids: [process.pid, server.pid, child.pid] }));
  setInterval(() => {}, 1000);
}
`;
/** Test files of the clone, and how long they are. */
const FILES = {
  "test/small.test.ts": 1,
  "test/domain/large.test.ts": 30,
  "test/domain/support.ts": 50,
  "test/e2e/page.test.ts": 1,
  "test/bench/one.test.ts": 2,
  "test/bench/two.test.ts": 1,
};
const BESIDE = "--parallel --jobs 2 --require tsx --require test/support/build-first.ts ";
const OTHER_NODE = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: process.env.NODE_IS } });`;

/** Above the largest that Linux allows. */
const NEVER_A_PID = 2 ** 22 + 1;

describe("npm test", () => {
  let clone: string;
  beforeEach(() => {
    clone = mkdtempSync(path.join(os.tmpdir(), "quittance-npm-test-"));
    chmodSync(clone, 0o755);
    cpSync(path.join(ROOT, "scripts/npm"), path.join(clone, "scripts/npm"), { recursive: true });
    const scripts = { test: "", "test:all": "", "test:bench": "", "test:e2e": "" };
    for (const [file, length] of Object.entries(FILES)) {
      mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
      writeFileSync(path.join(clone, file), "\n".repeat(length));
    }
    writeFileSync(
      path.join(clone, "package.json"),
      JSON.stringify({ engines: { node: ">=20.19" }, scripts }),
    );
    lock({ "node_modules/left": { version: "1.0.0" } });
    writeFileSync(path.join(clone, "npm.js"), NPM);
    writeFileSync(path.join(clone, "mocha.js"), MOCHA);
    mkdirSync(path.join(clone, "tmp"));
    writeFileSync(path.join(clone, "other-node.cjs"), OTHER_NODE);
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  const lock = (packages: Record<string, object>): void =>
    writeFileSync(
      path.join(clone, "package-lock.json"),
      JSON.stringify({ packages: { "": {}, ...packages } }),
    );

  function environment(more: Record<string, string>): NodeJS.ProcessEnv {
    const { CI: _ci, NODE_OPTIONS: _options, ...own } = process.env;
    return { ...own, npm_execpath: path.join(clone, "npm.js"), TMPDIR: path.join(clone, "tmp"), ...more };
  }

  function run(args: string[] = [], env: Record<string, string> = {}, as: { uid?: number } = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/npm/test.cjs", ...args], {
      ...as,
      cwd: clone,
      encoding: "utf8",
      env: environment(env),
    });
    const mochas = stdout.split("\n").filter((line) => line.startsWith("mocha "));
    return { status, stdout, stderr, mochas, mocha: mochas[0] };
  }
  const nodeIs = (version: string) => ({
    NODE_IS: version,
    NODE_OPTIONS: `--require ${path.join(clone, "other-node.cjs")}`,
  });
  const installs = (stdout: string): boolean => stdout.includes("npm ci");

  const REPORTER = "--reporter test/support/reporter.cjs";

  it("installs in a fresh clone, says so, and runs every test except the suites with a command of their own", () => {
    const { status, stdout, mochas } = run();
    expect(stdout).to.match(/^Nothing is installed yet: installing packages \(npm ci\)/);
    expect(mochas).to.deep.equal([`mocha ${BESIDE}${REPORTER} test/domain/large.test.ts test/small.test.ts`]);
    expect(status).to.equal(0);
  });

  it("begins with a short file whose stories are a long one of test/support", () => {
    mkdirSync(path.join(clone, "test/support"));
    writeFileSync(path.join(clone, "test/support/sale-stories.ts"), "\n".repeat(100));
    writeFileSync(path.join(clone, "test/small.test.ts"), `import "a" from "./support/sale-stories";`);
    expect(run().mocha).to.match(/test\/small\.test\.ts test\/domain\/large\.test\.ts$/);
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

  it("does not miss a package for another platform", () => {
    run();
    const other = { version: "1.0.0", optional: true, os: ["plan9"] };
    lock({ "node_modules/left": { version: "1.0.0" }, "node_modules/other": other });
    expect(installs(run().stdout)).to.equal(false);
  });

  it("installs again after an interrupted installation", () => {
    mkdirSync(path.join(clone, "node_modules/left"), { recursive: true });
    expect(installs(run().stdout)).to.equal(true);
  });

  describe("beside another installation", () => {
    const begun: TestGroup[] = [];
    afterEach(() => {
      for (const group of begun.splice(0)) group.kill();
    });
    const go = (): string => path.join(clone, "go");
    /** Its installation ends when there is the file `go()`. */
    function begin(): TestGroup {
      const env = environment({ NPM_WAITS_FOR: go() });
      const group = startGroup(process.execPath, ["scripts/npm/test.cjs"], { cwd: clone, env });
      begun.push(group);
      return group;
    }

    it("waits for it, says so, and installs nothing", async function () {
      needs(this, "flock");
      const first = begin();
      await eventually(() => installs(first.output()));
      const second = begin();
      await eventually(() => second.output().startsWith("Another process is installing packages here"));
      writeFileSync(go(), "");
      expect((await Promise.all([first.ended, second.ended])).flat()).to.deep.equal([0, null, 0, null]);
      expect(installs(second.output())).to.equal(false);
      for (const { output } of [first, second]) expect(output()).to.contain("\nmocha ");
    });

    it("takes over when that was killed", async () => {
      const first = begin();
      await eventually(() => installs(first.output()));
      first.kill();
      await first.ended;
      expect(installs(run().stdout)).to.equal(true);
    });
  });

  it("fails when the installation fails, and runs no test", () => {
    const { status, stderr, mocha } = run([], { NPM_FAILS: "npm.js ci" });
    expect(status).to.equal(1);
    expect(stderr).to.include("npm ci failed");
    expect(mocha).to.equal(undefined);
  });

  it("installs again with the registry's metadata when a package for this platform is missing", () => {
    const ours = { version: "1.0.0", optional: true, os: [process.platform], cpu: [process.arch] };
    lock({ "node_modules/left": { version: "1.0.0" }, "node_modules/ours": ours });
    expect(run().stdout).to.match(/--prefer-offline\n.*\nnpm ci .*--prefer-online --prefer-offline=false\n/);
  });

  it("installs with the registry's metadata when the cached metadata is too old", () => {
    const { status, stdout } = run([], { NPM_FAILS: "--no-fund --prefer-offline" });
    expect(stdout).to.match(/--prefer-offline\n.*\nnpm ci .*--prefer-online --prefer-offline=false\n/);
    expect(status).to.equal(0);
  });

  it("runs one suite by its name", () => {
    expect(run(["--suite=e2e"]).mocha).to.equal(`mocha ${REPORTER} test/e2e/page.test.ts`);
  });

  it("leaves the crash points out where rounds of the simulation alone are asked for", () => {
    const manifest = path.join(clone, "package.json");
    const { scripts, ...rest } = JSON.parse(readFileSync(manifest, "utf8")) as { scripts: object };
    writeFileSync(manifest, JSON.stringify({ ...rest, scripts: { ...scripts, "test:simulation": "" } }));
    mkdirSync(path.join(clone, "test/simulation/crash-points"), { recursive: true });
    for (const file of ["rounds", "crash-points/paid"])
      writeFileSync(path.join(clone, `test/simulation/${file}.test.ts`), "\n");
    const filesOf = (...options: string[]): string[] | undefined =>
      run(["--suite=simulation", ...options])
        .mocha?.match(/test\/simulation\/\S+/g)
        ?.sort();
    const rounds = "test/simulation/rounds.test.ts";
    expect(filesOf("--rounds", "3")).to.deep.equal([rounds]);
    expect(filesOf("--seed", "7", "--acts", "0,1")).to.deep.equal([rounds]);
    expect(filesOf("--every")).to.deep.equal(["test/simulation/crash-points/paid.test.ts", rounds]);
  });

  it("runs measurements in one process", () => {
    expect(run(["--suite=bench"]).mocha).to.equal(
      `mocha ${REPORTER} test/bench/one.test.ts test/bench/two.test.ts`,
    );
  });

  it("runs every suite, also after one failed, and names the one that failed", () => {
    const { status, stdout, mochas } = run(["--suite=all"], { MOCHA_FAILS: "test/bench" });
    expect(mochas.map((line) => /test\/\w+\b(?!\/reporter)[^ ]*$/.exec(line)?.[0])).to.deep.equal([
      "test/small.test.ts",
      "test/bench/two.test.ts",
      "test/e2e/page.test.ts",
    ]);
    expect(stdout).to.match(
      /passed {2}npm test \(\d+ s\)\nFAILED {2}npm run test:bench .*\npassed {2}npm run test:e2e /,
    );
    expect(status).to.equal(3);
  });

  it("refuses an unknown suite", () => {
    const { status, stderr } = run(["--suite=nothing"]);
    expect(status).to.equal(1);
    expect(stderr).to.include("There is no suite nothing. Suites: bench, e2e, all.");
  });

  it("passes a file and mocha's options through", () => {
    expect(run(["test/a.test.ts", "--grep", "late"]).mocha).to.equal(
      `mocha ${REPORTER} --grep late test/a.test.ts`,
    );
    expect(run(["--grep", "late"]).mocha).to.match(/--grep late test\/domain\/large\.test\.ts /);
  });

  it("runs the folders that are given as paths below test, and takes no other word for one", () => {
    expect(run(["test/domain", "--grep", "domain"]).mocha).to.equal(
      `mocha ${REPORTER} --grep domain test/domain/large.test.ts`,
    );
  });

  it("refuses a folder without tests", () => {
    mkdirSync(path.join(clone, "test/fixtures"));
    const { status, stderr, mochas } = run(["test/fixtures"]);
    expect(stderr).to.equal("No file ending in .test.ts is in test/fixtures.\n");
    expect(mochas).to.deep.equal([]);
    expect(status).to.equal(1);
  });

  it("allows no skipped test in CI", () => {
    expect(run([], { CI: "true" }).mocha).to.include("--forbid-pending --forbid-only");
    expect(run(["test/a.test.ts"], { CI: "true" }).mocha).to.include("--forbid-pending --forbid-only");
  });

  it("keeps settings of libpq, and a proxy before servers of the tests, from the tests", () => {
    const { stdout } = run([], { PGSSLMODE: "require", no_proxy: "shop.example", NO_PROXY: "" });
    const [, environment = ""] = /^environment (.*)$/m.exec(stdout) ?? [];
    expect(JSON.parse(environment)).to.deep.equal({
      no_proxy: "shop.example,127.0.0.1,localhost,::1",
      NO_PROXY: "127.0.0.1,localhost,::1",
    });
  });

  it("fails as the tests fail", () => {
    expect(run([], { MOCHA_FAILS: "test/small" }).status).to.equal(3);
  });

  for (const version of ["20.18.3", "21.7.0", "22.12.0", "23.11.0", "24.10.0"])
    it(`says that Node ${version} is none that it runs on, before anything else`, () => {
      const { status, stderr, stdout } = run([], nodeIs(version));
      expect(stderr).to.match(
        /^Quittance needs Node 20.19 or newer \(of 22: 22.13, of 24: 24.11; not 21 or 23\)/,
      );
      expect(stderr).to.include(`this is Node ${version}`);
      expect(stdout).to.equal("");
      expect(status).to.equal(1);
    });

  for (const version of ["20.19.0", "22.13.0", "24.11.0", "26.0.0", "28.1.0"])
    it(`runs on Node ${version}`, () => {
      expect(run([], nodeIs(version)).status).to.equal(0);
    });

  it("runs beside a folder of an earlier run that cannot be read, and says so; another user's is no matter of ours", function () {
    const owners = { unreadable: "owner.pid/x", "of-another": "owner.pid", unnamed: "x" };
    for (const [name, file] of Object.entries(owners)) {
      const inside = path.join(clone, "tmp", `quittance-test-${name}`, file);
      mkdirSync(path.dirname(inside), { recursive: true });
      writeFileSync(inside, String(NEVER_A_PID));
    }
    const theirs = path.join(clone, "tmp/quittance-test-of-another");
    if (process.getuid?.() === 0) chownSync(theirs, 65_534, 65_534);
    else rmSync(theirs, { recursive: true });
    const { status, stderr } = run();
    expect(status).to.equal(0);
    expect(stderr).to.match(/^The folder of an earlier run stays. Remove it: EISDIR.*\n$/);
    expect(existsSync(theirs)).to.equal(process.getuid?.() === 0);
  });

  it("says that the folder is not writable", () => {
    chmodSync(clone, 0o555);
    // Root may write everywhere, so somebody else has to try.
    const { status, stderr } = run([], {}, process.getuid?.() === 0 ? { uid: 65_534 } : {});
    chmodSync(clone, 0o755);
    expect(stderr).to.include(`The folder ${clone} cannot be written to`);
    expect(status).to.equal(1);
  });

  describe("that is stopped", () => {
    let running: ChildProcess;
    let left: { folder: string; pids: number[] };
    beforeEach(async () => {
      running = spawn(process.execPath, ["scripts/npm/test.cjs"], {
        cwd: clone,
        env: environment({ MOCHA_HANGS: "1" }),
        stdio: ["ignore", "pipe", "inherit"],
      });
      let said = "";
      running.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
      left = await eventually(() => JSON.parse(/^\{.*\}$/m.exec(said)?.[0] ?? "") as typeof left);
    });
    const processes = (): number[] => left.pids.filter((pid) => commandOf(pid) !== null);

    for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const])
      it(`by ${signal} leaves no process and no folder behind`, async () => {
        expect(processes()).to.deep.equal(left.pids);
        running.kill(signal);
        expect(await once(running, "exit")).to.deep.equal([code, null]);
        expect(processes()).to.deep.equal([]);
        expect(readdirSync(path.join(clone, "tmp"))).to.deep.equal([]);
      });

    it("by SIGKILL is cleaned up by the next run, which does not affect a parallel run", async () => {
      const beside = mkdtempSync(path.join(clone, "tmp", "quittance-test-"));
      writeFileSync(path.join(beside, "owner.pid"), String(process.pid));
      running.kill("SIGKILL");
      await once(running, "exit");
      process.kill(left.pids[0] ?? 0, "SIGKILL"); // the real mocha ends by itself when its channel closes
      expect(run().status).to.equal(0);
      expect(existsSync(left.folder)).to.equal(false);
      expect(commandOf(left.pids[1] ?? 0)).to.equal(null);
      expect(readFileSync(path.join(beside, "owner.pid"), "utf8")).to.equal(String(process.pid));
      process.kill(left.pids[2] ?? 0, "SIGKILL"); // it neither used the folder nor was ours to find
    });
  });
});

describe("mocha with the reporter of npm test", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-mocha-"));
    for (const name of ["one", "two"])
      writeFileSync(path.join(folder, `${name}.cjs`), `it("${name}", () => undefined);`);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const mocha = (...more: string[]) =>
    spawnSync(
      process.execPath,
      [
        path.join(ROOT, "node_modules/mocha/bin/mocha.js"),
        ...["--reporter", path.join(ROOT, "test/support/reporter.cjs"), ...more, "one.cjs", "two.cjs"],
      ],
      { cwd: folder, encoding: "utf8" },
    );

  for (const [title, more] of [
    ["in one process", []],
    ["in several", ["--parallel", "--jobs", "2"]],
  ] as const) {
    it(`${title} passes when a test of one file alone matches`, () => {
      const { status, stdout } = mocha(...more, "--grep", "two");
      expect(stdout).to.include("1 passing");
      expect(status).to.equal(0);
    });

    it(`${title} fails when no test matches, and says so`, () => {
      const { status, stdout } = mocha(...more, "--grep", "three");
      expect(stdout).to.include("No test matches.");
      expect(status).to.equal(1);
    });
  }
});
