import { expect } from "chai";
import type { DataSource, EntityTarget, ObjectLiteral } from "typeorm";
import { findRows } from "../../database/find-rows";
import { Invoice } from "../../entities/invoice";
import { InvoiceEvent } from "../../entities/invoice-event";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";
import { PaymentTransaction } from "../../entities/payment-transaction";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { buildInvoice, buildPayment } from "../support/factories";

describe("find-rows", () => {
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
      const values: unknown[] = [];
      expect(await findRows(db.manager, entity, { select: all(entity), rest: "", values })).to.deep.equal(
        found,
      );
    });

  it("reads only what was requested, in the requested order", async () => {
    const other = (await buildInvoice(ctx)).invoice.id;
    const rows = await findRows(db.manager, Invoice, {
      select: ["dueSats", "id"],
      rest: "WHERE id = ANY($1::text[]) ORDER BY due_sats DESC",
      values: [[invoiceId, other, "inv_nobody"]],
    });
    expect(rows.map((row) => ({ ...row }))).to.deep.equal([
      { id: other, dueSats: 100_000n },
      { id: invoiceId, dueSats: rows[1]?.dueSats },
    ]);
  });

  it("sees what its transaction wrote, and locks for it", async () => {
    await db.transaction(async (manager) => {
      await manager.update(Invoice, invoiceId, { description: "told inside" });
      const select = ["description"] as const;
      const [row] = await findRows(manager, Invoice, {
        select,
        rest: "WHERE id = $1 FOR UPDATE",
        values: [invoiceId],
      });
      expect(row?.description).to.equal("told inside");
      const rest = "WHERE id = $1 FOR UPDATE SKIP LOCKED";
      expect(await findRows(db.manager, Invoice, { select, rest, values: [invoiceId] })).to.deep.equal([]);
    });
  });
});
