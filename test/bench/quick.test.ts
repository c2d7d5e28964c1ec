import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Result } from "../../scripts/bench/table";
import { redisAvailable } from "../support/redis";

const ROOT = path.join(__dirname, "../..");
const BENCHES = ["creation", "creation-delivered", "latency", "round-trips", "deliveries"];

describe("npm run bench -- --quick", () => {
  let folder = "";

  before(function () {
    if (!redisAvailable()) this.skip();
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-bench-test-"));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it("runs each bench, beside its limit, on the service as it is built", async function () {
    this.timeout(900_000); // five services are started and loaded, beside whatever else this machine does
    const out = path.join(folder, "results.json");
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "scripts/bench/main.ts", ...BENCHES, "--quick", "--queues", "redis", "--out", out],
      { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] },
    );
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code, said).to.equal(0);
    const result = JSON.parse(readFileSync(out, "utf8")) as Result;
    expect(result.versions.node).to.equal(process.versions.node);
    expect(result.outcomes.map(({ bench, failure }) => [bench, failure])).to.deep.equal(
      BENCHES.map((name) => [name, null]),
    );
    for (const { bench, figures } of result.outcomes) {
      expect(figures, bench).to.not.be.empty;
      for (const { name, ours, raw, ratio } of figures) {
        expect(ours.median, name).to.be.above(0);
        if (raw !== null) expect(ratio, name).to.satisfy(Number.isFinite);
      }
      // A count of round trips has no limit that the machine sets.
      const measured = bench === "round-trips" || figures.some(({ raw }) => raw !== null);
      expect(measured, bench).to.equal(true);
    }
  });
});
