import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { queueConnections } from "../../adapters/queues/postgres-backend";
import { SETTINGS } from "../../config/schema";
import { eventually } from "../support/eventually";

interface App {
  name: string;
  script: string;
  args?: string;
  exec_mode: string;
  wait_ready: boolean;
  kill_timeout: number;
}
const root = path.join(__dirname, "../..");
const ecosystem = path.join(root, "ecosystem.config.js");
/** As PM2 reads them in this environment, from the folder of an installed package if one is named. */
function appsWith(env: Record<string, string | undefined>): App[] {
  const print = "console.log(JSON.stringify(require(process.argv[1]).apps))";
  const { PROCESSES: _, ...others } = process.env;
  const read = spawnSync(process.execPath, ["-e", print, ecosystem], { env: { ...others, ...env } });
  return JSON.parse(String(read.stdout)) as App[];
}
const apps = appsWith({});

describe("the apps of PM2", () => {
  it("are the API and every worker, each under its own name", () => {
    const workers = apps.filter(({ name }) => name !== "api");
    expect(workers.map(({ name }) => name)).to.include.members([
      "chain-watch",
      "lightning-watch",
      "invoices",
      "confirmations",
      "invoice-expiry",
      "webhook-delivery",
      "reconcile",
    ]);
    for (const { name, script, args } of workers) {
      expect({ script, args }).to.deep.equal({ script: path.join(root, "dist/workers/main.js"), args: name });
      expect(readdirSync(path.join(root, "workers"))).to.include(`${name}.ts`);
    }
    for (const { script } of apps)
      expect(existsSync(script.replace("/dist/", "/").replace(/\.js$/, ".ts")), script).to.equal(true);
  });

  it("are the API and one of all workers with PROCESSES=few, from the environment or .env", () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-env-"));
    writeFileSync(path.join(dir, ".env"), "\ufeffPROCESSES=few\n");
    const names = (env: Record<string, string>) => appsWith(env).map(({ name }) => name);
    try {
      expect(names({ PROCESSES: "few" })).to.deep.equal(["api", "workers"]);
      expect(names({ QUITTANCE_FOLDER: dir })).to.deep.equal(["api", "workers"]);
      expect(names({ QUITTANCE_FOLDER: dir, PROCESSES: "" })).to.have.lengthOf(8);
      const [, workers] = appsWith({ PROCESSES: "few" });
      expect(workers).to.deep.include({ args: "workers", kill_timeout: 40_000, exec_mode: "fork" });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("say when they are ready, and are given longer to stop than they take", () => {
    const longer: Record<string, number> = { api: 45_000, "webhook-delivery": 40_000 };
    for (const app of apps)
      expect(app).to.include({ wait_ready: true, kill_timeout: longer[app.name] ?? 20_000 });
  });

  it("fit in 80 database connections at their defaults, with the queues in Postgres", () => {
    const pool = SETTINGS.DATABASE_POOL_MAX.schema.parse(undefined);
    const producers = ["api", "chain-watch", "lightning-watch", "reconcile"];
    const all = apps.map(({ name }) => pool + queueConnections(producers.includes(name) ? 0 : 1));
    const hearsChanges = 1; // api: adapters/notifications
    expect(all.reduce((sum, connections) => sum + connections, hearsChanges)).to.be.at.most(80);
    const few = [pool + queueConnections(0) + hearsChanges, 7 * pool + queueConnections(4)];
    expect(few.reduce((sum, connections) => sum + connections)).to.be.at.most(60);
  });

  it("may use as much memory as configured, in both of PM2's modes", async function () {
    this.timeout(120_000);
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-pm2-"));
    const env = { ...process.env, PM2_HOME: path.join(dir, "pm2") };
    const pm2 = (...args: string[]) =>
      spawnSync(process.execPath, [path.join(root, "node_modules/pm2/bin/pm2"), ...args], { cwd: dir, env });
    writeFileSync(
      path.join(dir, "tells.js"),
      `require("fs").writeFileSync(process.argv[2], String(require("v8").getHeapStatistics().heap_size_limit));
       setInterval(() => undefined, 1_000);`,
    );
    const told = apps.map(({ name }) => path.join(dir, `${name}.told`));
    const tellers = apps.map((app, at) => ({
      ...app,
      ...{ script: "tells.js", args: told[at], cwd: dir, wait_ready: false },
    }));
    writeFileSync(path.join(dir, "apps.json"), JSON.stringify({ apps: tellers }));
    try {
      expect(pm2("start", "apps.json").status).to.equal(0);
      for (const file of told) {
        const limit = await eventually(
          () => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0) || false,
          20_000,
        );
        // What is old, and a few times what is new.
        expect(Number(limit) / 2 ** 20, file).to.be.within(384, 432);
      }
    } finally {
      pm2("kill");
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
