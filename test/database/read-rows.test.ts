import { expect } from "chai";
import type { DataSource, EntityTarget, ObjectLiteral } from "typeorm";
import { rowsOf } from "../../database/read-rows";
import { statement } from "../../database/statement";
import { Invoice } from "../../entities/invoice";
import { InvoiceEvent } from "../../entities/invoice-event";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";
import { PaymentTransaction } from "../../entities/payment-transaction";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { buildInvoice, buildPayment } from "../support/factories";

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
