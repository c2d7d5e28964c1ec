import { expect } from "chai";
import type { DataSource } from "typeorm";
import type { CommandContext } from "../../commands/context";
import { LeaseLostError } from "../../database/lease";
import { longLease } from "../support/leases";
import { inSavepoint, inTransaction, type Tx } from "../../commands/transaction";
import { roundTripsOf } from "../support/round-trips";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";

describe("a transaction", () => {
  let db: DataSource;
  let ctx: TestContext;
  /** What followed, call by call. */
  let followed: (readonly string[])[];
  const follow = (_: CommandContext, items: readonly string[]): void => void followed.push(items);
  before(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    await db.query("CREATE TABLE notes (text text PRIMARY KEY)");
  });
  beforeEach(async () => {
    followed = [];
    ctx.lines.length = 0;
    await db.query("TRUNCATE notes");
  });
  after(() => db.destroy());

  const note = (tx: Tx, text: string): Promise<unknown> =>
    tx.manager.query("INSERT INTO notes (text) VALUES ($1)", [text]);
  const notes = async (): Promise<string[]> => {
    const rows = await db.query<{ text: string }[]>("SELECT text FROM notes ORDER BY text");
    return rows.map(({ text }) => text);
  };
  const needsAll = ({ chain }: CommandContext): unknown => chain;
  const failing = async (): Promise<never> => Promise.reject(new Error("no"));

  it("is followed by its effects after the commit, each once with all its items, before the caller goes on", async () => {
    let seen: string[] = [];
    await inTransaction(ctx, async (tx) => {
      await note(tx, "a");
      tx.after(async () => void (seen = await notes()), ["once"]);
      tx.after(follow, ["a"]);
      tx.after(follow, []);
      tx.after(follow, ["b", "c"]);
      expect(followed).to.deep.equal([]);
    });
    expect(seen).to.deep.equal(["a"]);
    expect(followed).to.deep.equal([["a", "b", "c"]]);
  });

  it("is followed by nothing when it is rolled back", async () => {
    const work = inTransaction(ctx, async (tx) => {
      await note(tx, "a");
      tx.after(follow, ["a"]);
      await failing();
    });
    expect(await work.catch((error: Error) => error.message)).to.equal("no");
    expect([followed, await notes()]).to.deep.equal([[], []]);
  });

  it("forgets what would follow a savepoint that falls, and keeps that of one that holds", async () => {
    await inTransaction(ctx, async (tx) => {
      tx.after(follow, ["outside"]);
      for (const text of ["holds", "falls"])
        await inSavepoint(tx, async (within) => {
          await note(within, text);
          within.after(follow, [text]);
          if (text === "falls") await failing();
        }).catch(() => null);
    });
    expect([followed, await notes()]).to.deep.equal([[["outside", "holds"]], ["holds"]]);
  });

  it("undoes a savepoint within another alone", async () => {
    await inTransaction(ctx, (tx) =>
      inSavepoint(tx, async (outer) => {
        await note(outer, "before");
        await inSavepoint(outer, async (inner) => {
          await note(inner, "within");
          await failing();
        }).catch(() => null);
        await note(outer, "after");
      }),
    );
    expect(await notes()).to.deep.equal(["after", "before"]);
  });

  it("ends well although an effect fails: the others run, and the log says so once", async () => {
    const refused = (): Promise<void> => failing();
    const result = await inTransaction(ctx, async (tx) => {
      tx.after(refused, ["a", "b"]);
      tx.after(follow, ["a"]);
      return note(tx, "a");
    });
    expect(result).to.deep.equal([]);
    expect(followed).to.deep.equal([["a"]]);
    expect(ctx.lines.map(({ level, fields }) => [level, fields.effect])).to.deep.equal([
      ["error", "refused"],
    ]);
  });

  it("of a leader that lost its lease is rolled back", async () => {
    const lease = await longLease(db, "watch");
    const leader = { ...ctx, lease };
    const work = (text: string): Promise<unknown> =>
      inTransaction(leader, async (tx) => {
        await note(tx, text);
        tx.after(follow, [text]);
      });
    await work("leads");
    await db.query("UPDATE leases SET epoch = epoch + 1, holder = 'second'");
    expect(await work("lost").catch((error: unknown) => error)).to.be.instanceOf(LeaseLostError);
    expect([followed, await notes()]).to.deep.equal([[["leads"]], ["leads"]]);
  });

  it("reads the time once, also with savepoints, and again if that failed", async () => {
    let reads = 0;
    const counting: CommandContext = { ...ctx, now: (manager) => ((reads += 1), ctx.now(manager)) };
    await inTransaction(counting, async (tx) => {
      const failed = inSavepoint(tx, async (within) => {
        await within.manager.query("SELECT 1 / 0").catch(() => null);
        await within.now();
      });
      expect(await failed.catch(() => null)).to.equal(null);
      const first = await tx.now();
      expect(await inSavepoint(tx, (within) => within.now())).to.equal(first);
      expect(await tx.now()).to.equal(first);
    });
    expect(reads, "the failed one, and one for all").to.equal(2);
  });

  it("begins in the round trip of its first statement", async () => {
    const trips = await roundTripsOf(db, (behind) =>
      inTransaction({ ...ctx, db: behind }, async (tx) => {
        const [{ inside }] = await tx.manager.query<[{ inside: boolean }]>(
          "SELECT now() <> statement_timestamp() AS inside",
        );
        expect(inside).to.equal(true);
      }),
    );
    expect(trips, "and the commit").to.equal(2);
  });

  it("ends its savepoints in the round trip of what follows them", async () => {
    const trips = await roundTripsOf(db, (behind) =>
      inTransaction({ ...ctx, db: behind }, async (tx) => {
        for (let step = 0; step < 3; step += 1)
          await inSavepoint(tx, (within) => within.manager.query("SELECT 1"));
      }),
    );
    expect(trips, "three steps, and the commit").to.equal(4);
  });

  it("fails where the end of a savepoint did, which its COMMIT does not say", async () => {
    const work = inTransaction(ctx, async (tx) => {
      await note(tx, "lost");
      await inSavepoint(tx, async ({ manager }) => {
        await manager.query("RELEASE SAVEPOINT step");
      });
    });
    expect(await work.catch((error: unknown) => error)).to.include({ code: "3B001" });
    expect(await notes()).to.deep.equal([]);
  });

  it("reaches no node, queue, network or other connection: that is a type error", async () => {
    await inTransaction(ctx, (tx) => {
      // @ts-expect-error The Bitcoin node.
      expect(tx.chain).to.equal(undefined);
      // @ts-expect-error The Lightning node.
      expect(tx.lightning).to.equal(undefined);
      // @ts-expect-error The queues.
      expect(tx.enqueue).to.equal(undefined);
      // @ts-expect-error The network.
      expect(tx.sendWebhook).to.equal(undefined);
      // @ts-expect-error Another connection.
      expect(tx.db).to.equal(undefined);
      // @ts-expect-error What needs them is no step.
      expect(needsAll(tx)).to.equal(undefined);
      return Promise.resolve();
    });
  });
});
