import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import type { Manifest } from "../../adapters/backup/backup-file";
import { makeSecretBox } from "../../adapters/crypto";
import type { CommandContext } from "../../commands/context";
import { interruptStuckAttempts } from "../../commands/webhooks/interrupt-stuck-attempts";
import { sweepDeliveries } from "../../commands/webhooks/release";
import { createDataSource } from "../../database/data-source";
import { ADDRESS_INDEX_MAX } from "../../domain/wallet/address-index";
import { testContext } from "../support/context";
import { dumpableDatabaseUrl } from "../support/database";
import { buildInvoice, buildPayment, buildStore } from "../support/factories";
import { installedPostgres } from "../support/installed-postgres";
import { buildShopWebhook } from "../support/shop-webhook";
import { APP_SECRET, cliOn, type Ran, type Run } from "./support";

interface Restored {
  takenAt: string;
  version: string;
  wallets: { walletId: string; from: number; to: number }[];
  heldDeliveries: number;
  chainHeight: number | null;
  unknown: string[];
}

describe("backup and restore on the command line", function () {
  this.timeout(60_000);
  const secrets = makeSecretBox({ appSecret: APP_SECRET });
  let bin: string;
  let folder: string;
  let file: string;
  let env: Record<string, string>;
  let cli: Run;
  let db: DataSource;
  let ctx: CommandContext;
  const opened: DataSource[] = [];

  async function connect(databaseUrl: string, lastMigration?: string): Promise<DataSource> {
    const opening = createDataSource({
      databaseUrl,
      poolMax: 2,
      applicationName: "test",
      ...(lastMigration === undefined ? {} : { lastMigration }),
    });
    opened.push(opening);
    return opening.initialize();
  }

  before(function () {
    bin = installedPostgres(this);
  });
  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-backup-"));
    file = path.join(folder, "a.backup");
    const databaseUrl = await dumpableDatabaseUrl(bin);
    env = {
      PATH: bin,
      DATABASE_URL: databaseUrl,
      NETWORK: "regtest",
      APP_SECRET,
      PUBLIC_URL: "https://pay.example.com",
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.1/32",
    };
    cli = cliOn(env);
    expect((await cli("migrate")).code).to.equal(0);
    db = await connect(databaseUrl);
    ctx = await testContext({ db, secrets });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.destroy()));
    rmSync(folder, { recursive: true, force: true });
  });

  const backup = (...args: string[]): Promise<Ran> => cli("backup", "--to", file, ...args, "--json");

  /** Restores into a new database, and connects to it. */
  async function restored(...args: string[]): Promise<{ answer: Restored; copy: DataSource; cli: Run }> {
    const databaseUrl = await dumpableDatabaseUrl(bin);
    const there = cliOn({ ...env, DATABASE_URL: databaseUrl });
    const answer = (await there("restore", "--from", file, ...args, "--json")).json<Restored>();
    return { answer, copy: await connect(databaseUrl), cli: there };
  }

  async function refusesRestore(
    code: string,
    says: string,
    settings: Record<string, string | undefined> = {},
  ): Promise<void> {
    const databaseUrl = await dumpableDatabaseUrl(bin);
    const ran = await cliOn({ ...env, DATABASE_URL: databaseUrl, ...settings })(
      "restore",
      "--from",
      file,
      "--json",
    );
    expect(ran.code).to.equal(1);
    expect(ran.stdout).to.equal("");
    expect(ran.error().code).to.equal(code);
    expect(ran.error().message).to.include(says);
    const target = await connect(settings["DATABASE_URL"] ?? databaseUrl);
    const tables = await target.query<unknown[]>(
      "SELECT 1 FROM pg_tables WHERE schemaname IN ('public', 'bullmq') AND tablename <> 'mine'",
    );
    expect(tables, "nothing was written").to.deep.equal([]);
  }

  const tableNames = (): string[] => db.entityMetadatas.map(({ tableName }) => tableName);

  const rowsOf = (of: DataSource, table: string): Promise<unknown[]> =>
    of.query(`SELECT to_jsonb(t)::text AS row FROM "${table}" t ORDER BY 1`);

  const readManifest = (): Manifest => JSON.parse(readFileSync(`${file}.json`, "utf8")) as Manifest;
  const changeManifest = (change: Partial<Record<keyof Manifest, unknown>>): void =>
    writeFileSync(`${file}.json`, JSON.stringify({ ...readManifest(), ...change }));

  it("restores every row of every table but logins and one-time links, with values of every kind", async () => {
    const store = await buildStore(ctx, { name: 'Käse \\. \\N "Ä" \u{1f9c0}' });
    const { invoice } = await buildInvoice(ctx, {
      store,
      metadataJson: '{"orderId":"A\\n\\\\.\\n1","none":null}',
    });
    await buildPayment(ctx, invoice.id, { state: "confirmed", conflictHeights: [1, 2] });
    await cli("user", "create", "--email", "me@example.com");
    const before = new Map<string, unknown[]>();
    for (const table of tableNames()) before.set(table, await rowsOf(db, table));
    expect(before.get("user_links")).to.have.lengthOf(1);
    const { bytes } = (await backup()).json<{ bytes: number }>();
    expect(bytes).to.equal(statSync(file).size);

    const { copy } = await restored("--skip-addresses", "0");
    const [restore] = await copy.query<{ id: string }[]>("SELECT id FROM restores");
    for (const table of tableNames().filter((name) => name !== "restores")) {
      const ours = (await rowsOf(copy, table)).filter(
        (row) => !JSON.stringify(row).includes(restore?.id ?? "?"),
      );
      if (table === "installation")
        expect(ours).to.have.lengthOf(1); // made anew
      else expect(ours, table).to.deep.equal(table === "user_links" ? [] : before.get(table));
    }
  });

  it("writes two files for their owner only, without a secret, and leaves nothing beside them", async () => {
    await buildInvoice(ctx);
    await backup();
    expect(readdirSync(folder)).to.deep.equal(["a.backup", "a.backup.json"]);
    for (const name of readdirSync(folder)) {
      expect(statSync(path.join(folder, name)).mode & 0o777).to.equal(0o600);
      expect(readFileSync(path.join(folder, name), "latin1")).not.to.include(APP_SECRET);
    }
    expect(readFileSync(file, "latin1").slice(0, 5)).to.equal("PGDMP");
    const [wallet] = await db.query<{ id: string }[]>("SELECT id FROM wallets");
    expect(readManifest()).to.deep.include({
      network: "regtest",
      chainHeight: null,
      wallets: [{ id: wallet?.id, nextIndex: 1 }],
    });
  });

  it("moves each wallet on by the given number, once however many stores share it, and not past its last address", async () => {
    const { id } = await buildStore(ctx);
    await buildInvoice(ctx);
    await db.query(
      `INSERT INTO store_payment_methods (store_id, type, wallet_id, mac)
       SELECT 'another', 'BTC-CHAIN', wallet_id, mac FROM store_payment_methods WHERE store_id = $1`,
      [id],
    );
    const [last] = await db.query<{ id: string }[]>("SELECT id FROM wallets ORDER BY next_index LIMIT 1");
    await db.query("UPDATE wallets SET next_index = $1 WHERE id = $2", [ADDRESS_INDEX_MAX - 3, last?.id]);
    await backup();
    const { answer, copy } = await restored("--skip-addresses", "70");
    const moved = answer.wallets.map(({ from, to }) => [from, to]).sort(([a = 0], [b = 0]) => a - b);
    expect(moved).to.deep.equal([
      [1, 71],
      [ADDRESS_INDEX_MAX - 3, ADDRESS_INDEX_MAX],
    ]);
    const indexes = await copy.query<{ next_index: number }[]>("SELECT next_index FROM wallets ORDER BY 1");
    expect(indexes.map((row) => row.next_index)).to.deep.equal([71, ADDRESS_INDEX_MAX]);
    expect(answer.unknown.join()).to.include("each wallet skips 70");
    expect(answer.unknown.join()).to.include("without one they begin at 0");
  });

  it("retries to a shop plugin neither what waited for a retry nor what was being sent", async () => {
    const store = await buildStore(ctx);
    const webhookId = await buildShopWebhook(ctx, store, "http://127.0.0.1:9/hook");
    await buildInvoice(ctx, { store });
    await buildInvoice(ctx, { store });
    const [waiting, sending] = await db.query<{ id: string }[]>(
      "SELECT id FROM webhook_deliveries ORDER BY id",
    );
    await db.query(
      `UPDATE webhook_deliveries SET attempt_count = 1, state = 'failed', error = 'http-503', retry_at = clock_timestamp()
        WHERE id = $1`,
      [waiting?.id],
    );
    await db.query(
      `UPDATE webhook_deliveries SET attempt_count = 1, state = 'sending',
              last_attempt_at = clock_timestamp() - interval '1 hour' WHERE id = $1`,
      [sending?.id],
    );
    await db.query(
      `INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, started_at)
       VALUES ($1, 1, $2, 'automatic', clock_timestamp() - interval '1 hour')`,
      [sending?.id, webhookId],
    );
    await backup();
    const { copy } = await restored();
    const copied = await testContext({ db: copy, secrets: ctx.secrets });
    expect(await interruptStuckAttempts(copied)).to.equal(1);
    await sweepDeliveries(copied);
    expect(
      await copy.query("SELECT state, error, retry_at FROM webhook_deliveries ORDER BY id"),
    ).to.deep.equal([
      { state: "failed", error: "held-after-restore", retry_at: null },
      { state: "failed", error: "interrupted", retry_at: null },
    ]);
  });

  describe("refuses to restore, and writes nothing:", () => {
    beforeEach(async () => {
      await buildInvoice(ctx);
      await backup();
    });

    it("under another APP_SECRET", () =>
      refusesRestore("wrong-installation", "APP_SECRET is not the one of this backup", {
        APP_SECRET: "another secret with more than 32 characters",
      }));
    it("without APP_SECRET", () => refusesRestore("configuration", "APP_SECRET", { APP_SECRET: undefined }));
    it("on another network", () =>
      refusesRestore("wrong-installation", "This backup is of regtest, but NETWORK is signet", {
        NETWORK: "signet",
      }));
    it("a backup of a newer schema", () => {
      changeManifest({ migrations: ["AddFlyingCars1999999999999"] });
      return refusesRestore("backup-refused", "does not know the tables");
    });
    it("a backup of another format", () => {
      changeManifest({ quittanceBackup: 2 });
      return refusesRestore("backup-refused", "newer version");
    });
    it("into a database with tables", async () => {
      const databaseUrl = await dumpableDatabaseUrl(bin);
      await (await connect(databaseUrl)).query("CREATE TABLE mine (id int)");
      await refusesRestore("database-refused", "this one has tables (mine)", { DATABASE_URL: databaseUrl });
    });
    it("into a database to which others are connected", async () => {
      const databaseUrl = await dumpableDatabaseUrl(bin);
      await connect(databaseUrl);
      await refusesRestore(
        "wrong-installation",
        "connected to the database that is restored (test). Stop all apps",
        {
          DATABASE_URL: databaseUrl,
        },
      );
    });
    it("a truncated file", () => {
      truncateSync(file, statSync(file).size - 20);
      return refusesRestore("backup-refused", "truncated, damaged or was altered");
    });
    it("a file of another backup", async () => {
      const other = path.join(folder, "other.backup");
      await buildInvoice(ctx);
      await cli("backup", "--to", other);
      writeFileSync(file, readFileSync(other));
      await refusesRestore("backup-refused", "truncated, damaged or was altered");
    });
    it("a manifest that somebody without APP_SECRET changed", () => {
      changeManifest({ takenAt: "2026-01-01T00:00:00.000Z" });
      return refusesRestore("backup-refused", "truncated, damaged or was altered");
    });
    it("what has no manifest, or another's", async () => {
      writeFileSync(`${file}.json`, "{}");
      await refusesRestore("backup-refused", "no manifest of a backup");
      rmSync(`${file}.json`);
      await refusesRestore("backup-refused", "a.backup.json cannot be read");
    });
    it("a file that is not there", () => {
      rmSync(file);
      return refusesRestore("backup-refused", "cannot be read");
    });
    it("without pg_restore", () =>
      refusesRestore("backup-refused", "pg_restore is not installed here", { PATH: folder }));
  });

  it("says what to install where pg_dump is missing, or older than the server, and leaves no file", async () => {
    const empty = cliOn({ ...env, PATH: folder });
    const refusal = async (): Promise<{ code: string; message: string }> =>
      (await empty("backup", "--to", file, "--json")).error();
    expect(await refusal()).to.deep.include({ code: "backup-refused" });
    expect((await refusal()).message).to.match(
      /^pg_dump is not installed here.*apt install postgresql-client/,
    );
    const old = path.join(folder, "pg_dump");
    writeFileSync(old, "#!/bin/sh\necho 'pg_dump (PostgreSQL) 14.9 (Debian 14.9-1)'\n");
    chmodSync(old, 0o755);
    expect((await refusal()).message).to.match(/^pg_dump is of Postgres 14, and older than the server/);
    expect(readdirSync(folder)).to.deep.equal(["pg_dump"]);
  });

  it("does not overwrite a file, and says when it cannot be written", async () => {
    writeFileSync(file, "mine");
    expect((await backup()).error()).to.deep.include({ code: "backup-refused" });
    expect(readFileSync(file, "utf8")).to.equal("mine");
    file = path.join(folder, "nowhere", "a.backup");
    const { code, message } = (await backup()).error();
    expect(code).to.equal("backup-refused");
    expect(message).to.include("cannot be written");
  });

  it("refuses to back up a database that a newer version has migrated", async () => {
    await db.query("INSERT INTO migrations (timestamp, name) VALUES (9, 'AddFlyingCars1999999999999')");
    const { code, message } = (await backup()).error();
    expect(code).to.equal("database-refused");
    expect(message).to.include("AddFlyingCars1999999999999");
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it("lets nothing start on a database whose load failed", async () => {
    await buildInvoice(ctx);
    await backup();
    const bytes = readFileSync(file);
    bytes.fill(0, bytes.length - 100); // the last table's rows
    writeFileSync(file, bytes);
    const { mac: _, ...proven } = {
      ...readManifest(),
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
    changeManifest({ ...proven, mac: secrets.mac(["backup", JSON.stringify(proven)]).toString("base64") });
    const there = cliOn({ ...env, DATABASE_URL: await dumpableDatabaseUrl(bin) });
    const failed = await there("restore", "--from", file, "--json");
    expect(failed.code).to.equal(1);
    expect(failed.error().message).to.include("pg_restore failed");
    const created = await there("store", "create", "--name", "A", "--json");
    expect(created.error().message).to.include("migrate");
    const migrated = await there("migrate", "--json");
    expect(migrated.error().code).to.equal("wrong-installation");
    expect(migrated.error().message).to.include("A restore into this database did not finish");
    const again = await there("restore", "--from", file, "--json");
    expect(again.error().message).to.include("Create another one (`createdb`)");
  });

  it("lets nothing start on a database whose restore did not finish", async () => {
    await buildInvoice(ctx);
    await backup();
    const { copy, cli: there } = await restored();
    // As a process leaves it that dies before the last transaction.
    await copy.query("UPDATE installation SET network = 'unfinished-restore'");
    for (const args of [["migrate"], ["store", "create", "--name", "A"], ["rescan", "--from-height", "0"]]) {
      const ran = await there(...args, "--json");
      expect(ran.error().code, args.join(" ")).to.equal("wrong-installation");
      expect(ran.error().message).to.include("A restore into this database did not finish");
    }
    const again = await there("restore", "--from", file, "--json");
    expect(again.error().code).to.equal("database-refused");
    const doctor = JSON.parse((await there("doctor", "--json")).stdout) as {
      checks: { name: string; message: string }[];
    };
    expect(doctor.checks.find(({ name }) => name === "installation")?.message).to.include("did not finish");
  });
});
