import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { SECURE_NODES } from "../../scripts/cli/doctor/secure-nodes";
import { commandOf } from "../../scripts/processes";
import { eventually } from "../support/eventually";
import { startGroup, type TestGroup } from "../support/processes";

const ROOT = path.join(__dirname, "../..");
const WITH_NODE = path.join(ROOT, "scripts/ci/with-node.sh");
const RUN = readFileSync(path.join(ROOT, ".ci/run"), "utf8");
const steps = [...RUN.matchAll(/^ *(?:(before_a_release) )?step "([^"]+)" (\d+)m (.+)$/gm)].map(
  ([, when = "always", name = "", , command = ""]) => ({ name, command, when }),
);

/** All before the steps. */
const mechanism = RUN.slice(RUN.indexOf("roomy_folder() {"), RUN.indexOf("system_packages() {"));

const packageJson = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
  engines: { node: string };
};
/** The place of the first step whose command ends so; -1 without one. */
const at = (end: string): number => steps.findIndex(({ command }) => command.endsWith(` ${end}`));

/**
 * Measurements are left to `npm run test:all`: beside nothing else, on a machine that is known. The house rules are a
 * gate of `npm run check`.
 */
const LEFT_OUT = ["test:all", "test:bench", "test:house", "test:load"];

describe(".ci/run", () => {
  it("is a script that bash can read", () => {
    execFileSync("bash", ["-n", path.join(ROOT, ".ci/run")]);
  });

  it("runs the gates, npm test, and every other suite but those left out", () => {
    const suites = Object.keys(packageJson.scripts).filter(
      (name) => name.startsWith("test:") && !LEFT_OUT.includes(name),
    );
    const first = ["build", "check", "test --silent"].map(at);
    expect(suites).to.include.members(["test:e2e", "test:service", "test:regtest"]);
    expect(first).not.to.include(-1);
    expect(first).to.deep.equal(first.toSorted((a, b) => a - b));
    for (const suite of suites) expect(at(suite), suite).not.to.equal(-1);
    expect(readFileSync(path.join(ROOT, "scripts/npm/check.cjs"), "utf8")).to.include("--suite=house");
    expect(at("scripts/ci/image-check.sh")).not.to.equal(-1);
  });

  it("leaves to `.ci/run all` the image, and most of the simulation, whose part it prints", () => {
    const late = steps.filter(({ when }) => when === "before_a_release").map(({ name }) => name);
    expect(late.sort()).to.deep.equal(["image"]);
    expect(RUN).to.contain(`share=8\n[ "$release" = no ] || share=1\n`);
    expect(RUN).to.contain('echo "::: simulation: part $part, a share of 1 in $share"\n');
    expect(readFileSync(path.join(ROOT, "scripts/release.sh"), "utf8")).to.contain(" bash .ci/run all,");
  });

  it("refuses what it does not know", () => {
    const { status, stderr } = spawnSync("bash", [path.join(ROOT, ".ci/run"), "evrything"], {
      encoding: "utf8",
    });
    expect(stderr).to.equal("usage: .ci/run [all]\n");
    expect(status).to.equal(2);
  });

  it("runs npm test with the oldest Node that package.json allows, the other suites with the newest, and the demo's second start too", () => {
    const oldest = /^oldest_node=(\S+)$/m.exec(RUN)?.[1] ?? "";
    const [newest = ""] = SECURE_NODES[Math.max(...Object.keys(SECURE_NODES).map(Number))]?.split(".") ?? [];
    expect(oldest).to.equal(`${packageJson.engines.node.replace(">=", "")}.0`);
    const named = /^newest_node=.*$/m.exec(RUN)?.[0] ?? "";
    expect(
      execFileSync("bash", ["-c", `${named}; echo -n "$newest_node"`], { cwd: ROOT, encoding: "utf8" }),
    ).to.equal(SECURE_NODES[Number(newest)]);
    const nodeOf = (end: string): (string | undefined)[] =>
      steps
        .filter(({ command }) => command.endsWith(` ${end}`))
        .map(({ command }) => /^bash scripts\/ci\/with-node\.sh "\$(\w+)_node" /.exec(command)?.[1]);
    expect(nodeOf("npm test --silent")).to.deep.equal(["oldest"]);
    for (const { command } of steps.filter((step) => step.command.includes("npm run -s test:")))
      expect(nodeOf(command.slice(command.indexOf("npm run"))), command).to.deep.equal(["newest"]);
    // With which the second start is.
    expect(nodeOf('bash scripts/ci/demo-check.sh "$newest_node"')).to.deep.equal(["oldest"]);
    const every = readFileSync(path.join(ROOT, "scripts/ci/node-versions.sh"), "utf8");
    expect(every).to.contain(`set -- ${oldest} 22 24 ${newest}\n`);
  });

  it("runs nothing with another Node where it cannot be had", () => {
    const empty = mkdtempSync(path.join(os.tmpdir(), "quittance-npm-"));
    const { status, stdout, stderr } = spawnSync("bash", [WITH_NODE, "20.19.999", "echo", "ran"], {
      encoding: "utf8",
      env: { ...process.env, npm_config_offline: "true", npm_config_cache: empty },
    });
    rmSync(empty, { recursive: true, force: true });
    expect(status, stderr).not.to.equal(0);
    expect(stdout).not.to.contain("ran");
  });

  it("runs nothing with another Node whose bytes have not the hash that the registry names", async () => {
    const [name, version] = [`node-linux-${process.arch}`, "20.19.999"];
    const registry = createServer((request, response) => {
      if (request.url?.endsWith(".tgz")) return void response.end("altered");
      const tarball = `http://${request.headers.host}/altered.tgz`;
      const dist = { tarball, integrity: `sha512-${createHash("sha512").update("signed").digest("base64")}` };
      const versions = { [version]: { name, version, dist } };
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    }).listen(0, "127.0.0.1");
    await once(registry, "listening");
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    const cache = mkdtempSync(path.join(os.tmpdir(), "quittance-npm-"));
    const env = {
      ...process.env,
      npm_config_registry: url,
      npm_config_cache: cache,
      npm_config_fetch_retries: "0",
    };
    const ended = await promisify(execFile)("bash", [WITH_NODE, version, "echo", "ran"], { env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    registry.close();
    rmSync(cache, { recursive: true, force: true });
    expect(ended.stderr).to.contain("EINTEGRITY");
    expect(ended.stdout).not.to.contain("ran");
    expect(existsSync(path.join(ROOT, ".test/node", version))).to.equal(false);
  });

  it("has every suite in CONTRIBUTING.md's table, and no other", () => {
    const page = readFileSync(path.join(ROOT, "CONTRIBUTING.md"), "utf8");
    const rows = [...page.matchAll(/^\| `npm (?:run )?(test\S*)` \|/gm)].map(([, name]) => name);
    expect(rows.sort()).to.deep.equal(
      Object.keys(packageJson.scripts)
        .filter((name) => /^test(:|$)/.test(name))
        .sort(),
    );
  });

  it("calls each group of steps once", () => {
    const groups = [...RUN.matchAll(/^(\w+)\(\) \{\n {2}step "/gm)].map(([, name = ""]) => name);
    expect(groups).to.have.length.greaterThan(1);
    const called = [...RUN.matchAll(/^lanes (.+)$/gm)].flatMap(([, names = ""]) => names.split(" "));
    expect(called).to.deep.equal(groups);
  });

  it("fails by a step of a lane, shows its output twice, and sums the counts of all", () => {
    const script = [
      mechanism,
      `left() { step "one" 1m sh -c "echo '  3 passing'; echo '  1 failing'; exit 1"; step "two" 1m echo "  4 passing"; }`,
      `right() { step "three" 1m sh -c "echo lost words; exit 7"; }`,
      "lanes left right",
      `step "four" 1m echo "  5 passing"`,
      "finish",
    ].join("\n");
    const { status, stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(status).to.equal(1);
    expect(stdout).to.match(/\n12 passed, 2 failed\n$/);
    expect(stdout).to.contain("::: three ended with 7");
    expect(stdout.split("lost words"), "in its place and in the summary").to.have.length(3);
  });

  it("passes when every step of its lanes passed", () => {
    const script = `${mechanism}\nonly() { step "one" 1m echo "  3 passing"; }\nlanes only\nfinish`;
    const { status, stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stdout).to.match(/\n3 passed, 0 failed\n$/);
    expect(status).to.equal(0);
  });

  it("fails when one of its lanes was killed", () => {
    const script = [
      mechanism,
      `left() { step "one" 1m echo "  3 passing"; kill -9 $BASHPID; step "two" 1m echo "  4 passing"; }`,
      "lanes left\nfinish",
    ].join("\n");
    const { status, stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(status).to.equal(1);
    expect(stdout).to.match(/\n3 passed, 1 failed\n$/);
  });

  describe("that is stopped, or run twice,", () => {
    const begun: TestGroup[] = [];
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), "quittance-ci-"))));
    afterEach(() => {
      for (const group of begun.splice(0)) group.kill();
      rmSync(folder, { recursive: true });
    });
    const read = (name: string): string => readFileSync(path.join(folder, name), "utf8").trim();
    function begin(args: string[], env: NodeJS.ProcessEnv = {}): TestGroup {
      const group = startGroup("bash", args, { env: { ...process.env, ...env } });
      begun.push(group);
      return group;
    }

    const signals: [NodeJS.Signals, string, (pid: number) => number][] = [
      ["SIGINT", "", (pid) => pid],
      ["SIGTERM", "", (pid) => pid],
      ["SIGTERM", " to its group", (pid) => -pid],
      ["SIGHUP", " to its group", (pid) => -pid],
    ];
    for (const [signal, to, receiver] of signals)
      it(`ends what its lanes began at ${signal}${to}, shows where it was, and leaves no folder behind`, async () => {
        // timeout signals its child, and then once more the child's group.
        const undo = "trap '' TERM; sleep 1 && touch undone";
        writeFileSync(
          path.join(folder, "undoes"),
          `trap "${undo}" EXIT; echo half way; echo $$ >one; sleep 300`,
        );
        const script = [
          mechanism,
          `cd ${folder}`,
          `left() { step "one" 1m bash undoes; step "two" 1m true; }`,
          `right() { step "three" 1m sh -c 'echo $$ >three; sleep 300; true'; step "four" 1m true; }`,
          `echo "$work" >work`,
          "lanes left right",
          "echo went on",
        ].join("\n");
        const run = begin(["-c", script]);
        await eventually(() => read("one") !== "" && read("three") !== "");
        process.kill(receiver(run.pid), signal);
        expect(await run.ended).to.deep.equal([130, null]);
        expect(run.output()).to.contain("::: stopped in one:\nhalf way\n");
        expect(run.output()).not.to.match(/::: (two|four)|went on/);
        expect(existsSync(path.join(folder, "undone"))).to.equal(true);
        expect(existsSync(read("work"))).to.equal(false);
        for (const name of ["one", "three"]) expect(commandOf(Number(read(name))), name).to.equal(null);
      });

    it("refuses the second run in a checkout, until the first has ended", async () => {
      const begins = RUN.slice(0, RUN.indexOf("# Where the checks of whole systems"));
      mkdirSync(path.join(folder, ".ci"));
      writeFileSync(path.join(folder, ".ci/run"), `${begins}\necho began\n[ -z "\${FIRST:-}" ] || sleep 300`);
      const second = () => spawnSync("bash", [path.join(folder, ".ci/run")], { encoding: "utf8" });
      const first = begin([path.join(folder, ".ci/run")], { FIRST: "yes" });
      await eventually(() => first.output() === "began\n");
      const { status, stdout, stderr } = second();
      expect(stderr).to.equal("Another .ci/run is running in this checkout: wait for it, or stop it.\n");
      expect([status, stdout]).to.deep.equal([1, ""]);
      first.kill();
      await first.ended;
      expect(second().stdout).to.equal("began\n");
    });
  });

  it("ends at once when npm's packages cannot be installed, and not when Debian's cannot", () => {
    const installation = RUN.slice(RUN.indexOf("\nsystem() {"), RUN.indexOf("# What both lanes would fetch"));
    const run = (fails: string) =>
      spawnSync(
        "bash",
        [
          "-c",
          [
            mechanism,
            "system_packages() { true; }",
            `step() { [ "$1" != "${fails}" ] || printf '1\\t0\\t1\\t%s\\t0\\t0\\n' "$1" >>"$work/results"; touch "$work/$1"; }`,
            installation,
            "echo went on",
            "finish",
          ].join("\n"),
        ],
        { encoding: "utf8" },
      );
    expect(run("packages").stdout).not.to.contain("went on");
    expect(run("packages").status).to.equal(1);
    expect(run("system packages").stdout).to.contain("went on");
    expect(run("system packages").status).to.equal(1);
  });

  it("sets CI, in which nothing may be skipped, and hides no failure", () => {
    expect(RUN).to.match(/^export CI=true/m);
    for (const { command } of steps) expect(command).not.to.match(/\|\| *(true|:)|--grep|pending/);
  });
});
