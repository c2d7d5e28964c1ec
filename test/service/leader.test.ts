import { expect } from "chai";
import { LEASE_VALID_SECONDS } from "../../database/lease";
import { createDataSource } from "../../database/data-source";
import { runAsLeader } from "../../workers/leader";
import { failNow, testContext } from "../support/context";
import { testDatabase, testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { startGate } from "../support/gate";

describe("a leader", function () {
  this.timeout(60_000);

  it("ends its process when the database falls silent under the work it leads", async () => {
    const url = await testDatabaseUrl();
    const direct = await createDataSource({
      databaseUrl: url,
      poolMax: 1,
      applicationName: "test",
    }).initialize();
    const gate = await startGate(url);
    const db = createDataSource({ databaseUrl: gate.url, poolMax: 3, applicationName: "test" });
    const ctx = await testContext({ db: await db.initialize() });
    let onStuck: (error: Error) => void = () => undefined;
    const stuck = new Promise<Error>((resolve) => (onStuck = resolve));
    const leader = runAsLeader(ctx, {
      name: "watch",
      holder: "test",
      onStuck,
      async lead() {
        await Promise.all([1, 2].map(() => db.query("SELECT pg_sleep(20)")));
      },
    });
    // Each on a connection of its own: one that is still being made is refused in its own time.
    await eventually(async () => {
      const [row] = await direct.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`,
      );
      expect(row?.count).to.equal(2);
    });
    gate.swallow();
    const since = performance.now();
    expect((await stuck).message).to.match(/^watch lost its lease/);
    // A connection that is silent breaks by itself only after 35 s.
    expect(performance.now() - since).to.be.below((LEASE_VALID_SECONDS + 20) * 1_000);
    void leader.close(); // its work ends with the connections
    await gate.shut();
    await direct.destroy();
    await db.destroy();
  });

  it("keeps its lease while its work occupies all other connections", async () => {
    const ctx = await testContext({ db: await testDatabase(3) });
    let worked: (lost: boolean) => void = () => undefined;
    const lost = new Promise<boolean>((resolve) => (worked = resolve));
    const leader = runAsLeader(ctx, {
      name: "watch",
      holder: "test",
      onStuck: failNow,
      async lead(_, signal) {
        const until = performance.now() + (LEASE_VALID_SECONDS + 3) * 1_000;
        const work = async (): Promise<void> => {
          while (performance.now() < until && !signal.aborted) await ctx.db.query("SELECT pg_sleep(0.5)");
        };
        await Promise.all(Array.from({ length: 50 }, work));
        worked(signal.aborted);
      },
    });
    expect(await lost).to.equal(false);
    await leader.close();
    await ctx.db.destroy();
  });

  it("becomes standby and leads again when its work ends with the lease", async () => {
    const ctx = await testContext({ db: await testDatabase() });
    let led = 0;
    const leader = runAsLeader(ctx, {
      name: "watch",
      holder: "test",
      onStuck: failNow,
      lead: (_, signal) => {
        led += 1;
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
      },
    });
    await eventually(() => led === 1);
    await ctx.db.query("UPDATE leases SET epoch = epoch + 1, expires_at = clock_timestamp()");
    await eventually(() => led === 2);
    await leader.close();
    await ctx.db.destroy();
  });

  it("leads again as soon as another host has the database's name, while its own connection is silent", async () => {
    const gate = await startGate(await testDatabaseUrl());
    const db = createDataSource({ databaseUrl: gate.url, poolMax: 5, applicationName: "test" });
    const ctx = await testContext({ db: await db.initialize() });
    const began: number[] = [];
    const leader = runAsLeader(ctx, {
      name: "watch",
      holder: "test",
      onStuck: failNow,
      lead: (_, signal) => {
        began.push(performance.now());
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
      },
    });
    await eventually(() => began.length === 1);
    gate.swallow();
    const since = performance.now();
    await eventually(() => began.length === 2);
    // A connection that is silent breaks by itself only after 35 s.
    expect((began[1] ?? 0) - since).to.be.below((LEASE_VALID_SECONDS + 10) * 1_000);
    await leader.close();
    await db.destroy();
    await gate.shut();
  });
});
