import { expect } from "chai";
import pg from "pg";
import { eventually } from "../../support/eventually";
import { buildStore } from "../../support/factories";
import { expectRefused, startApi, type TestApi } from "../server";

const OK = { status: "ok" };
const WORKERS = [
  "invoices",
  "confirmations",
  "invoice-expiry",
  "webhook-delivery",
  "reconcile",
  "lightning-watch",
];

const LND = "BTC-LN";

describe("API: health", () => {
  let api: TestApi;
  afterEach(() => api.stop());

  const beat = (workers: string[], seconds = 0) =>
    api.db.query(
      `INSERT INTO heartbeats (instance_id, worker, started_at, beat_at)
       SELECT 'i-' || worker, worker, now(), clock_timestamp() - $2 * interval '1 second' FROM unnest($1::text[]) worker
       ON CONFLICT (instance_id) DO UPDATE SET beat_at = excluded.beat_at`,
      [workers, seconds],
    );
  const writeSync = (synchronized: boolean, problem: string | null, seconds = 0, type = "BTC-CHAIN") =>
    api.db.query(
      type === LND
        ? `UPDATE lightning_nodes SET checked_at = clock_timestamp() - $3 * interval '1 second', synchronized = $1, problem = $2`
        : `INSERT INTO payment_method_syncs (type, checked_at, synchronized, problem)
       VALUES ('BTC-CHAIN', clock_timestamp() - $3 * interval '1 second', $1, $2)
       ON CONFLICT (type) DO UPDATE SET checked_at = excluded.checked_at, synchronized = $1, problem = $2`,
      [synchronized, problem, seconds],
    );
  const health = () => api.call("GET", "/health");

  it("needs no key and is ok when everything configured is; a payment method that is off degrades nothing", async () => {
    api = await startApi();
    await beat(WORKERS);
    const { status, json } = await health();
    expect(status).to.equal(200);
    expect(json).to.deep.equal({
      status: "ok",
      version: "0.0.0-test",
      network: "regtest",
      synchronized: true,
      checks: {
        database: OK,
        queue: OK,
        bitcoin: { status: "off" },
        lightning: { status: "off" },
        workers: OK,
      },
    });
    expect((await api.call("GET", "/health/live")).json).to.deep.equal(OK);
  });

  it("is down with 503 while Postgres has no room on its disk, and ok when there is again", async () => {
    api = await startApi();
    await beat(WORKERS);
    const { options } = api.db;
    const client = new pg.Client({ connectionString: "url" in options ? options.url : undefined });
    await client.connect();
    // A limit of new sessions.
    const limit = async (to: string) => {
      await client.query(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${to}', current_database()); END $$`);
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()`,
      );
    };
    await limit("SET temp_file_limit = 0");
    await eventually(async () => {
      const { status, json } = await health();
      expect([status, json.status]).to.deep.equal([503, "down"]);
      expect(json.checks.database).to.deep.equal({
        status: "down",
        reason: "Its disk is full: nothing can be stored.",
      });
      expect(json.checks.workers).to.deep.equal(OK);
    });
    await limit("RESET temp_file_limit");
    await eventually(async () => expect((await health()).json.checks.database).to.deep.equal(OK));
    await client.end();
  });

  it("is degraded while a store has a wallet and no Bitcoin node is configured", async () => {
    api = await startApi();
    await beat(WORKERS);
    await buildStore(api.ctx);
    const { status, json } = await health();
    expect([status, json.status, json.synchronized]).to.deep.equal([200, "degraded", false]);
    expect(json.checks.bitcoin).to.deep.equal({ status: "off", reason: "wallets-without-node" });
  });

  it("is degraded with 200 while workers are away or silent for 30 s, and names them", async () => {
    api = await startApi();
    await beat(WORKERS.slice(1));
    await beat(["lightning-watch"], 31); // it watches stores' nodes
    for (const secondsAgo of [31, -31]) {
      await beat(["reconcile"], secondsAgo); // -31: written before the clock was set back
      const { status, json } = await health();
      expect([status, json.status]).to.deep.equal([200, "degraded"]);
      expect(json.checks.workers).to.deep.equal({
        status: "degraded",
        reason: "Away: lightning-watch, invoices, reconcile.",
      });
    }
  });

  it("is degraded with 200 while the queue is away", async () => {
    const queue = { status: "degraded", reason: "Redis does not answer." } as const;
    api = await startApi({ parts: { queueHealth: () => Promise.resolve(queue) } });
    await beat(WORKERS);
    const { status, json } = await health();
    expect([status, json.status, json.checks.queue]).to.deep.equal([200, "degraded", queue]);
  });

  it("follows the node: not checked, checked, behind, away, forgotten", async () => {
    api = await startApi({ parts: { bitcoinConfigured: true } });
    await beat([...WORKERS, "chain-watch"]);
    const told = async () => {
      const { status, json } = await health();
      expect(status).to.equal(200);
      return [json.status, json.synchronized, json.checks.bitcoin.status];
    };
    expect(await told()).to.deep.equal(["degraded", false, "degraded"]);
    await writeSync(true, null);
    expect(await told()).to.deep.equal(["ok", true, "ok"]);
    await writeSync(false, null);
    expect(await told()).to.deep.equal(["degraded", false, "degraded"]);
    await writeSync(false, "The node does not answer.");
    expect((await health()).json.checks.bitcoin).to.deep.equal({
      status: "degraded",
      reason: "The node does not answer.",
    });
    for (const secondsAgo of [31, -31]) {
      await writeSync(true, null, secondsAgo); // -31: written before the clock was set back
      expect(await told()).to.deep.equal(["degraded", false, "degraded"]);
    }
  });

  it("follows LND: not checked, away with its own message, and a remark that degrades nothing", async () => {
    api = await startApi({ parts: { lightningConfigured: true } });
    await beat(WORKERS);
    const told = async () => {
      const { status, json } = await health();
      expect([status, json.checks.bitcoin]).to.deep.equal([200, { status: "off" }]);
      return [json.status, json.synchronized, json.checks.lightning];
    };
    expect((await told())[0]).to.equal("degraded");
    await writeSync(true, null, 0, LND);
    expect(await told()).to.deep.equal(["ok", true, OK]);
    await writeSync(true, "The macaroon lacks info:read.", 0, LND);
    expect(await told()).to.deep.equal([
      "ok",
      true,
      { status: "ok", reason: "The macaroon lacks info:read." },
    ]);
    await writeSync(false, "LND's wallet is locked.", 0, LND);
    expect(await told()).to.deep.equal([
      "degraded",
      false,
      { status: "degraded", reason: "LND's wallet is locked." },
    ]);
    await writeSync(true, null, 31, LND);
    expect((await told())[0]).to.equal("degraded");
  });

  it("is down with 503 before the database was ever reached, while live answers", async () => {
    api = await startApi({ parts: { context: () => null, bitcoinConfigured: true } });
    const { status, json } = await health();
    expect([status, json.status, json.synchronized]).to.deep.equal([503, "down", false]);
    expect(json.checks.database.status).to.equal("down");
    expect((await api.call("GET", "/health/live")).status).to.equal(200);
    const answer = await api.call("GET", "/stores/x/invoices");
    expectRefused(answer, 503, "unavailable");
  });

  it("reads once a second for all requests, so that there is no limit", async () => {
    let reads = 0;
    api = await startApi({
      parts: {
        healthMaxAgeMs: 3_600_000,
        queueHealth: () => {
          reads += 1;
          return Promise.resolve({ status: "ok" });
        },
      },
    });
    await Promise.all(Array.from({ length: 50 }, health));
    expect(reads).to.equal(1);
    await api.stop();
    api = await startApi({ parts: { healthMaxAgeMs: 1_000 } });
    expect((await health()).json.checks.workers).not.to.deep.equal(OK);
    await beat(WORKERS);
    await eventually(async () => expect((await health()).json.checks.workers).to.deep.equal(OK));
  });
});
