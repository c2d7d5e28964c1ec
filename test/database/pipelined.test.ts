import { expect } from "chai";
import type { DataSource } from "typeorm";
import { onOneConnection, pipelined } from "../../database/pipelined";
import { statement } from "../../database/statement";
import { countRoundTrips } from "../../scripts/bench/count-round-trips";
import { createDataSource } from "../../database/data-source";
import { testDatabase, testDatabaseUrl } from "../support/database";

describe("pipelined statements", () => {
  const add = statement<[name: string]>(
    "test.add-lease",
    "INSERT INTO leases (name, holder, epoch, expires_at) VALUES ($1, 'h', 1, now())",
  );
  const count = statement<[], { count: number }>("test.count-leases", "SELECT count(*)::int FROM leases");

  let db: DataSource;
  beforeEach(async () => {
    db = await testDatabase(2);
  });
  afterEach(() => db.destroy());
  const leases = async (): Promise<number | undefined> => (await count(db.manager)).rows[0]?.count;

  it("are answered in order", async () => {
    await db.transaction(async (manager) => {
      const answers = await pipelined(count(manager), add(manager, "a"), count(manager), add(manager, "b"));
      expect(answers.map(({ rows }) => rows)).to.deep.equal([[{ count: 0 }], [], [{ count: 1 }], []]);
    });
    expect(await leases()).to.equal(2);
  });

  it("share a round trip", async () => {
    const ends: (() => Promise<void> | void)[] = [];
    const counted = await countRoundTrips({ onEnd: (end) => void ends.push(end) }, await testDatabaseUrl());
    const settings = { databaseUrl: counted.url, poolMax: 1, applicationName: "test" };
    const behind = await createDataSource(settings).initialize();
    await behind.transaction(async (manager) => {
      await count(manager);
      const before = counted.count();
      await pipelined(...Array.from({ length: 20 }, () => count(manager)));
      const after = counted.count();
      expect(after.statements - before.statements).to.equal(20);
      expect(after.roundTrips - before.roundTrips).to.be.below(10);
    });
    const before = counted.count();
    await onOneConnection(behind, (manager) =>
      pipelined(...Array.from({ length: 20 }, () => count(manager))),
    );
    expect(counted.count().roundTrips - before.roundTrips, "without a transaction").to.be.below(10);
    await behind.destroy();
    for (const end of ends) await end();
  });

  it("return their connection after a failure, too", async () => {
    const fails = onOneConnection(db, (manager) => manager.query("SELECT 1 / 0"));
    expect(await fails.catch((error: unknown) => error)).to.include({ code: "22012" });
    for (let time = 0; time < 3; time += 1) expect(await leases(), "of two connections").to.equal(0);
  });

  it("end with the first one's error, and none of them outlives the transaction", async () => {
    const addMany = async (manager: typeof db.manager): Promise<void> => {
      for (let i = 0; i < 20; i += 1) await add(manager, `many ${i}`);
    };
    const error: unknown = await db
      .transaction((manager) =>
        pipelined(addMany(manager), add(manager, "twice"), add(manager, "twice"), addMany(manager)),
      )
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: "23505" });
    expect(await leases()).to.equal(0);
  });

  it("end with the failure and not with a name that was not prepared for it", async () => {
    const fails = statement("test.divides-by-zero", "SELECT 1 / 0");
    const unknown = statement("test.not-prepared-yet", "SELECT 1");
    const twiceLater = async (manager: typeof db.manager): Promise<void> => {
      for (let i = 0; i < 10; i += 1) await Promise.resolve();
      await pipelined(unknown(manager), unknown(manager));
    };
    const error: unknown = await db
      .transaction((manager) => pipelined(twiceLater(manager), fails(manager)))
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: "22012" });
    expect((await unknown(db.manager)).count).to.equal(1);
  });

  it("leave the state before the savepoint unchanged", async () => {
    await db.transaction(async (manager) => {
      await add(manager, "before");
      const failed = manager.transaction((within) =>
        pipelined(add(within, "within"), add(within, "before"), count(within)),
      );
      await failed.then(
        () => expect.fail("it did not fail"),
        () => undefined,
      );
      await add(manager, "after");
    });
    expect(await leases()).to.equal(2);
  });

  it("fail all when the connection ends", async () => {
    const work = db.transaction((manager) =>
      pipelined(
        count(manager),
        manager.query("SELECT pg_terminate_backend(pg_backend_pid())"),
        count(manager),
      ),
    );
    expect(await work.catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect(await leases()).to.equal(0);
  });
});
