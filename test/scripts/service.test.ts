import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");

describe("quittance pm2", function () {
  this.timeout(60_000);

  it("starts no PM2 where no service runs, since the service could not start beside it", () => {
    const home = mkdtempSync(path.join(os.tmpdir(), "quittance-pm2-home-"));
    const args = ["--import", "tsx", "scripts/quittance.ts", "pm2", "ls"];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, PM2_HOME: home },
    });
    expect(status).to.equal(1);
    expect(stderr).to.include(`No service runs in ${home}: quittance start starts it.`);
    expect(existsSync(path.join(home, "pm2.pid"))).to.equal(false);
    rmSync(home, { recursive: true, force: true });
  });
});
