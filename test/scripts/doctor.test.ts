import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../adapters/crypto";
import type { Check } from "../../scripts/cli/doctor/check";
import { envFileCheck, nodeCheck, transportCheck } from "../../scripts/cli/doctor/host-checks";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../scripts/embedded-postgres";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { createDataSource } from "../../database/data-source";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildPayment, buildStore } from "../support/factories";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";
import { startMailbox } from "../support/mailbox";
import { FRONT_AUTHORITY, startTlsFront } from "../support/tls-front";
import { APP_SECRET, cliOn } from "./support";
import { startTransactionPooler } from "./transaction-pooler";

const NAMES = [
  ...["node", "configuration", "env-file", "pm2-dump", "public-url", "trust-proxy", "transport"],
  ...[
    "database",
    "database-pooler",
    "database-connections",
    "database-standbys",
    "clock",
    "migrations",
    "installation",
    "app-secret",
  ],
  ...[
    "gap-limit",
    "chain-gaps",
    "set-aside",
    "destinations",
    "access",
    "store-nodes",
    "queue",
    "redis-eviction",
    "redis-persistence",
  ],
  ...["bitcoin", "bitcoin-network", "bitcoin-sync", "bitcoin-pruning", "bitcoin-mempool"],
  ...["bitcoin-peers", "bitcoin-zmq"],
  ...["lightning", "lightning-rights", "lightning-network", "lightning-sync", "lightning-receivable"],
  "mail",
];

/** For longer than health gives the queues' database. */
const SLOW_QUEUE_SESSIONS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'quittance queues' AND wait_event_type = 'Lock'
    AND clock_timestamp() > query_start + interval '1.2 seconds'`;

interface Examined {
  code: number;
  ok: boolean;
  checks: Check[];
  stdout: string;
  of(name: string): Check;
}

describe("doctor", () => {
  let env: Record<string, string | undefined>;
  let node: SimulatedNode;
  let db: DataSource;

  async function doctor(changes: Record<string, string | undefined> = {}): Promise<Examined> {
    const ran = await cliOn({ ...env, ...changes })("doctor", "--json");
    const { ok, checks } = ran.json<{ ok: boolean; checks: Check[] }>();
    const of = (name: string): Check => {
      const check = checks.find((candidate) => candidate.name === name);
      if (check === undefined) throw new Error(`there is no check ${name}`);
      return check;
    };
    expect(ran.code).to.equal(ok ? 0 : 1);
    expect(checks.map(({ name }) => name)).to.deep.equal(NAMES);
    for (const { name, status, fix } of checks)
      if (status === "failed" || status === "warning") expect(fix, `fix of ${name}`).to.be.a("string");
    return { code: ran.code, ok, checks, stdout: ran.stdout, of };
  }

  before(async () => {
    node = await SimulatedNode.start();
  });
  after(async () => node.stop());

  beforeEach(async () => {
    const databaseUrl = await testDatabaseUrl();
    env = {
      DATABASE_URL: databaseUrl,
      NETWORK: "regtest",
      APP_SECRET,
      PUBLIC_URL: "https://pay.example.com",
      TRUST_PROXY: "127.0.0.1,::1",
      BITCOIND_RPC_URL: node.rpcUrl,
    };
    expect((await cliOn(env)("migrate")).code).to.equal(0);
    db = await createDataSource({ databaseUrl, poolMax: 2, applicationName: "test" }).initialize();
  });
  afterEach(async () => db.destroy());

  it("passes a working installation", async () => {
    const { ok, code, checks } = await doctor();
    // Whatever Node the tests run with.
    const others = checks.filter(({ name }) => name !== "node");
    expect(others.filter(({ status }) => status !== "ok" && status !== "off")).to.deep.equal([]);
    expect({ ok, code }).to.deep.equal({ ok: true, code: 0 });
  });

  it("reports everything that is broken at once, and no secret", async () => {
    const found = await doctor({
      DATABASE_URL: "postgres://me:s3cret-database@127.0.0.1:1/x",
      REDIS_URL: "redis://:s3cret-redis@127.0.0.1:1",
      BITCOIND_RPC_URL: "http://me:s3cret-bitcoin@127.0.0.1:1",
      APP_SECRET: "s3cret-short",
      PUBLIC_URL: undefined,
      NETWORK: "regnet",
    });
    for (const name of ["configuration", "public-url", "database", "queue", "bitcoin"])
      expect(found.of(name).status, name).to.equal("failed");
    for (const name of ["migrations", "app-secret", "redis-eviction", "bitcoin-zmq"])
      expect(found.of(name).status, name).to.equal("unknown");
    expect(found.of("configuration").message).to.contain("APP_SECRET").and.contain("NETWORK");
    expect(found.stdout).not.to.contain("s3cret");
  });

  it("fails while Postgres has no room on its disk", async () => {
    await db.query(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET temp_file_limit = 0', current_database()); END $$",
    );
    const { code, of } = await doctor();
    expect(code).to.equal(1);
    expect(of("database").message).to.equal("The database's disk is full: nothing can be stored.");
  });

  it("logs in at the mail server, and sends nothing", async () => {
    const mailbox = await startMailbox();
    expect((await doctor({ SMTP_URL: mailbox.url })).of("mail")).to.deep.include({
      status: "ok",
      message: "The mail server takes the login; alerts go to ops@example.com.",
    });
    const mistyped = mailbox.url.replace("//", "//ops:s3cret-mistyped@");
    const refused = await doctor({ SMTP_URL: mistyped });
    expect(refused.of("mail").status).to.equal("failed");
    expect(refused.of("mail").message).to.contain("535");
    expect(refused.stdout).not.to.contain("s3cret");
    expect(mailbox.mails).to.deep.equal([]);
    await mailbox.stop();
    expect((await doctor({ SMTP_URL: mailbox.url })).of("mail").message).to.contain("ECONNREFUSED");
    expect((await doctor({ SMTP_URL: "mail.example.com" })).of("mail").status).to.equal("unknown");
    expect((await doctor()).of("mail").status).to.equal("off");
  });

  it("prints text for people, and ends with 1 when something is wrong", async () => {
    const sound = await cliOn(env)("doctor");
    expect(sound.code).to.equal(0);
    expect(sound.stdout).to.contain("✓ database: Postgres 18").and.contain("All is well.");
    const broken = await cliOn({ ...env, NETWORK: "signet" })("doctor");
    expect(broken.code).to.equal(1);
    expect(broken.stdout).to.contain("✗ installation").and.contain("→ Set NETWORK=regtest");
    expect(broken.stderr).to.equal("");
  });

  describe("of this host", () => {
    let dir: string;
    beforeEach(() => (dir = mkdtempSync(path.join(os.tmpdir(), "quittance-host-"))));
    afterEach(() => rmSync(dir, { recursive: true, force: true }));

    it("requires Node 20.19, and warns of one without the security fixes of its line, and of a line that gets none", () => {
      for (const [version, status] of [
        ["18.20.0", "failed"],
        ["20.18.3", "failed"],
        ["20.20.2", "warning"],
        ["22.20.0", "warning"],
        ["22.23.3", "warning"],
        ["22.23.4", "ok"],
        ["24.22.0", "warning"],
        ["24.100.0", "ok"],
        ["28.0.0", "ok"],
      ] as const)
        expect(nodeCheck(version).status, version).to.equal(status);
      expect(nodeCheck("22.20.0").message).to.contain("lacks the security fixes of 22.23.4");
    });

    it("warns when others may read or change .env", () => {
      const file = path.join(dir, ".env");
      writeFileSync(file, "APP_SECRET=x");
      for (const [mode, status] of [
        [0o600, "ok"],
        [0o640, "ok"],
        [0o644, "warning"],
        [0o660, "warning"],
      ] as const) {
        chmodSync(file, mode);
        expect(envFileCheck(file).status, mode.toString(8)).to.equal(status);
      }
    });

    it("names what in .env is no setting, and fails when it cannot be read", () => {
      const file = path.join(dir, ".env");
      writeFileSync(file, "NETWORK=regtest\n# FORMER=1\nBITCOIND_RCP_URL=http://x\n", { mode: 0o600 });
      const { status, message } = envFileCheck(file);
      expect({ status, message }).to.deep.equal({
        status: "warning",
        message: ".env has names that are no settings: BITCOIND_RCP_URL.",
      });
      expect(envFileCheck(dir).status).to.equal("failed");
    });

    it("warns when others may read what PM2 has saved, the environment with its secrets", async () => {
      const found = async () => (await doctor({ PM2_HOME: dir })).of("pm2-dump");
      expect((await found()).status).to.equal("off");
      writeFileSync(path.join(dir, "dump.pm2"), "[]", { mode: 0o644 });
      const check = await found();
      expect(check.status).to.equal("warning");
      expect(check.fix).to.include("umask 077").and.to.include(path.join(dir, "dump.pm2"));
      chmodSync(path.join(dir, "dump.pm2"), 0o600);
      expect((await found()).status).to.equal("ok");
    });

    it("warns of a Postgres or Redis on another host without TLS, and of none on this host", () => {
      const url = "postgres://u:p@db.internal/q";
      for (const [settings, named] of [
        [{ DATABASE_URL: url }, "DATABASE_URL"],
        [{ DATABASE_URL: `${url}?sslmode=disable` }, "DATABASE_URL"],
        [{ DATABASE_URL: `${url}?sslmode=no-verify` }, "DATABASE_URL"],
        [{ REDIS_URL: "redis://10.0.0.5:6379" }, "REDIS_URL"],
      ] as const) {
        const check = transportCheck(settings);
        expect(check.status, JSON.stringify(settings)).to.equal("warning");
        expect(check.message).to.include(`${named}:`).and.not.to.include("u:p");
      }
      for (const settings of [
        { DATABASE_URL: `${url}?sslmode=verify-full`, REDIS_URL: "rediss://queues" },
        { DATABASE_URL: "postgres://u:p@127.0.0.1/q", REDIS_URL: "redis://localhost" },
        { DATABASE_URL: "postgres://u:p@[::1]/q" },
        { DATABASE_URL: "postgres:///q?host=/run/postgresql" },
        {},
      ])
        expect(transportCheck(settings).status, JSON.stringify(settings)).to.equal("ok");
    });

    it("requires https, except on this host", async () => {
      const status = async (PUBLIC_URL: string): Promise<string> =>
        (await doctor({ PUBLIC_URL })).of("public-url").status;
      expect(await status("http://127.0.0.1:3000")).to.equal("ok");
      expect(await status("http://pay.example.com")).to.equal("warning");
    });

    it("warns when PUBLIC_URL is https and TRUST_PROXY names no proxy", async () => {
      const found = async (changes: Record<string, string>) => (await doctor(changes)).of("trust-proxy");
      expect((await found({})).status).to.equal("ok");
      const bare = await found({ TRUST_PROXY: "" });
      expect(bare.status).to.equal("warning");
      expect(bare.fix).to.include("TRUST_PROXY");
      const direct = await found({ PUBLIC_URL: "http://127.0.0.1:3000", TRUST_PROXY: "" });
      expect(direct.status).to.equal("off");
    });
  });

  describe("of the database", () => {
    it("names what migrate has to do", async () => {
      const found = await doctor({ DATABASE_URL: await testDatabaseUrl({ empty: true }) });
      expect(found.ok).to.equal(false);
      expect(found.of("migrations")).to.include({
        status: "failed",
        fix: "Run `npm run -s cli -- migrate`.",
      });
      expect(found.of("queue")).to.include({ status: "failed", fix: "Run `npm run -s cli -- migrate`." });
    });

    it("names how to trust an authority of one's own, with which it is reached, without a warning of Node", async () => {
      const warnings: string[] = [];
      const note = ({ message }: Error): void => void warnings.push(message);
      process.on("warning", note);
      const url = new URL(env["DATABASE_URL"] ?? "");
      const front = await startTlsFront(Number(url.port), "postgres");
      url.port = String(front.port);
      url.searchParams.set("sslmode", "require");
      const refused = (await doctor({ DATABASE_URL: url.href })).of("database");
      expect(refused.status).to.equal("failed");
      expect(refused.fix).to.include("certificate of Postgres").and.include("sslrootcert=");
      const migrate = await cliOn({ ...env, DATABASE_URL: url.href })("migrate");
      expect(migrate.stderr).to.include("sslrootcert=");
      url.searchParams.set("sslrootcert", FRONT_AUTHORITY);
      expect((await doctor({ DATABASE_URL: url.href })).of("database").status).to.equal("ok");
      front.close();
      process.off("warning", note);
      expect(warnings.filter((text) => /SSL modes/.test(text))).to.deep.equal([]);
    });

    it("does not ask for a migration where the queues' database is away, or slow for a moment", async () => {
      const away = (await doctor({ DATABASE_URL: "postgres://me@127.0.0.1:1/x" })).of("queue");
      expect(away.status).to.equal("failed");
      expect(away.fix).not.to.include("migrate");

      const lock = db.createQueryRunner();
      await lock.startTransaction();
      await lock.query("LOCK TABLE bullmq.migration");
      const slow = doctor();
      await eventually(async () => expect(await db.query(SLOW_QUEUE_SESSIONS)).to.have.length(1));
      await lock.commitTransaction();
      await lock.release();
      expect((await slow).of("queue").status).to.equal("ok");
    });

    it("recognises a database that a newer version has migrated", async () => {
      await db.query("INSERT INTO migrations (timestamp, name) VALUES (9, 'FromTheFuture9')");
      const { status, message } = (await doctor()).of("migrations");
      expect(status).to.equal("failed");
      expect(message).to.contain("FromTheFuture9");
    });

    it("recognises another installation's database, and another's secret", async () => {
      const signet = await doctor({ NETWORK: "signet" });
      expect(signet.of("installation").fix).to.contain("NETWORK=regtest");
      expect(signet.of("destinations").message).to.contain("another NETWORK");
      const other = "another secret that has more than 32 characters";
      expect((await doctor({ APP_SECRET: other })).of("app-secret").status).to.equal("failed");
      const both = await doctor({ APP_SECRET: other, APP_SECRET_OLD: APP_SECRET });
      expect(both.of("app-secret").status).to.equal("ok");
    });

    for (const size of [1, 8])
      it(`recognises a transaction pooler of ${size} connections by its behaviour`, async () => {
        const pooler = await startTransactionPooler(env["DATABASE_URL"] ?? "", size);
        try {
          const check = (await doctor({ DATABASE_URL: pooler.url })).of("database-pooler");
          expect(check.status).to.equal("failed");
          expect(check.fix).to.contain("session");
        } finally {
          await pooler.close();
        }
      });

    it("counts a limit of the role or the database", async () => {
      await db.query(
        `ALTER DATABASE "${String(db.options.database ?? new URL(env["DATABASE_URL"] ?? "").pathname.slice(1))}" CONNECTION LIMIT 50`,
      );
      const check = (await doctor()).of("database-connections");
      expect(check.status).to.equal("warning");
      expect(check.message).to.match(/^50 are available/);
    });

    for (const [offset, status] of [
      ["10 seconds", "warning"],
      ["5 minutes", "failed"],
    ] as const)
      it(`finds a clock that is ${offset} off`, async () => {
        const name = new URL(env["DATABASE_URL"] ?? "").pathname.slice(1);
        await db.query("CREATE SCHEMA wrong");
        await db.query(
          `CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '${offset}' $$`,
        );
        await db.query(`ALTER DATABASE "${name}" SET search_path = public, wrong, pg_catalog`);
        expect((await doctor()).of("clock").status).to.equal(status);
      });

    describe("with standbys", () => {
      let dir: string;
      let primary: EmbeddedPostgres;
      let changes: { DATABASE_URL: string };
      before(async function () {
        this.timeout(30_000);
        dir = mkdtempSync(path.join(os.tmpdir(), "quittance-primary-"));
        primary = await startEmbeddedPostgres({ dir, settings: ["wal_level=logical"] });
        changes = { DATABASE_URL: await primary.createDatabase("sold") };
      });
      after(async () => {
        await primary.stop();
        for (const each of [dir, path.dirname(primary.dataDir)])
          rmSync(each, { recursive: true, force: true });
      });

      const onPrimary = async (...sql: string[]): Promise<object[]> => {
        const client = new pg.Client({ connectionString: primary.adminUrl });
        await client.connect();
        let rows: object[] = [];
        for (const each of sql) ({ rows } = await client.query<object>(each));
        await client.end();
        return rows;
      };
      const connected = (): Promise<object[]> => onPrimary("SELECT FROM pg_stat_replication");

      /** As a standby does, and a subscriber of a database's changes. Returns how to end it. */
      async function replicate(name: string, command: string): Promise<() => Promise<void>> {
        const connectionString = command.includes("PHYSICAL") ? primary.adminUrl : changes.DATABASE_URL;
        const replication = command.includes("PHYSICAL") ? "true" : "database";
        const settings = { connectionString, replication, application_name: name };
        const client = new pg.Client(settings);
        client.on("error", () => undefined);
        const others = (await connected()).length;
        await client.connect();
        client.query(command).catch(() => undefined); // it lasts
        await eventually(async () => expect(await connected()).to.have.length(others + 1));
        return async () => {
          (client.connection.stream as Socket).destroy();
          await eventually(async () => expect(await connected()).to.have.length(others));
        };
      }

      it("warns when no commit waits for one", async () => {
        expect((await doctor(changes)).of("database-standbys").status).to.equal("ok");
        const end = await replicate("berlin", "START_REPLICATION PHYSICAL 0/1000000");
        const { status, message } = (await doctor(changes)).of("database-standbys");
        await end();
        expect(status).to.equal("warning");
        expect(message).to.include("(berlin)");
      });

      it("passes when commits wait for one", async () => {
        await onPrimary("ALTER SYSTEM SET synchronous_standby_names = 'berlin'", "SELECT pg_reload_conf()");
        const end = await replicate("berlin", "START_REPLICATION PHYSICAL 0/1000000");
        const check = (await doctor(changes)).of("database-standbys");
        await onPrimary("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()");
        await end();
        expect(check).to.include({ status: "ok", message: "Commits wait for a standby: berlin." });
      });

      it("takes neither a subscriber nor a backup for one", async () => {
        const reports = createDataSource({
          databaseUrl: changes.DATABASE_URL,
          poolMax: 1,
          applicationName: "test",
        });
        await reports.initialize();
        await reports.query("CREATE PUBLICATION reports FOR ALL TABLES");
        await reports.query("SELECT pg_create_logical_replication_slot('reports', 'pgoutput')");
        await reports.destroy();
        const options = "(proto_version '1', publication_names 'reports')";
        const ends = [
          await replicate("reports", `START_REPLICATION SLOT reports LOGICAL 0/0 ${options}`),
          await replicate("pg_receivewal", "START_REPLICATION PHYSICAL 0/1000000"),
        ];
        const check = (await doctor(changes)).of("database-standbys");
        for (const end of ends.reverse()) await end();
        expect(check).to.include({ status: "ok", message: "No standby is connected." });
      });
    });

    it("finds unpaid addresses beyond the gap limit, and not those that were paid or skipped", async () => {
      const ctx = await testContext({ db, secrets: makeSecretBox({ appSecret: APP_SECRET }) });
      const store = await buildStore(ctx);
      for (let made = 0; made < 20; made++) await buildInvoice(ctx, { store });
      expect((await doctor()).of("gap-limit").status).to.equal("ok");
      const { invoice } = await buildInvoice(ctx, { store });
      const found = (await doctor()).of("gap-limit");
      expect(found.status).to.equal("warning");
      expect(found.message).to.contain("21").and.contain(store.id);
      await buildPayment(ctx, invoice.id);
      expect((await doctor()).of("gap-limit").status).to.equal("ok");
    });

    it("finds users that the service did not write, which access lists and accepts", async () => {
      await db.query("INSERT INTO users (id, email, admin) VALUES ('usr_forged', 'x@example.com', true)");
      const found = (await doctor()).of("access");
      expect([found.status, found.message]).to.deep.equal([
        "failed",
        "Not authentic: user usr_forged. They give nobody a right.",
      ]);
      const row = { what: "user", row: "usr_forged" };
      const access = async (...args: string[]) => (await cliOn(env)("access", ...args, "--json")).json();
      expect(await access()).to.deep.equal({ notAuthentic: [row] });
      expect(await access("--accept")).to.deep.equal({ accepted: [row] });
      expect((await doctor()).of("access").status).to.equal("ok");
      await db.query("DELETE FROM users");
    });

    it("finds addresses of open invoices that were changed", async () => {
      const ctx = await testContext({ db, secrets: makeSecretBox({ appSecret: APP_SECRET }) });
      const { invoice } = await buildInvoice(ctx);
      expect((await doctor()).of("destinations").message).to.equal(
        "All 1 of the open invoices are authentic.",
      );
      await db.query("UPDATE invoice_payment_methods SET destination = 'bcrt1qthief'");
      const found = (await doctor()).of("destinations");
      expect(found.status).to.equal("failed");
      expect(found.message).to.contain(`BTC-CHAIN of ${invoice.id}`).and.not.to.contain("bcrt1");
      const other = await doctor({ APP_SECRET: "another secret of more than 32 characters" });
      expect(other.of("destinations").status).to.equal("unknown");
    });

    it("warns of stores' Lightning nodes that are in trouble, by what was recorded last", async () => {
      expect((await doctor()).of("store-nodes").status).to.equal("off");
      const ctx = await testContext({ db, secrets: makeSecretBox({ appSecret: APP_SECRET }) });
      const [well, away] = [await buildStore(ctx), await buildStore(ctx)];
      for (const { id } of [well, away])
        await db.query(
          `INSERT INTO lightning_nodes (id, store_id, checked_at, synchronized)
           VALUES ('lnd_' || $1, $1, clock_timestamp(), true)`,
          [id],
        );
      const { status, message } = (await doctor()).of("store-nodes");
      expect([status, message]).to.deep.equal(["ok", "Nodes of stores: 2, none in trouble."]);
      await db.query(
        "UPDATE lightning_nodes SET synchronized = false, problem = 'LND is gone.' WHERE store_id = $1",
        [away.id],
      );
      const examined = await doctor();
      const found = examined.of("store-nodes");
      expect([examined.code, found.status]).to.deep.equal([0, "warning"]);
      expect(found.message).to.contain(`${away.id} (LND is gone.)`).and.not.to.contain(well.id);
      expect(found.fix).to.contain("lightning check --store S");
      await db.query(
        "UPDATE lightning_nodes SET checked_at = clock_timestamp() - interval '31 s' WHERE store_id = $1",
        [well.id],
      );
      expect((await doctor()).of("store-nodes").message).to.contain(`${well.id} (not checked for 30 s`);
      await db.query("DELETE FROM lightning_nodes WHERE store_id IS NOT NULL");
    });

    it("warns of what could not be processed and is set aside", async () => {
      expect((await doctor()).of("set-aside").status).to.equal("ok");
      await db.query(
        `INSERT INTO set_aside (txid, failed_at, error) VALUES ('aa', now(), 'x'), ('bb', now(), 'x')`,
      );
      const found = (await doctor()).of("set-aside");
      expect(found.status).to.equal("warning");
      expect(found.message).to.contain("2 transactions");
      expect(found.fix).to.contain("retry set-aside");
      await db.query(`DELETE FROM set_aside`);
    });
  });

  describe("of the node", () => {
    afterEach(() =>
      Object.assign(node.faults, {
        chain: "regtest",
        initialBlockDownload: false,
        mempoolLoading: false,
        blocksOnly: false,
      }),
    );

    it("finds another network", async () => {
      node.faults.chain = "main";
      expect((await doctor()).of("bitcoin-network").message).to.contain("main");
      expect((await doctor()).ok).to.equal(false);
    });

    it("finds a node that still synchronises, and one that reads its mempool", async () => {
      Object.assign(node.faults, { initialBlockDownload: true, mempoolLoading: true });
      const found = await doctor();
      expect(found.of("bitcoin-sync").status).to.equal("failed");
      expect(found.of("bitcoin-mempool").status).to.equal("failed");
    });

    it("finds a node without peers, and one that relays no transactions", async () => {
      const alone = await doctor({ BITCOIND_MIN_PEERS: "1" });
      expect(alone.of("bitcoin-peers").status).to.equal("failed");
      expect(alone.of("bitcoin-peers").message).to.match(/^0 peers .* BITCOIND_MIN_PEERS is 1/);
      expect((await doctor()).of("bitcoin-peers").status).to.equal("ok");
      node.faults.blocksOnly = true;
      expect((await doctor()).of("bitcoin-peers").status).to.equal("failed");
    });

    it("finds gaps in which payments may have been missed, and says since when", async () => {
      expect((await doctor()).of("chain-gaps").status).to.equal("ok");
      await db.query("INSERT INTO chain_gaps (kind, began_at) VALUES ('blind', '2026-01-02T03:04:05Z')");
      const { status, message } = (await doctor()).of("chain-gaps");
      await db.query("DELETE FROM chain_gaps");
      expect(status).to.equal("warning");
      expect(message).to.contain("blind since 2026-01-02T03:04:05.000Z");
    });

    it("finds ZMQ without an answer, or with one of something else", async () => {
      const url = new URL(node.rpcUrl);
      for (const address of ["tcp://127.0.0.1:1", `tcp://127.0.0.1:${url.port}`]) {
        const check = (await doctor({ BITCOIND_ZMQ_RAWTX: address })).of("bitcoin-zmq");
        expect(check.status, address).to.equal("warning");
        expect(check.message).to.contain("rawtx").and.not.contain("hashblock");
      }
    });
  });

  describe("of Redis", () => {
    let redis: TestRedis;

    before(async function () {
      if (!redisAvailable()) return this.skip();
      redis = await testRedis();
    });
    after(async () => redis?.stop());
    afterEach(async () => redis?.admin.config("SET", "maxmemory-policy", "noeviction"));

    it("warns when the append-only file is off, and passes when it is on", async () => {
      const off = await doctor({ REDIS_URL: redis.url });
      expect(off.ok).to.equal(true);
      expect(off.of("queue").message).to.match(/^Redis \d/);
      expect(off.of("redis-eviction").status).to.equal("ok");
      expect(off.of("redis-persistence").status).to.equal("warning");
      await redis.admin.config("SET", "appendonly", "yes");
      expect((await doctor({ REDIS_URL: redis.url })).of("redis-persistence").status).to.equal("ok");
    });

    it("names how to trust an authority of one's own", async () => {
      const front = await startTlsFront(Number(new URL(redis.url).port), "redis");
      const refused = (await doctor({ REDIS_URL: `rediss://127.0.0.1:${front.port}` })).of("queue");
      front.close();
      expect(refused.status).to.equal("failed");
      expect(refused.fix).to.include("certificate of Redis").and.include("NODE_EXTRA_CA_CERTS=");
    });

    it("fails when it refuses writes, and says what to do", async () => {
      await redis.admin.config("SET", "maxmemory", "1");
      const full = (await doctor({ REDIS_URL: redis.url })).of("queue");
      await redis.admin.config("SET", "maxmemory", "0");
      expect(full.status).to.equal("failed");
      expect(full.message).to.contain("Raise its maxmemory");
    });

    it("fails when it may evict jobs", async () => {
      await redis.admin.config("SET", "maxmemory-policy", "allkeys-lru");
      const check = (await doctor({ REDIS_URL: redis.url })).of("redis-eviction");
      expect(check.status).to.equal("failed");
      expect(check.message).to.contain("allkeys-lru");
    });
  });
});
