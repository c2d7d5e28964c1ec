import { expect } from "chai";
import pg from "pg";
import { isDatabaseOutage } from "../../adapters/database-outage";
import { endWhenSilent } from "../../database/data-source";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { startGate, type Gate } from "../support/gate";

const SILENT_MS = 3_000;

describe("a connection to a silent database host", () => {
  let gate: Gate;
  let pool: pg.Pool;
  let broken: Error[];
  beforeEach(async () => {
    gate = await startGate(await testDatabaseUrl());
    pool = new pg.Pool({ connectionString: gate.url, max: 1, onConnect: endWhenSilent(SILENT_MS) });
    broken = [];
    pool.on("error", (error) => broken.push(error));
  });
  afterEach(async () => {
    await gate.shut();
    await pool.end();
  });

  const backend = async (): Promise<number> => {
    const { rows } = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return rows[0]?.pid ?? 0;
  };

  it("ends as an outage when a statement is not answered, and the next statement uses a new connection", async () => {
    const before = await backend();
    gate.swallow();
    const failure = await pool.query("SELECT 1").catch((error: unknown) => error);
    expect(failure).to.have.property("message", "the database was silent for 3 s");
    expect(isDatabaseOutage(failure)).to.equal(true);
    expect(pool.totalCount).to.equal(0);
    expect(await backend()).not.to.equal(before);
  });

  it("stays when it is idle, and ends when it is used after that", async () => {
    const before = await backend();
    await new Promise((resolve) => setTimeout(resolve, 2 * SILENT_MS));
    expect(await backend()).to.equal(before);
    expect(broken).to.deep.equal([]);
    gate.swallow();
    await eventually(async () => expect(await backend()).not.to.equal(before));
  });

  it("stays while the bytes of a long answer come, each in time", async () => {
    const rows = "SELECT repeat('x', 10000), pg_sleep(0.05) FROM generate_series(1, 80)"; // 4 s
    expect((await pool.query(rows)).rowCount).to.equal(80);
  });

  it("ends when the answer stops half-way", async () => {
    const rows = "SELECT repeat('x', 10000), pg_sleep(0.05) FROM generate_series(1, 400)";
    const answer = pool.query(rows).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 600));
    gate.swallow();
    expect(await answer).to.have.property("code", "ETIMEDOUT");
  });

  it("is not waited for when the pool closes it", async () => {
    await backend();
    gate.swallow();
    await pool.end();
    pool = new pg.Pool(); // for afterEach
  });
});
