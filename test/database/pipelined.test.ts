import { expect } from "chai";
import type { Client } from "pg";
import type { DataSource, EntityManager } from "typeorm";
import { onOneConnection, pipelined, transaction, transactionOf } from "../../database/pipelined";
import { statement } from "../../database/statement";
import { testDatabase } from "../support/database";
import { roundTripsOf } from "../support/round-trips";

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

  const twenty = (manager: EntityManager): Promise<unknown> =>
    pipelined(...Array.from({ length: 20 }, () => count(manager)));

  it("share a round trip", async () => {
    expect(await roundTripsOf(db, (behind) => behind.transaction(twenty))).to.be.below(10);
    expect(await roundTripsOf(db, (behind) => onOneConnection(behind, twenty))).to.be.below(10);
  });

  it("leave in one write", async () => {
    const runner = db.createQueryRunner();
    const { stream } = ((await runner.connect()) as Client).connection;
    let writes = 0;
    for (const name of ["_write", "_writev"] as const) {
      const write = stream[name]?.bind(stream) as (...given: unknown[]) => void;
      Object.assign(stream, { [name]: (...given: unknown[]) => ((writes += 1), write(...given)) });
    }
    await twenty(runner.manager);
    await runner.release();
    expect(writes).to.equal(1);
  });

  it("share it with the begin and the commit of their transaction", async () => {
    let name = "";
    const work = (behind: DataSource): Promise<unknown> =>
      transactionOf(behind, (manager) => [count(manager), add(manager, (name += "a"))]);
    expect(await roundTripsOf(db, work)).to.be.below(3);
    expect(await leases()).to.equal(2);
  });

  it("are all undone when one of them fails, and the next transaction on the connection holds", async () => {
    const one = await testDatabase(1);
    const counted = async (): Promise<unknown> => (await count(one.manager)).rows;
    const twice = transactionOf(one, (manager) => [add(manager, "a"), add(manager, "a"), add(manager, "b")]);
    expect(await twice.catch((error: unknown) => error)).to.include({ code: "23505" });
    expect(await counted()).to.deep.equal([{ count: 0 }]);
    await transactionOf(one, (manager) => [add(manager, "c")]);
    expect(await counted()).to.deep.equal([{ count: 1 }]);
    await one.destroy();
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

  it("are not followed by others when the begin of their transaction failed", async () => {
    const one = await testDatabase(1);
    const runner = one.createQueryRunner();
    const client = (await runner.connect()) as Client;
    const query = client.query.bind(client) as (given: { text: string }) => Promise<unknown>;
    const refusing = (given: { text: string }): Promise<unknown> =>
      query(given.text === "START TRANSACTION" ? { text: "SELECT 1 / 0" } : given);
    Object.assign(client, { query: refusing });
    await runner.release();
    const work = transaction(one, async (manager) => {
      await count(manager);
      await add(manager, "outside");
    });
    expect(await work.catch((error: unknown) => error)).to.include({ code: "22012" });
    await transaction(one, (manager) => add(manager, "inside"));
    expect(await one.query("SELECT name FROM leases")).to.deep.equal([{ name: "inside" }]);
    await one.destroy();
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
