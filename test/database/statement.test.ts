import { expect } from "chai";
import {
  type DataSource,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type EntityTarget,
  type ObjectLiteral,
} from "typeorm";
import { statement, rowsOf } from "../../database/statement";
import { testDatabase } from "../support/database";
import { Invoice } from "../../entities/invoice";
import { InvoiceEvent } from "../../entities/invoice-event";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";
import { PaymentTransaction } from "../../entities/payment-transaction";
import { testContext, type TestContext } from "../support/context";
import { buildInvoice, buildPayment } from "../support/factories";

describe("a hand-written statement", () => {
  const leases = statement<[name: string], { name: string; epoch: string }>(
    "test.leases",
    "SELECT name, epoch FROM leases WHERE name = $1",
  );
  const moveOn = statement<[by: number]>("test.move-on", "UPDATE leases SET epoch = epoch + $1");
  const planned = statement<[name: string]>(
    "test.planned-each-time",
    "SELECT 1 FROM leases WHERE name = $1",
    "each time",
  );
  const broken = statement("test.broken", "SELECT no_such_column FROM leases");

  let db: DataSource;
  const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => expect.fail("it did not fail"),
      (error: unknown) => error,
    );
  before(async () => {
    db = await testDatabase(2);
    await db.query(
      `INSERT INTO leases (name, holder, epoch, expires_at) VALUES ('a', 'h', 1, now()), ('b', 'h', 5, now())`,
    );
  });
  after(() => db.destroy());

  it("returns its rows, and how many it changed", async () => {
    expect(await leases(db.manager, "b")).to.deep.equal({ rows: [{ name: "b", epoch: "5" }], count: 1 });
    expect(await leases(db.manager, "c")).to.deep.equal({ rows: [], count: 0 });
    expect(await moveOn(db.manager, 0)).to.deep.equal({ rows: [], count: 2 });
  });

  it("belongs to its manager's transaction", async () => {
    await failureOf(
      db.transaction(async (manager) => {
        await moveOn(manager, 7);
        expect((await leases(manager, "b")).rows[0]?.epoch).to.equal("12");
        throw new Error("undone");
      }),
    );
    expect((await leases(db.manager, "b")).rows[0]?.epoch).to.equal("5");
  });

  it("does not run when its manager's transaction has ended", async () => {
    const ended = await db.transaction((manager) => Promise.resolve(manager));
    expect(await failureOf(moveOn(ended, 1))).to.be.instanceOf(QueryRunnerAlreadyReleasedError);
    expect((await leases(db.manager, "a")).rows[0]?.epoch).to.equal("1");
  });

  it("is prepared by its name, once per connection", async () => {
    await db.transaction(async (manager) => {
      for (let i = 0; i < 3; i += 1) await leases(manager, "a");
      const prepared = await manager.query<unknown[]>(
        "SELECT statement FROM pg_prepared_statements WHERE name = 'test.leases'",
      );
      expect(prepared).to.deep.equal([{ statement: leases.text }]);
    });
  });

  it("is not prepared when it is to be planned each time", async () => {
    await db.transaction(async (manager) => {
      expect((await planned(manager, "b")).count).to.equal(1);
      const prepared = await manager.query<unknown[]>(
        "SELECT name FROM pg_prepared_statements WHERE statement = $1",
        [planned.text],
      );
      expect(prepared).to.deep.equal([]);
    });
  });

  it("fails with its text and Postgres's code, and returns its connection", async () => {
    for (let i = 0; i < 5; i += 1) {
      const error = await failureOf(broken(db.manager));
      expect(error).to.be.instanceOf(QueryFailedError);
      expect(error).to.include({ query: broken.text, code: "42703" });
    }
    expect((await leases(db.manager, "a")).count).to.equal(1);
  });

  it("has a name of its own, short enough for Postgres", () => {
    expect(() => statement("test.leases", "SELECT 1")).to.throw("there are two statements test.leases");
    expect(() => statement("x".repeat(64), "SELECT 1")).to.throw("too long");
  });
});

describe("read-rows", () => {
  let db: DataSource;
  let ctx: TestContext;
  let invoiceId: string;
  before(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    invoiceId = (
      await buildInvoice(ctx, { currency: "EUR", amount: "12.30", metadataJson: `{"orderId":"o"}` })
    ).invoice.id;
    await buildPayment(ctx, invoiceId, { amountSats: 9_007_199_254_740_993n });
    await db.manager.insert(PaymentTransaction, { txid: "00", rawTx: Buffer.from("00ff", "hex") });
  });
  after(() => db.destroy());

  const all = <E extends ObjectLiteral>(entity: EntityTarget<E>): (keyof E)[] =>
    db.getMetadata(entity).columns.map(({ propertyName }) => propertyName);

  for (const entity of [
    Invoice,
    InvoiceEvent,
    InvoicePaymentMethod,
    Payment,
    PaymentTransaction,
  ] as EntityTarget<ObjectLiteral>[])
    it(`reads what find reads: ${(entity as { name: string }).name}`, async () => {
      const found = await db.manager.find(entity);
      expect(found).to.have.length(1);
      const { name } = entity as { name: string };
      const read = rowsOf(entity, all(entity)).statement<[]>(`test.read-all-of-${name}`, "");
      expect(await read(db.manager)).to.deep.equal(found);
    });

  it("reads only what was requested, in the requested order", async () => {
    const other = (await buildInvoice(ctx)).invoice.id;
    const read = rowsOf(Invoice, ["dueSats", "id"]).statement<[ids: string[]]>(
      "test.read-due-sats",
      "WHERE id = ANY($1::text[]) ORDER BY due_sats DESC",
    );
    const rows = await read(db.manager, [invoiceId, other, "inv_nobody"]);
    expect(rows.map((row) => ({ ...row }))).to.deep.equal([
      { id: other, dueSats: 100_000n },
      { id: invoiceId, dueSats: rows[1]?.dueSats },
    ]);
  });

  it("sees what its transaction wrote, and locks for it", async () => {
    const descriptions = rowsOf(Invoice, ["description"]);
    const lock = descriptions.statement<[id: string]>("test.lock", "WHERE id = $1 FOR UPDATE");
    const skip = descriptions.statement<[id: string]>("test.skip", "WHERE id = $1 FOR UPDATE SKIP LOCKED");
    await db.transaction(async (manager) => {
      await manager.update(Invoice, invoiceId, { description: "told inside" });
      const [row] = await lock(manager, invoiceId);
      expect(row?.description).to.equal("told inside");
      expect(await skip(db.manager, invoiceId)).to.deep.equal([]);
    });
  });

  it("prepares its statement by its name, which no other statement has", async () => {
    const read = rowsOf(Payment, ["id", "amountSats"]).statement<[id: string]>(
      "test.read-amount",
      "WHERE id = $1",
    );
    await db.transaction(async (manager) => {
      await read(manager, "none");
      const prepared = await manager.query<unknown[]>(
        "SELECT statement FROM pg_prepared_statements WHERE name = 'test.read-amount'",
      );
      expect(prepared).to.deep.equal([{ statement: read.textIn(db) }]);
    });
    expect(() => statement("test.read-amount", "SELECT 1")).to.throw("there are two statements");
  });
});
