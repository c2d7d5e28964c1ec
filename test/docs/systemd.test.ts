import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { needs } from "../support/needs";

const ROOT = path.join(__dirname, "../..");
const { apps } = createRequire(__filename)("../../ecosystem.config.js") as {
  apps: { name: string; script: string; node_args: string[]; kill_timeout: number }[];
};
const PAGE = readFileSync(path.join(ROOT, "docs/operations/systemd.md"), "utf8");
const UNIT = /```ini\n(\[Unit\][^`]*)```/.exec(PAGE)?.[1] ?? "";
const valuesOf = (key: string): string[] =>
  [...UNIT.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

describe("the unit of docs/operations/systemd.md", () => {
  it("starts each app as PM2 does, waits as long for its end, and is enabled for each", () => {
    const [command = ""] = valuesOf("ExecStart");
    const [, script = ""] = /^\/bin\/sh -c '([^']*)'$/.exec(command) ?? [];
    for (const { name, script: file, node_args } of apps) {
      const shell = script.replaceAll("%i", name).replaceAll("$$", "$").replace("/usr/bin/node", "echo");
      const started = execFileSync("/bin/sh", ["-c", shell], { encoding: "utf8" }).trim();
      const installed = path.join("/opt/quittance", path.relative(ROOT, file));
      expect(started).to.equal([...node_args, installed, name].join(" "));
    }
    const longest = Math.max(...apps.map(({ kill_timeout }) => kill_timeout));
    expect(valuesOf("TimeoutStopSec")).to.deep.equal([String(longest / 1_000)]);
    expect(PAGE).to.contain(`enable --now quittance@{${apps.map(({ name }) => name).join(",")}}\n`);
  });

  it("confines an app", () => {
    for (const key of ["NoNewPrivileges", "ProtectHome", "PrivateDevices", "RestrictSUIDSGID"])
      expect(valuesOf(key), key).to.deep.equal(["yes"]);
    expect(valuesOf("User")).to.deep.equal(["quittance"]);
    expect(valuesOf("CapabilityBoundingSet")).to.deep.equal([""]);
    expect(valuesOf("ProtectSystem")).to.deep.equal(["strict"]);
    expect(valuesOf("SystemCallFilter")).to.deep.equal(["@system-service", "~@privileged"]);
  });

  it("is one that systemd takes, with an exposure below 3.0", function () {
    needs(this, "systemd-analyze");
    const folder = mkdtempSync(path.join(os.tmpdir(), "quittance-unit-"));
    const file = path.join(folder, "quittance@.service");
    writeFileSync(file, UNIT);
    const run = (...args: string[]) => spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
    const verified = run("verify");
    const judged = run("security", "--offline=true", "--threshold=30");
    rmSync(folder, { recursive: true });
    expect(verified.stdout + verified.stderr).to.equal("");
    expect(judged.status, judged.stdout + judged.stderr).to.equal(0);
  });
});
