import { expect } from "chai";
import type { DataSource, QueryRunner } from "typeorm";
import { createInvoice } from "../../commands/create-invoice";
import { type AlsoWrite, invoiceWriter } from "../../commands/write-invoice";
import { DomainError } from "../../domain/errors";
import { Invoice } from "../../entities/invoice";
import type { Store } from "../../entities/store";
import { type TestContext, testContext } from "../support/context";
import { testDatabase } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore } from "../support/factories";

const CUT_OFF = "SELECT pg_terminate_backend(pg_backend_pid())";

/** A promise and its end. */
function gateway(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

describe("invoices that are written together", () => {
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

  describe("and one fails by itself", () => {
    it("are written all the same when it throws, whatever it throws, and it alone is told", async () => {
      const created = Array.from({ length: 40 }, (_, at) =>
        create(() => (at === 30 ? Promise.reject(new TypeError("of its own")) : Promise.resolve())),
      );
      expect(await failuresOf(created)).to.deep.equal([[30, "of its own"]]);
      expect(await written()).to.equal(39);
    });

    it("are written all the same when its statement is refused, whatever the reason", async () => {
      const created = Array.from({ length: 40 }, (_, at) =>
        create(async (manager) => {
          if (at === 7) await manager.query("SELECT * FROM no_such_table");
        }),
      );
      const failed = await failuresOf(created);
      expect(failed.map(([at]) => at)).to.deep.equal([7]);
      expect(await written()).to.equal(39);
    });

    it("take no more connections than when none fails", async () => {
      const running = new Set<QueryRunner | undefined>();
      let most = 0;
      const created = Array.from({ length: 60 }, (_, at) =>
        create(async (manager) => {
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

  describe("and their COMMIT fails", () => {
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

    it("are written all the same where it refuses one of them", async () => {
      const created = Array.from({ length: 20 }, (_, at) =>
        create(undefined, at === 11 ? "refused" : undefined),
      );
      expect(await failuresOf(created)).to.deep.equal([[11, "refused late"]]);
      expect(await written()).to.equal(19);
    });

    it("are not tried again where nobody knows what became of it", async () => {
      const tries = Array.from({ length: 20 }, () => 0);
      const created = tries.map((_, at) =>
        create(
          () => {
            tries[at]! += 1;
            return Promise.resolve();
          },
          at === 11 ? "lost" : undefined,
        ),
      );
      const failed = await failuresOf(created);
      expect(failed.map(([at]) => at)).to.include(11);
      expect(new Set(failed.map(([, message]) => message)).size).to.equal(1);
      expect(tries).to.deep.equal(tries.map(() => 1));
      expect(await written()).to.equal(20 - failed.length);
    });
  });

  it("are not tried again when their connection is cut off: each would meet that", async () => {
    let tries = 0;
    const created = Array.from({ length: 20 }, (_, at) =>
      create(async (manager) => {
        if (at !== 11) return;
        tries += 1;
        await manager.query(CUT_OFF);
      }),
    );
    const failed = await failuresOf(created);
    expect(failed.map(([at]) => at)).to.include(11);
    expect(tries).to.equal(1);
    expect(await written()).to.equal(20 - failed.length);
  });

  describe("and take too long", () => {
    /** A writer whose patience ends when the test says so, and invoices to be written by it. */
    async function impatient() {
      const ends: (() => void)[] = [];
      const write = invoiceWriter(db, {
        inTime: (work) =>
          Promise.race([
            work,
            new Promise<never>((_, reject) =>
              ends.push(() => reject(new DomainError("unavailable", "late"))),
            ),
          ]),
      });
      const drafts = await Promise.all(Array.from({ length: 8 }, () => draft()));
      const ask = (at: number, alsoWrite?: AlsoWrite) => write(ctx, { ...drafts[at]!, alsoWrite });
      return { ask, endPatience: () => ends.forEach((end) => end()) };
    }

    /** What an invoice was made of, to be written under another id. */
    async function draft() {
      const { invoice } = await buildInvoice(ctx, { store });
      const fields = { ...invoice, id: ctx.newId("inv"), expiresInSeconds: 900, monitoringSeconds: 900 };
      return { draft: fields, destinations: { onchain: true, address: null, bolt11: null } };
    }

    /** Keeps both transactions busy until they are let go, so that what comes meanwhile goes by one. */
    async function busy(ask: (at: number, alsoWrite?: AlsoWrite) => Promise<unknown>) {
      const gates = [gateway(), gateway()];
      const asked: Promise<unknown>[] = [];
      for (const [at, { passed }] of gates.entries()) {
        const begun = gateway();
        asked.push(
          ask(at, () => {
            begun.open();
            return passed;
          }),
        );
        await begun.passed;
      }
      const ended = Promise.allSettled(asked);
      return {
        letOneGo: async () => {
          gates[0]!.open();
          await asked[0];
        },
        end: async () => {
          gates[1]!.open();
          await ended;
        },
      };
    }

    it("are undone when they end after all: nobody is left with an invoice that failed", async () => {
      const { ask, endPatience } = await impatient();
      const before = await written();
      const gate = gateway();
      let runner: QueryRunner | undefined;
      const asked = failuresOf([
        ask(0, async (manager) => {
          runner = manager.queryRunner;
          await gate.passed;
        }),
      ]);
      await eventually(() => runner !== undefined);
      endPatience();
      expect(await asked).to.deep.equal([[0, "late"]]);
      gate.open();
      await eventually(() => runner?.isReleased === true);
      expect(await written()).to.equal(before);
    });

    it("are not begun again when one of them fails later", async () => {
      const { ask, endPatience } = await impatient();
      const before = await written();
      const { letOneGo, end } = await busy(ask);
      const gate = gateway();
      let runner: QueryRunner | undefined;
      let tries = 0;
      const asked = failuresOf([
        ask(2, async (manager) => {
          tries += 1;
          runner = manager.queryRunner;
          await gate.passed;
          throw new Error("of its own");
        }),
        ask(3, () => Promise.resolve(void (tries += 1))),
      ]);
      await letOneGo();
      await eventually(() => runner !== undefined);
      endPatience();
      expect(await asked).to.deep.equal([
        [0, "late"],
        [1, "late"],
      ]);
      gate.open();
      await end();
      await eventually(() => runner?.isReleased === true);
      for (const at of [4, 5, 6]) await ask(at); // what was begun again would be done before
      expect(tries).to.equal(1);
      expect(await written()).to.equal(before + 4);
    });

    it("are told what they are where they are written already", async () => {
      const { ask, endPatience } = await impatient();
      const before = await written();
      const { letOneGo, end } = await busy(ask);
      const gate = gateway();
      let again = false;
      let tries = 0;
      const asked = failuresOf([
        ask(2),
        ask(3),
        ask(4, async () => {
          tries += 1;
          if (tries === 1) throw new Error("of its own");
          again = true;
          await gate.passed;
        }),
        ask(5),
      ]);
      await letOneGo();
      await eventually(() => again); // the first half is written
      endPatience();
      expect(await asked).to.deep.equal([
        [2, "late"],
        [3, "late"],
      ]);
      expect(await written()).to.equal(before + 3);
      gate.open();
      await end();
    });
  });
});
