import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { freePort } from "../../scripts/devnet/free-port";
import { isDaemonOf } from "../../scripts/processes";
import { scopeOf } from "../../scripts/demo/restarts";
import { builtBtcpayModal, builtCheckout, builtModal } from "../support/built-checkout";
import { builtDashboard } from "../support/built-dashboard";
import { eventually } from "../support/eventually";
import { processesOf } from "../support/processes";

const ROOT = path.join(__dirname, "../..");
const STARTED_WITHIN_MS = 90_000;
const RESTARTED_WITHIN_MS = 60_000;

/** The sources as they are now, with the packages of this folder and pages that are built already. */
async function cloneTo(clone: string): Promise<void> {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of listed.trim().split("\n"))
    if (!/^(test\/|docs\/(?!receivers\/|samples\/))/.test(file) && existsSync(path.join(ROOT, file)))
      cpSync(path.join(ROOT, file), path.join(clone, file), { force: true });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(clone, "node_modules"));
  await Promise.all([builtDashboard(), builtCheckout(), builtModal(), builtBtcpayModal()]);
  cpSync(path.join(ROOT, ".test/web"), path.join(clone, "dist/web"), { recursive: true });
}

describe("npm run dev", function () {
  this.timeout(300_000);
  let folder: string;
  let clone: string;
  let child: ChildProcess | undefined;
  let output: string;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-dev-"));
    chmodSync(folder, 0o755);
    clone = path.join(folder, "clone");
    mkdirSync(clone);
    await cloneTo(clone);
  });
  after(() => {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
    if (processesOf(clone).length > 0)
      spawnSync("kill", ["-KILL", ...processesOf(clone).map((line) => String(Number.parseInt(line, 10)))]);
    rmSync(folder, { recursive: true, force: true });
  });

  const saw = async (pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> => {
    let found: RegExpExecArray | null = null;
    await eventually(() => {
      if (child?.exitCode !== null) throw new Error(`It ended:\n${output}`);
      found = pattern.exec(output);
      expect(found, output).not.to.equal(null);
    }, timeoutMs);
    return found as unknown as RegExpExecArray;
  };

  it("restarts what a change affects, shows a mistake, and leaves no process after one Ctrl-C", async () => {
    output = "";
    child = spawn("npm", ["run", "dev"], {
      cwd: clone,
      env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, PORT: String(await freePort()) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a group of its own, as at a terminal
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => void (output += text));
    const [, apiUrl = ""] = await saw(
      /API +(http:\S+)[^]*Now you[^]*Dashboard +http:\S+\/setup#/,
      STARTED_WITHIN_MS,
    );
    expect(output)
      .to.match(/demo\.cjs --watch\s+Quittance's demo: /)
      .and.to.include(" 8 of 8 processes ready");
    const health = async () => (await fetch(`${apiUrl}/api/v1/health`)).headers.get("x-changed");
    expect(await health()).to.equal(null);

    const app = path.join(clone, "api/app.ts");
    const former = readFileSync(app, "utf8");
    const mark = 'app.use((c, next) => (c.set("x-changed", "yes"), next()));';
    const changed = former.replace(/const app = new Koa.*;/, `$& ${mark}`);
    expect(changed).not.to.equal(former);
    writeFileSync(app, changed);
    await saw(/api\/app\.ts changed[^]* s {2}API restarted in/, RESTARTED_WITHIN_MS);
    expect(await health()).to.equal("yes");

    output = "";
    appendFileSync(path.join(clone, "web/modal/main.ts"), 'console.log("changed on purpose");\n');
    await saw(/web\/modal\/main\.ts changed[^]* s {2}API restarted in/, RESTARTED_WITHIN_MS);
    const modal = await (await fetch(`${apiUrl}/modal.js`)).text();
    expect(modal).to.contain("changed on purpose");

    output = "";
    writeFileSync(app, `${changed}const = 1;\n`);
    await saw(/not restarted, the build failed: api\/app\.ts\(\d+,\d+\): error TS1134/, RESTARTED_WITHIN_MS);
    expect(await health()).to.equal("yes");

    output = "";
    writeFileSync(app, changed);
    appendFileSync(path.join(clone, "workers/main.ts"), 'throw new Error("broken on purpose");\n');
    await saw(/API and workers restarted, but not ready [^]*Error: broken on purpose/, RESTARTED_WITHIN_MS);

    output = "";
    cpSync(path.join(ROOT, "workers/main.ts"), path.join(clone, "workers/main.ts"), { force: true });
    await saw(/workers\/main\.ts changed[^]*API and workers restarted in/, RESTARTED_WITHIN_MS);

    expect(processesOf(clone).length).to.be.greaterThan(8);
    const ended = once(child, "exit");
    process.kill(-(child.pid ?? NaN), "SIGINT");
    await ended;
    await eventually(() => expect(processesOf(clone)).to.deep.equal([]), 30_000);
  });

  it("leaves no process when nobody reads its output any more", async () => {
    child = spawn("npm", ["run", "demo", "--", "--few"], {
      cwd: clone,
      env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, PORT: String(await freePort()) },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const ended = once(child, "exit");
    output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void (output += text));
    await saw(/Postgres …/, STARTED_WITHIN_MS);
    child.stdout?.destroy();
    await ended;
    await eventually(() => expect(processesOf(clone)).to.deep.equal([]), 30_000);
  });

  it("recognises its own PM2 by a truncated title, and no other", () => {
    const home = "/srv/quittance/.demo/pm2";
    expect(isDaemonOf(`PM2 v7.0.4: God Daemon (${home})      `, home)).to.equal(true);
    expect(isDaemonOf("PM2 v7.0.4: God Daemon (/srv/quit ", home)).to.equal(true);
    expect(isDaemonOf("PM2 v7.0.4: God Daemon (/root/.pm2)", home)).to.equal(false);
    expect(isDaemonOf(`PM2 v7.0.4: God Daemon (${home}-of-another)`, home)).to.equal(false);
    expect(isDaemonOf("PM2 v7.0.4: God Daemon (", home)).to.equal(false);
    expect(isDaemonOf("node server.js", home)).to.equal(false);
  });

  it("restarts only the API for the API and the pages, all for what workers run, nothing for scripts", () => {
    expect(scopeOf("api/app.ts")).to.equal("api");
    expect(scopeOf("web/dashboard/main.tsx")).to.equal("api");
    expect(scopeOf("domain/errors.ts")).to.equal("all");
    expect(scopeOf("database/data-source.ts")).to.equal("all");
    expect(scopeOf("scripts/demo.ts")).to.equal(null);
    expect(scopeOf("database/migrations/1-a.ts")).to.equal(null);
  });
});
