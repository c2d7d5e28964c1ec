import { expect } from "chai";
import type { DataSource } from "typeorm";
import { advanceConfirmations } from "../../../commands/chain/advance-confirmations";
import { ChainBlock } from "../../../entities/chain-block";
import { Invoice } from "../../../entities/invoice";
import { InvoiceHistory } from "../../../entities/invoice-history";
import { Payment } from "../../../entities/payment";
import { testContext, type TestContext } from "../../support/context";
import { breaksInvariants } from "../../support/invariants-always";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";
import { buildInvoice, buildPayment, buildStore } from "../../support/factories";

describe("advance confirmations", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  afterEach(() => db.destroy());

  const block = (height: number) =>
    db.manager.insert(ChainBlock, { height, hash: `hash-${height}`, previousHash: `hash-${height - 1}` });
  const stateOf = async (id: string) => (await db.manager.findOneByOrFail(Payment, { id })).state;
  const inBlock = (height: number, required: number) => ({
    blockHeight: height,
    blockHash: `hash-${height}`,
    requiredConfirmations: required,
  });

  it("confirms a payment at exactly the block that brings it to its depth", async () => {
    const { id: invoiceId } = (await buildInvoice(ctx)).invoice;
    const payment = await buildPayment(ctx, invoiceId, inBlock(100, 3));
    ctx.jobs.length = 0;
    await block(101);
    expect(await advanceConfirmations(ctx)).to.equal(0);
    expect(await stateOf(payment.id)).to.equal("pending");

    await block(102);
    const before = await ctx.now(db.manager);
    expect(await advanceConfirmations(ctx)).to.equal(1);
    const after = await db.manager.findOneByOrFail(Payment, { id: payment.id });
    expect(after.state).to.equal("confirmed");
    expect(after.confirmedAt).to.be.at.least(before);
    const invoice = await db.manager.findOneByOrFail(Invoice, { id: invoiceId });
    expect(invoice, "decided in the same transaction").to.deep.include({ status: "Settled", decideAt: null });
    expect(ctx.jobsOf("invoices")).to.deep.equal([]);
    const told = await db.manager.findBy(InvoiceHistory, { invoiceId, kind: "payment" });
    expect(told.map(({ details }) => details.change)).to.deep.equal(["confirmed"]);

    expect(await advanceConfirmations(ctx)).to.equal(0);
  });

  it("skips payments in no block, replaced payments and Lightning payments", async () => {
    const { id: invoiceId } = (await buildInvoice(ctx)).invoice;
    await block(200);
    const left = [
      await buildPayment(ctx, invoiceId, { requiredConfirmations: 1 }),
      await buildPayment(ctx, invoiceId, { ...inBlock(100, 1), state: "replaced" }),
      await buildPayment(ctx, invoiceId, { ...inBlock(100, 1), type: "BTC-LN" }),
    ];
    expect(await advanceConfirmations(ctx)).to.equal(0);
    expect(await Promise.all(left.map(({ id }) => stateOf(id)))).to.deep.equal([
      "pending",
      "replaced",
      "pending",
    ]);
  });

  it("confirms nothing before the first block is processed", async () => {
    const { id: invoiceId } = (await buildInvoice(ctx)).invoice;
    await buildPayment(ctx, invoiceId, inBlock(100, 1));
    expect(await advanceConfirmations(ctx)).to.equal(0);
  });

  it("waits for the lock of an invoice, and then sees what the lock's holder changed", async () => {
    const { id: invoiceId } = (await buildInvoice(ctx)).invoice;
    const payment = await buildPayment(ctx, invoiceId, inBlock(100, 1));
    await block(100);
    let advancing: Promise<number> = Promise.resolve(-1);
    await db.transaction(async (manager) => {
      await manager.query("SELECT 1 FROM invoices WHERE id = $1 FOR UPDATE", [invoiceId]);
      advancing = advanceConfirmations(ctx);
      await eventually(async () => {
        const waiting = await db.query<unknown[]>(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        return waiting.length === 1;
      });
      // A reorganisation takes its block away meanwhile.
      await manager.update(Payment, payment.id, { blockHeight: null, blockHash: null });
    });
    expect(await advancing).to.equal(0);
    expect(await stateOf(payment.id)).to.equal("pending");
  });

  it("confirms each payment once when several processes do it at the same time, over more than one batch", async () => {
    const store = await buildStore(ctx);
    const { id: invoiceId } = (await buildInvoice(ctx, { store })).invoice;
    breaksInvariants(db, "the copies have neither events nor outpoints of their own");
    // 450 invoices by copying one: creating them one by one would take long and show nothing more.
    await db.query(
      `INSERT INTO invoices SELECT (jsonb_populate_record(i, jsonb_build_object('id', 'inv_copy_' || n))).*
         FROM invoices i, generate_series(1, 450) AS n WHERE i.id = $1`,
      [invoiceId],
    );
    const original = await buildPayment(ctx, invoiceId, inBlock(100, 1));
    await db.query(
      `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', 'copy_' || n, 'invoice_id', 'inv_copy_' || n))).*
         FROM payments p, generate_series(1, 450) AS n WHERE p.id = $1`,
      [original.id],
    );
    await block(100);
    const counts = await Promise.all([
      advanceConfirmations(ctx),
      advanceConfirmations(ctx),
      advanceConfirmations(ctx),
    ]);
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(451);
    expect(await db.manager.countBy(Payment, { state: "confirmed" })).to.equal(451);
    expect(await db.manager.countBy(InvoiceHistory, { kind: "payment" })).to.equal(451);
  });
});
