import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { BENCHES } from "../../scripts/bench/run";
import { redisAvailable } from "../support/redis";

const ROOT = path.join(__dirname, "../..");

describe("npm run bench -- --quick", () => {
  before(function () {
    if (!redisAvailable()) this.skip();
  });

  it("runs each bench, beside its limit, on the service as it is built", async function () {
    this.timeout(900_000); // services are started and loaded, beside whatever else this machine does
    const args = ["--import", "tsx", "scripts/bench/main.ts", "--quick"];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    const [out, said] = await Promise.all(
      [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join("")),
    );
    const [code] = child.exitCode === null ? ((await once(child, "exit")) as [number]) : [child.exitCode];
    expect(code, said).to.equal(0);
    const tables = (out ?? "").split("### ").slice(1);
    expect(tables).to.have.length(BENCHES.length);
    for (const table of tables)
      expect(table)
        .to.match(/^\| .*\d/m)
        .and.not.match(/It failed|\| –/);
  });
});
