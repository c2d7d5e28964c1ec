import { expect } from "chai";
import { createDataSource } from "../../database/data-source";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore } from "../support/factories";

const READ = "SELECT current_setting('synchronous_commit') AS waits";

describe("a session's commits", () => {
  let databaseUrl: string;
  beforeEach(async () => {
    databaseUrl = await testDatabaseUrl();
  });

  /** How far a commit of a new session waits, in a database with a setting of its own. */
  async function waits(ofDatabase: string | null, { unlimited = false } = {}): Promise<string> {
    const open = async (): Promise<ReturnType<typeof createDataSource>> =>
      createDataSource({ databaseUrl, poolMax: 1, applicationName: "test", unlimited }).initialize();
    if (ofDatabase !== null) {
      const setter = await open();
      const name = new URL(databaseUrl).pathname.slice(1);
      await setter.query(`ALTER DATABASE ${name} SET synchronous_commit = ${ofDatabase}`);
      await setter.destroy();
    }
    const db = await open();
    const rows = await db.query<{ waits: string }[]>(READ);
    await db.destroy();
    return rows[0]?.waits ?? "";
  }

  it("wait for the disk where the server's do not", async () => {
    expect(await waits(null)).to.equal("on");
    expect(await waits(null, { unlimited: true })).to.equal("on");
  });

  it("wait for the disk and the standby where the database's wait for neither, or only for the disk", async () => {
    expect(await waits("off")).to.equal("on");
    expect(await waits("local")).to.equal("on");
  });

  it("wait for what a standby has to do where the database's do", async () => {
    expect(await waits("remote_write")).to.equal("remote_write");
    expect(await waits("remote_apply")).to.equal("remote_apply");
  });
});

describe("a session's formats", () => {
  it("are the service's own, whatever the database's are", async () => {
    const databaseUrl = await testDatabaseUrl();
    const open = () => createDataSource({ databaseUrl, poolMax: 1, applicationName: "test" }).initialize();
    const setter = await open();
    const name = new URL(databaseUrl).pathname.slice(1);
    for (const setting of [
      "datestyle = 'German, DMY'",
      "timezone = 'Asia/Kathmandu'",
      "bytea_output = 'escape'",
      "intervalstyle = 'iso_8601'",
      "client_encoding = 'LATIN1'",
    ])
      await setter.query(`ALTER DATABASE ${name} SET ${setting}`);
    await setter.destroy();
    const db = await open();
    const [row] = await db.query<{ at: Date; bytes: Buffer; text: string }[]>(
      "SELECT timestamptz '2026-03-01 12:00:00Z' AS at, '\\xff00'::bytea AS bytes, 'ü€' AS text",
    );
    await db.destroy();
    expect(row?.at).to.deep.equal(new Date("2026-03-01T12:00:00Z"));
    expect(row?.bytes).to.deep.equal(Buffer.from([0xff, 0]));
    expect(row?.text).to.equal("ü€");
  });
});

describe("a session's transactions", () => {
  it("see behind a lock what its former holder has committed, whatever the database's isolation is", async () => {
    const databaseUrl = await testDatabaseUrl();
    const open = () => createDataSource({ databaseUrl, poolMax: 3, applicationName: "test" }).initialize();
    const setter = await open();
    const name = new URL(databaseUrl).pathname.slice(1);
    await setter.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    await setter.destroy();
    const [db, ctx] = [await open(), await testContext({ db: await open() })];
    const store = await buildStore(ctx);
    const second = await db.transaction(async (manager) => {
      await manager.query("UPDATE wallets SET next_index = next_index + 1");
      const waiting = buildInvoice(ctx, { store });
      await eventually(async () => {
        const rows: object[] = await manager.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(rows).to.have.lengthOf(1);
      });
      return { waiting };
    });
    expect((await second.waiting).methods).to.have.lengthOf(1);
    await Promise.all([db.destroy(), ctx.db.destroy()]);
  });
});
