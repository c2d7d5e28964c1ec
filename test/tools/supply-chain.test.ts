import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

interface PartsList {
  bomFormat: string;
  components: { name: string; hashes?: unknown[] }[];
}

const SIGNED = '{"invalid":[],"missing":[]}';

interface Query {
  package: { purl: string };
}

describe("the service's packages", function () {
  this.timeout(60_000);
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(path.join(os.tmpdir(), "quittance-parts-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** The script, with an npm that answers so when it is asked for signatures, and no advisories. */
  function run(answer: string): { status: number | null; output: string } {
    const env = { ...withNpm(answer), OSV_URL: "http://127.0.0.1:9/" };
    const ran = spawnSync("bash", script(), { cwd: ROOT, encoding: "utf8", env });
    return { status: ran.status, output: ran.stdout + ran.stderr };
  }
  const script = () => ["scripts/ci/supply-chain.sh", path.join(dir, "parts.json")];
  function withNpm(answer: string): NodeJS.ProcessEnv {
    const npm = spawnSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).stdout.trim();
    writeFileSync(path.join(dir, "answer"), answer);
    writeFileSync(
      path.join(dir, "npm"),
      `#!/bin/sh\n[ "$1" = audit ] && cat "${dir}/answer" && exit 1\nexec "${npm}" "$@"\n`,
    );
    chmodSync(path.join(dir, "npm"), 0o755);
    return { ...process.env, PATH: `${dir}:${process.env["PATH"] ?? ""}` };
  }

  it("are listed with a hash of every part", () => {
    const { status, output } = run(SIGNED);
    expect(status, output).to.equal(0);
    expect(output).to.include("The registry has signed every package.");
    const list = JSON.parse(readFileSync(path.join(dir, "parts.json"), "utf8")) as PartsList;
    expect(list.bomFormat).to.equal("CycloneDX");
    const names = list.components.map(({ name }) => name);
    expect(names).to.include.members(["koa", "typeorm", "bullmq"]).and.not.to.include("mocha");
    for (const { name, hashes = [] } of list.components) expect(hashes, name).not.to.be.empty;
  });

  for (const kind of ["invalid", "missing"] as const)
    it(`fail the check when the registry's signature of a package is ${kind}`, () => {
      const { status, output } = run(
        JSON.stringify({ invalid: [], missing: [], [kind]: [{ name: "koa", version: "3.3.0" }] }),
      );
      expect(status, output).to.equal(1);
      expect(output).to.include("koa@3.3.0");
    });

  for (const answer of ["", '{"error":{"code":"ENOTFOUND"}}'])
    it(`are reported as unchecked when the registry answers ${answer === "" ? "nothing" : answer}`, () => {
      const { status, output } = run(answer);
      expect(status, output).to.equal(0);
      expect(output).to.include("WERE NOT CHECKED");
    });

  for (const [found, status, words] of [
    [[], 0, "No package is known to be vulnerable."],
    [[{ id: "GHSA-0000" }], 1, ": GHSA-0000"],
  ] as const)
    it(`are compared with the known vulnerabilities: ${found.length} found`, async () => {
      const vulnsOf = ({ package: { purl } }: Query) => (/^pkg:npm.koa@/.test(purl) ? found : []);
      const advisories = createServer((request, answer) => {
        void json(request).then((asked) => {
          const { queries } = asked as { queries: Query[] };
          answer.end(JSON.stringify({ results: queries.map((query) => ({ vulns: vulnsOf(query) })) }));
        });
      }).listen(0, "127.0.0.1");
      try {
        await once(advisories, "listening");
        const { port } = advisories.address() as AddressInfo;
        const env = { ...withNpm(SIGNED), OSV_URL: `http://127.0.0.1:${port}` };
        const told = await promisify(execFile)("bash", script(), { cwd: ROOT, env }).then(
          ({ stdout }) => ({ code: 0, stdout }),
          ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
        );
        expect(told.code, told.stdout).to.equal(status);
        expect(told.stdout).to.contain(words);
      } finally {
        advisories.close();
      }
    });

  it("are checked in CI, and built from an image with a digest", () => {
    expect(read(".ci/run")).to.match(/^ *step "supply chain" \d+m bash scripts\/ci\/supply-chain\.sh$/m);
    const images = [...read("Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(images.splice(1), "made from the first").to.deep.equal(["node", "node"]);
    expect(images[0]).to.match(/@sha256:[0-9a-f]{64}$/);
    expect(read("Dockerfile")).to.match(/^COPY .*\.npmrc /m);
  });

  it("are updated by rules: exact versions, and nothing younger than a week", () => {
    const rules = JSON.parse(read("renovate.json")) as Record<string, unknown>;
    expect(rules).to.include({ rangeStrategy: "pin", minimumReleaseAge: "7 days" });
    expect(rules["extends"]).to.include.members(["config:recommended", "docker:pinDigests"]);
    expect(rules["vulnerabilityAlerts"]).to.include({ minimumReleaseAge: null });
  });
});
