import { expect } from "chai";
import type { DataSource } from "typeorm";
import { connectReplica, type Replica } from "../../adapters/replica";
import { exportInvoices } from "../../commands/export-invoices";
import { listReports } from "../../commands/list-reports";
import { readMetrics } from "../../commands/read-metrics";
import { readStoreHome } from "../../commands/read-store-home";
import { DomainError } from "../../domain/errors";
import { createDataSource } from "../../entities/data-source";
import { TcpGate } from "../../scripts/devnet/lightning/tcp-gate";
import { recordingLog, testContext, type LogLine } from "../support/context";
import { testDatabase, testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore } from "../support/factories";
import { startReplicatedPostgres, type ReplicatedPostgres } from "../support/replica";

const BACK_WITHIN_MS = 15_000;

describe("a read replica", function () {
  this.timeout(60_000);
  let postgres: ReplicatedPostgres;
  let primary: DataSource;
  let onReplica: DataSource;
  let lines: LogLine[];
  const open: Replica[] = [];

  const settings = (databaseUrl: string) => ({ databaseUrl, poolMax: 3, applicationName: "test" });
  const replicaUrl = () => postgres.replica.urlOf("shop");
  function connect(databaseUrl = replicaUrl()): Replica {
    const recorded = recordingLog();
    ({ lines } = recorded);
    const replica = connectReplica(settings(databaseUrl), recorded.log);
    open.push(replica);
    return replica;
  }
  /** Which of the two did it, and the last number that it knew. */
  async function ask(db: DataSource): Promise<{ standby: boolean; last: number }> {
    const [row] = await db.query<{ standby: boolean; last: number }[]>(
      "SELECT pg_is_in_recovery() AS standby, (SELECT max(n) FROM counted)::int AS last",
    );
    if (!row) throw new Error("no answer");
    return row;
  }
  const count = (n: number) => primary.query("INSERT INTO counted VALUES ($1)", [n]);
  const readsThere = (replica: Replica) =>
    eventually(async () => expect((await replica.read(primary, ask)).standby).to.equal(true), BACK_WITHIN_MS);

  before(async () => {
    postgres = await startReplicatedPostgres();
    const databaseUrl = await postgres.primary.createDatabase("shop");
    primary = await createDataSource(settings(databaseUrl)).initialize();
    await primary.runMigrations();
    await primary.query("CREATE TABLE counted (n integer)");
    await eventually(async () => {
      onReplica = await createDataSource(settings(replicaUrl())).initialize();
      expect((await ask(onReplica)).standby).to.equal(true);
    });
  });
  after(async () => {
    if (onReplica?.isInitialized) await onReplica.destroy();
    await primary?.destroy();
    await postgres?.stop();
  });
  afterEach(async () => {
    for (const replica of open.splice(0)) await replica.close();
  });

  it("is read, and has whatever was committed the moment before", async () => {
    const replica = connect();
    await readsThere(replica);
    for (let n = 1; n <= 200; n++) {
      await count(n);
      expect(await replica.read(primary, ask)).to.deep.equal({ standby: true, last: n });
    }
    expect(await replica.health(primary)).to.deep.equal({ status: "ok" });
    expect(lines).to.deep.equal([]);
  });

  it("is left alone while it is behind, and read again when it has caught up", async () => {
    const replica = connect();
    await readsThere(replica);
    await onReplica.query("SELECT pg_wal_replay_pause()");
    await count(1_001);
    const begin = performance.now();
    expect(await replica.read(primary, ask)).to.deep.equal({ standby: false, last: 1_001 });
    expect(performance.now() - begin).to.be.within(900, 3_000);
    const next = performance.now();
    for (let n = 0; n < 10; n++) expect((await replica.read(primary, ask)).standby).to.equal(false);
    expect(performance.now() - next).to.be.below(500); // nobody waits for what another waited for in vain
    expect(await replica.health(primary)).to.deep.equal({
      status: "degraded",
      reason: "It is more than 1 s behind.",
    });
    await onReplica.query("SELECT pg_wal_replay_resume()");
    await readsThere(replica);
    expect(await replica.health(primary)).to.deep.equal({ status: "ok" });
    expect(lines.map(({ level, message }) => `${level}: ${message}`)).to.deep.equal([
      "warn: the read replica is of no use: the primary is read instead",
      "info: the read replica is read again",
    ]);
  });

  it("that hangs without a word holds a reader up for two seconds, once", async () => {
    const gate = TcpGate.make(0);
    await gate.open(postgres.replica.port);
    const replica = connect(replicaUrl().replace(`:${postgres.replica.port}/`, `:${gate.port}/`));
    await readsThere(replica);
    gate.freeze();
    const begin = performance.now();
    expect((await replica.read(primary, ask)).standby).to.equal(false);
    expect(performance.now() - begin).to.be.below(4_000);
    const next = performance.now();
    expect((await replica.read(primary, ask)).standby).to.equal(false);
    expect(performance.now() - next).to.be.below(500);
    gate.thaw();
    await gate.close();
    await gate.open(postgres.replica.port);
    await readsThere(replica);
    await replica.close();
    await gate.close();
  });

  it("breaks no reading off: what fails on it is done again on the primary, but for what was asked wrongly", async () => {
    const replica = connect();
    await readsThere(replica);
    const done = await replica.read(primary, async (db) => {
      await db.query("INSERT INTO counted VALUES (2001)"); // a standby takes no writes
      return ask(db);
    });
    expect(done).to.deep.equal({ standby: false, last: 2_001 });
    await readsThere(replica);
    let times = 0;
    const wrong = await replica
      .read(primary, () => {
        times += 1;
        return Promise.reject(new DomainError("validation-failed", "no such cursor"));
      })
      .catch((error: unknown) => error);
    expect(wrong).to.be.instanceOf(DomainError);
    expect(times).to.equal(1);
    expect((await replica.read(primary, ask)).standby).to.equal(true);
  });

  it("is read on after one reading failed by itself, which is done again on the primary", async () => {
    const replica = connect();
    await readsThere(replica);
    const done = await replica.read(primary, async (db) => {
      const at = await ask(db);
      if (at.standby) await db.query("SELECT 1 / 0");
      return at;
    });
    expect(done.standby).to.equal(false);
    expect((await replica.read(primary, ask)).standby).to.equal(true);
    expect(lines).to.deep.equal([]);
  });

  it("is read on by others after one failed late that had begun before it was given up", async () => {
    const replica = connect();
    await readsThere(replica);
    const writes = (db: Pick<DataSource, "query">) => db.query("INSERT INTO counted VALUES (2101)");
    let begun!: () => void;
    let letGo!: () => void;
    const isUnderWay = new Promise<void>((resolve) => (begun = resolve));
    const mayFail = new Promise<void>((resolve) => (letGo = resolve));
    const straggler = replica.read(primary, (db) =>
      db.transaction(async (manager) => {
        await manager.query("SELECT 1");
        begun();
        await mayFail;
        await writes(manager);
        return db;
      }),
    );
    await isUnderWay;
    await replica.read(primary, writes);
    expect((await replica.read(primary, ask)).standby, "it was given up").to.equal(false);
    await readsThere(replica);
    letGo();
    expect(await straggler).to.equal(primary);
    expect((await replica.read(primary, ask)).standby).to.equal(true);
    expect(await replica.health(primary)).to.deep.equal({ status: "ok" });
  });

  it("is not used when it is the primary itself, another database of it, or another server", async () => {
    const stranger = await testDatabaseUrl();
    for (const [url, reason] of [
      [postgres.primary.urlOf("shop"), "It is a primary, not a replica."],
      [postgres.replica.urlOf("postgres"), "It is no streaming replica of this database."],
      [stranger, "It is no streaming replica of this database."],
    ] as const) {
      const replica = connect(url);
      expect(await replica.health(primary)).to.deep.equal({ status: "degraded", reason });
      expect((await replica.read(primary, ask)).standby).to.equal(false);
    }
  });

  it("is not used where the primary's role may not ask how far the server is", async () => {
    const replica = connect();
    await primary.query("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
    await primary.query("CREATE ROLE shopkeeper LOGIN PASSWORD 'tea'");
    await primary.query("GRANT SELECT ON counted TO shopkeeper");
    const plain = new URL(postgres.primary.urlOf("shop"));
    plain.username = "shopkeeper";
    plain.password = "tea";
    const asPlain = await createDataSource(settings(plain.href)).initialize();
    expect((await replica.read(asPlain, ask)).standby).to.equal(false);
    const { status, reason } = await replica.health(asPlain);
    expect(status).to.equal("degraded");
    expect(reason).to.match(
      /^The primary does not say how far it is \(permission denied for function pg_control/,
    );
    await asPlain.destroy();
  });

  it("answers exports, reports, a store's numbers and metrics without the primary", async () => {
    const ctx = await testContext({ db: primary });
    const store = await buildStore(ctx);
    const { invoice } = await buildInvoice(ctx, { store });
    await readsThere(connect());
    const gone = await testDatabase();
    await gone.destroy();
    const there = await testContext({ db: onReplica });
    const reads = { ...there, db: gone, readElsewhere: there.readElsewhere };
    await eventually(async () => {
      const batches = [];
      for await (const batch of exportInvoices(reads, store.id, { archived: false })) batches.push(...batch);
      expect(batches.map((view) => view.invoice.id)).to.deep.equal([invoice.id]);
    });
    expect((await readStoreHome(reads, store.id)).invoices.New).to.equal(1);
    expect((await listReports(reads, { limit: 10 })).items).to.deep.equal([]);
    expect((await readMetrics(reads)).map(({ name }) => name)).to.include("quittance_deliveries_open");
  });

  it("may die and come back", async () => {
    const replica = connect();
    await readsThere(replica);
    await onReplica.destroy();
    await postgres.replica.stop();
    await count(3_001);
    expect(await replica.read(primary, ask)).to.deep.equal({ standby: false, last: 3_001 });
    expect(await replica.health(primary)).to.deep.equal({
      status: "degraded",
      reason: "It does not answer.",
    });
    await postgres.restartReplica();
    await readsThere(replica);
    expect((await replica.read(primary, ask)).last).to.equal(3_001);
  });

  it("is not used when the primary does not answer: that is an outage", async () => {
    const replica = connect();
    await readsThere(replica);
    const away = await createDataSource(settings(postgres.primary.urlOf("shop"))).initialize();
    await away.destroy();
    const refused = await replica.read(away, ask).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    expect((await replica.read(primary, ask)).standby).to.equal(true);
  });

  it("is not used any more when it was made a primary", async () => {
    const replica = connect();
    await readsThere(replica);
    const promoted = await createDataSource(settings(replicaUrl())).initialize();
    await promoted.query("SELECT pg_promote()");
    await promoted.query("INSERT INTO counted VALUES (666)");
    await promoted.destroy();
    await count(4_001);
    expect(await replica.read(primary, ask)).to.deep.equal({ standby: false, last: 4_001 });
    expect((await replica.health(primary)).status).to.equal("degraded");
  });
});
