import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { createDataSource } from "../../database/data-source";
import { removeEmbeddedPostgres, startEmbeddedPostgres } from "../../scripts/embedded-postgres";
import { createUser } from "../../commands/accounts/create-user";
import { createApiKey } from "../../commands/stores/api-key";
import { createStore } from "../../commands/stores/create-store";
import { buildService } from "../support/built";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { redisAvailable, testRedis } from "../support/redis";
import { send } from "../api/server";

interface Api {
  child: ChildProcess;
  lines: Record<string, unknown>[];
  stderr(): string;
  /** What `process.send` sent. */
  messages: unknown[];
  exited: Promise<number | null>;
  base(): Promise<string>;
}

describe("API: the process", function () {
  this.timeout(120_000);
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill("SIGKILL");
  });

  function start(env: Record<string, string>): Api {
    const child = spawn(process.execPath, [path.join(buildService(), "api/main.js")], {
      cwd: path.join(__dirname, "../.."),
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    started.push(child);
    const lines: Record<string, unknown>[] = [];
    const messages: unknown[] = [];
    let stderr = "";
    let rest = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((line) => JSON.parse(line) as Record<string, unknown>));
    });
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.on("message", (message) => messages.push(message));
    return {
      child,
      lines,
      messages,
      stderr: () => stderr,
      exited: once(child, "exit").then(([code]) => code as number | null),
      base: () =>
        eventually(() => {
          const line = lines.find(({ message }) => message === "listening");
          if (!line) throw new Error(`not listening: ${stderr} ${JSON.stringify(lines)}`);
          return `http://127.0.0.1:${String(line["port"])}`;
        }, 60_000),
    };
  }

  async function migratedDatabase(): Promise<string> {
    const databaseUrl = await testDatabaseUrl();
    await migrateQueues(databaseUrl);
    return databaseUrl;
  }

  const settings = (databaseUrl: string) => ({
    DATABASE_URL: databaseUrl,
    NETWORK: "regtest",
    PORT: "0",
    PUBLIC_URL: "http://127.0.0.1:3000",
    APP_SECRET: "a test secret of more than 32 characters",
  });

  it("exits 1 without settings and names each missing one", async () => {
    const api = start({ DATABASE_URL: "" });
    expect(await api.exited).to.equal(1);
    for (const name of ["DATABASE_URL", "NETWORK", "PUBLIC_URL", "APP_SECRET"])
      expect(api.stderr()).to.include(`${name} is missing`);
  });

  it("exits 1 with one line that names port and setting, when the port or its address cannot be had", async () => {
    const env = settings("postgres://127.0.0.1:1/none");
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    for (const [refused, setting, says] of [
      [{ PORT: String(port) }, "PORT", `port ${port} is used by another process`],
      [{ HOST: "192.0.2.1" }, "HOST", "address that this machine has not"],
    ] as const) {
      const api = start({ ...env, ...refused });
      expect(await api.exited).to.equal(1);
      const errors = api.lines.filter(({ level }) => level === "error");
      expect(errors).to.have.length(1);
      expect(errors[0]).to.include({ setting });
      expect(errors[0]?.["message"]).to.include(says);
      expect(api.stderr()).to.equal("");
    }
    taken.close();
  });

  it("exits 1 on pending migrations and names the command", async () => {
    const api = start(settings(await testDatabaseUrl({ empty: true })));
    expect(await api.exited).to.equal(1);
    expect(JSON.stringify(api.lines)).to.include("npm run -s cli -- migrate");
    expect(api.messages).to.deep.equal([]);
  });

  it("exits 1 on a database of another network and on another APP_SECRET", async () => {
    const env = settings(await migratedDatabase());
    const first = start(env);
    await eventually(() => expect(first.messages).to.deep.equal(["ready"]));
    const wrongNetwork = start({ ...env, NETWORK: "signet" });
    expect(await wrongNetwork.exited).to.equal(1);
    expect(JSON.stringify(wrongNetwork.lines)).to.include("NETWORK=regtest");
    const wrongSecret = start({ ...env, APP_SECRET: "another secret of more than 32 characters" });
    expect(await wrongSecret.exited).to.equal(1);
    expect(JSON.stringify(wrongSecret.lines)).to.include("APP_SECRET").and.not.to.include("another secret");
  });

  it("names the command that creates the first user, as long as there is none", async () => {
    const databaseUrl = await migratedDatabase();
    const hint = "users: there is none yet, so that nobody can log in";
    const first = start(settings(databaseUrl));
    const line = await eventually(() => {
      const found = first.lines.find(({ message }) => message === hint);
      if (found === undefined) throw new Error("no hint yet");
      return found;
    }, 60_000);
    expect(line["command"]).to.match(/cli -- user create --email \S+ --admin$/);
    const db = await createDataSource({ databaseUrl, poolMax: 2, applicationName: "test" }).initialize();
    await createUser(await testContext({ db }), { email: "you@shop.example", admin: true });
    await db.destroy();
    const second = start(settings(databaseUrl));
    await eventually(() => expect(second.messages).to.deep.equal(["ready"]), 60_000);
    second.child.kill("SIGTERM");
    expect(await second.exited).to.equal(0);
    expect(second.lines.map(({ message }) => message)).not.to.include(hint);
  });

  it("exits 1 while the queues' tables are missing, and names the command", async () => {
    const api = start(settings(await testDatabaseUrl()));
    expect(await api.exited).to.equal(1);
    expect(JSON.stringify(api.lines))
      .to.include("queues' tables are missing")
      .and.to.include("cli -- migrate");
  });

  if (redisAvailable())
    it("exits 1 on a Redis that evicts and says how to fix it; serves while Redis is away", async () => {
      const redis = await testRedis();
      await redis.admin.config("SET", "maxmemory-policy", "allkeys-lru");
      const env = { ...settings(await migratedDatabase()), REDIS_URL: redis.url };
      const refused = start(env);
      expect(await refused.exited).to.equal(1);
      expect(JSON.stringify(refused.lines)).to.include("CONFIG SET maxmemory-policy noeviction");
      await redis.stop();
      const api = start(env);
      await eventually(() => expect(api.messages).to.deep.equal(["ready"]));
      expect((await send(await api.base(), "GET", "/api/v1/stores/x/invoices")).status).to.equal(401);
      // It does not wait for Redis: when it finds out depends on what else the machine does.
      await eventually(() =>
        expect(api.lines.map(({ message }) => message)).to.include("redis: connection lost"),
      );
    });

  it("waits for a database that is away, is live meanwhile, and ready when it is back", async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-main-"));
    let postgres = await startEmbeddedPostgres({ dir });
    const databaseUrl = await postgres.createDatabase("late");
    const db = createDataSource({ databaseUrl, poolMax: 2, applicationName: "test" });
    await db.initialize();
    await db.runMigrations();
    await db.destroy();
    await migrateQueues(databaseUrl);
    await postgres.stop();

    const api = start(settings(databaseUrl));
    const base = await api.base();
    expect((await send(base, "GET", "/api/v1/health/live")).status).to.equal(200);
    expect((await send(base, "GET", "/api/v1/health")).status).to.equal(503);
    const refused = await send(base, "GET", "/api/v1/stores/x/invoices");
    expect([refused.status, refused.json.code]).to.deep.equal([503, "unavailable"]);
    await eventually(() =>
      expect(api.lines.map(({ message }) => message)).to.include("database: waiting for a connection"),
    );
    expect(JSON.stringify(api.lines)).not.to.include(new URL(databaseUrl).password);
    expect(api.messages).to.deep.equal([]);

    postgres = await startEmbeddedPostgres({ dir, port: postgres.port });
    await eventually(() => expect(api.messages).to.deep.equal(["ready"]));
    expect((await send(base, "GET", "/api/v1/stores/x/invoices")).status).to.equal(401);
    api.child.kill("SIGTERM");
    expect(await api.exited).to.equal(0);
    await removeEmbeddedPostgres(postgres, dir);
  });

  it("says of a node that is not configured that it is off", async () => {
    const api = start(settings(await migratedDatabase()));
    const base = await api.base();
    await eventually(() => expect(api.messages).to.deep.equal(["ready"]));
    const { checks, synchronized } = (await send(base, "GET", "/api/v1/health")).json;
    const off = { status: "off" };
    expect(checks).to.deep.include({ bitcoin: off, lightning: off });
    expect(synchronized).to.equal(true);
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const)
    it(`finishes requests under way on ${signal}, closes kept connections and exits 0`, async () => {
      const databaseUrl = await migratedDatabase();
      const db = createDataSource({ databaseUrl, poolMax: 3, applicationName: "test" });
      await db.initialize();
      const ctx = await testContext({ db });
      const { id } = await createStore(ctx, { name: "Shop" });
      const { apiKey } = await createApiKey(ctx, { storeId: id, name: "test" });
      const api = start(settings(databaseUrl));
      const base = await api.base();
      await eventually(() => expect(api.messages).to.deep.equal(["ready"]));
      const invoices = `/api/v1/stores/${id}/invoices`;
      expect((await send(base, "GET", invoices, { key: apiKey })).status).to.equal(200);

      const lock = db.createQueryRunner();
      await lock.startTransaction();
      await lock.query("LOCK TABLE invoices");
      const underWay = send(base, "GET", invoices, { key: apiKey });
      await eventually(async () => {
        const rows = (await lock.query("SELECT 1 FROM pg_locks WHERE NOT granted")) as unknown[];
        return rows.length > 0;
      });
      api.child.kill(signal);
      await eventually(() => expect(api.lines.at(-1)?.["message"]).to.match(/^stopping/));
      await eventually(async () => {
        try {
          await send(base, "GET", "/api/v1/health/live");
          return false;
        } catch {
          return true; // refused: it takes no new connections
        }
      });
      await lock.rollbackTransaction();
      await lock.release();
      expect((await underWay).status).to.equal(200);
      expect(await api.exited).to.equal(0);
      await db.destroy();
    });
});
