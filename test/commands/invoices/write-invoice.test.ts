import { expect } from "chai";
import type { DataSource, QueryRunner } from "typeorm";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import type { AlsoWrite } from "../../../commands/invoices/write-invoice";
import { Invoice } from "../../../entities/invoice";
import type { Store } from "../../../entities/store";
import { type TestContext, testContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore } from "../../support/factories";

const CUT_OFF = "SELECT pg_terminate_backend(pg_backend_pid())";

describe("invoices that are written in one batch", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  before(async () => (db = await testDatabase(20)));
  beforeEach(async () => {
    ctx = await testContext({ db });
    store = await buildStore(ctx);
  });
  after(() => db.destroy());

  const create = (alsoWrite?: AlsoWrite, description?: string) =>
    createInvoice(
      ctx,
      store.id,
      { amount: "1000", currency: "SATS", ...(description === undefined ? {} : { description }) },
      alsoWrite,
    );
  const written = () => db.manager.countBy(Invoice, { storeId: store.id });

  /** Of `count`, which one failed and how. */
  async function failuresOf(created: Promise<unknown>[]): Promise<[number, string][]> {
    const settled = await Promise.allSettled(created);
    return settled.flatMap((one, at) =>
      one.status === "rejected" ? [[at, (one.reason as Error).message] as [number, string]] : [],
    );
  }

  describe("when one fails", () => {
    it("are written when it throws, whatever it throws, and only its caller gets the error", async () => {
      const created = Array.from({ length: 40 }, (_, at) =>
        create(() => (at === 30 ? Promise.reject(new TypeError("of its own")) : Promise.resolve())),
      );
      expect(await failuresOf(created)).to.deep.equal([[30, "of its own"]]);
      expect(await written()).to.equal(39);
    });

    it("take no more connections than when none fails", async () => {
      const running = new Set<QueryRunner | undefined>();
      let most = 0;
      const created = Array.from({ length: 60 }, (_, at) =>
        create(async ({ manager }) => {
          running.add(manager.queryRunner);
          most = Math.max(most, running.size);
          await manager.query("SELECT 1");
          running.delete(manager.queryRunner);
          if (at % 20 === 9) throw new Error("of its own");
        }),
      );
      expect((await failuresOf(created)).map(([at]) => at)).to.deep.equal([9, 29, 49]);
      expect(most).to.be.within(1, 2);
      expect(await written()).to.equal(57);
    });
  });

  describe("when their COMMIT fails", () => {
    before(() =>
      db.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF NEW.description = 'refused' THEN RAISE check_violation USING MESSAGE = 'refused late'; END IF;
          IF NEW.description = 'lost' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
          RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON invoices DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION refuse();`),
    );
    after(() => db.query("DROP FUNCTION refuse CASCADE"));

    it("are written when it refuses one of them", async () => {
      const created = Array.from({ length: 20 }, (_, at) =>
        create(undefined, at === 11 ? "refused" : undefined),
      );
      expect(await failuresOf(created)).to.deep.equal([[11, "refused late"]]);
      expect(await written()).to.equal(19);
    });

    it("are written once when the result of the first try is unknown", async () => {
      const created = Array.from({ length: 20 }, (_, at) =>
        create(undefined, at === 11 ? "lost" : undefined),
      );
      const failed = await failuresOf(created);
      expect(failed.map(([at]) => at)).to.deep.equal([11]);
      expect(await written()).to.equal(19);
    });
  });

  it("are written when the connection of one is lost", async () => {
    const created = Array.from({ length: 20 }, (_, at) =>
      create(async ({ manager }) => {
        if (at === 11) await manager.query(CUT_OFF);
      }),
    );
    expect((await failuresOf(created)).map(([at]) => at)).to.deep.equal([11]);
    expect(await written()).to.equal(19);
  });

  it("fail as unavailable when the answer to their COMMIT was lost, and are written once", async () => {
    const lost = new Error("Connection terminated unexpectedly");
    const connect = db.createQueryRunner.bind(db);
    db.createQueryRunner = (mode) => {
      const runner = connect(mode);
      const commit = runner.commitTransaction.bind(runner);
      runner.commitTransaction = async () => {
        db.createQueryRunner = connect;
        await commit();
        throw lost;
      };
      return runner;
    };
    const settled = Promise.allSettled(Array.from({ length: 5 }, () => create()));
    for (const one of await settled) expect(one).to.include({ status: "rejected", reason: lost });
    expect(await written()).to.equal(5);
  });

  it("are not written after their callers got an error", async () => {
    const { setTimeout: real } = globalThis;
    // Its 15 s pass in a moment.
    const hasty = (then: () => void, ms?: number) => real(then, ms === 15_000 ? 100 : ms);
    globalThis.setTimeout = hasty as typeof real;
    try {
      const hung = new Promise((resolve) => real(resolve, 400));
      const wait = async (): Promise<void> => {
        globalThis.setTimeout = real;
        await hung;
      };
      const created = Array.from({ length: 5 }, () => create(wait));
      const told = "The database did not answer in time.";
      expect(await failuresOf(created)).to.deep.equal([0, 1, 2, 3, 4].map((at) => [at, told]));
      await hung;
    } finally {
      globalThis.setTimeout = real;
    }
    await create();
    expect(await written(), "but the next one").to.equal(1);
  });

  it("fail together when the database is away, without a try for each", async () => {
    let away = false;
    let asked = 0;
    const now = ctx.now;
    ctx.now = (manager) => {
      if (away) asked += 1;
      return away ? Promise.reject(new Error("the database is away")) : now(manager);
    };
    const created = Array.from({ length: 10 }, () =>
      create(() => {
        away = true;
        return Promise.reject(new Error("cut off"));
      }),
    );
    const failed = await failuresOf(created);
    expect(new Set(failed.map(([, message]) => message))).to.deep.equal(new Set(["the database is away"]));
    expect(failed).to.have.length(10);
    expect(asked, "once a transaction that failed").to.be.below(10);
    expect(await written()).to.equal(0);
  });
});
