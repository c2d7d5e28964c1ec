import { expect } from "chai";
import type { DataSource } from "typeorm";
import { finishRestore } from "../../../commands/installation/finish-restore";
import { resolveAlertByHand } from "../../../commands/installation/resolve-alert-by-hand";
import { decideByJob } from "../../../commands/invoices/decide-due";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { readFeed } from "../../../commands/webhooks/read-feed";
import { Alert } from "../../../entities/alert";
import { Installation } from "../../../entities/installation";
import { PaymentMethodSync } from "../../../entities/payment-method-sync";
import { ReceiptMail } from "../../../entities/receipt-mail";
import type { Store } from "../../../entities/store";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../../support/factories";

const BACKUP = { network: "regtest" as const, takenAt: new Date(Date.now() - 3_600_000), skipAddresses: 5 };
const FAR = new Date(Date.now() + 3_600_000);

describe("after a restore", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  beforeEach(async () => {
    db = await testDatabase(4);
    ctx = await testContext({ db });
    await db.manager.insert(Installation, { network: "unfinished-restore", secretCheck: Buffer.of(1) });
    store = await buildStore(ctx);
    await buildWebhook(ctx, store);
  });
  afterEach(() => db.destroy());

  const deliveries = (invoiceId: string): Promise<{ state: string; error: string | null }[]> =>
    db.query(`SELECT d.state, d.error FROM webhook_deliveries d WHERE d.invoice_id = $1 ORDER BY event_seq`, [
      invoiceId,
    ]);
  const HELD = { state: "failed", error: "held-after-restore" };
  const QUEUED = { state: "queued", error: null };
  const PENDING = { state: "pending", error: null };

  it("nothing is finished in part when a step fails", async () => {
    await buildInvoice(ctx, { store });
    const failing = { ...ctx, newId: (): never => expect.fail("no id") };
    const failure: unknown = await finishRestore(failing, BACKUP).catch((error: unknown) => error);
    expect(String(failure)).to.include("no id");
    expect(await db.manager.findOneByOrFail(Installation, { singleton: true })).to.include({
      network: "unfinished-restore",
    });
    expect(await db.query("SELECT next_index FROM wallets")).to.deep.equal([{ next_index: 1 }]);
  });

  it("stores that share a wallet are alerted that its next address was moved", async () => {
    await buildInvoice(ctx, { store });
    await db.query(
      `INSERT INTO store_payment_methods (store_id, type, wallet_id, mac)
       SELECT 'another', type, wallet_id, mac FROM store_payment_methods WHERE store_id = $1`,
      [store.id],
    );
    await finishRestore(ctx, BACKUP);
    expect(
      await db.query("SELECT store_id FROM alerts WHERE kind = 'wallet-changed' ORDER BY 1"),
    ).to.have.lengthOf(2);
  });

  it("deliveries of decisions about invoices of the backup are held and not enqueued; of others they are sent", async () => {
    const { invoice: old } = await buildInvoice(ctx, { store });
    await finishRestore(ctx, BACKUP);
    const { invoice: fresh } = await buildInvoice(ctx, { store });
    const before = ctx.jobsOf("webhook-delivery").length;
    for (const { id } of [old, fresh]) {
      await buildPayment(ctx, id, { state: "confirmed" });
      await decideByJob(ctx, id);
    }
    expect(await deliveries(old.id)).to.deep.equal([HELD, HELD]);
    expect(await deliveries(fresh.id)).to.deep.equal([QUEUED, PENDING]);
    expect(ctx.jobsOf("webhook-delivery")).to.have.lengthOf(before);
  });

  it("receipts are not sent to customers who may have them, and who can ask again", async () => {
    const { invoice } = await buildInvoice(ctx, { store });
    const receipt = { invoiceId: invoice.id, storeId: store.id, language: "en" };
    await db.manager.insert(ReceiptMail, { ...receipt, email: "olga@customer.example" });
    await finishRestore(ctx, BACKUP);
    expect(await db.manager.findOneBy(ReceiptMail, receipt)).to.include({ email: null, sentAt: null });
  });

  it("a mark by hand is sent, since a person asked for it now", async () => {
    const { invoice } = await buildInvoice(ctx, { store });
    await finishRestore(ctx, BACKUP);
    await markInvoice(ctx, store.id, invoice.id, { status: "Invalid" });
    expect(await deliveries(invoice.id)).to.deep.equal([HELD, QUEUED]);
  });

  it("feeds continue above every position that was given out, and refuse positions that were lost", async () => {
    await buildInvoice(ctx, { store });
    const [first] = await readFeed(ctx, store.id, { after: 0n, limit: 10 });
    expect(first?.seq).to.equal("1");
    await finishRestore(ctx, BACKUP);
    await buildInvoice(ctx, { store });
    const [next, ...more] = await readFeed(ctx, store.id, { after: 1n, limit: 10 });
    expect(more).to.deep.equal([]);
    expect(BigInt(next?.seq ?? 0)).to.equal(1_000_000_002n);
    for (const after of [2n, 1_000_000_001n, 1_000_000_003n]) {
      const failure: unknown = await readFeed(ctx, store.id, { after, limit: 10 }).catch(
        (error: unknown) => error,
      );
      const last = after > 1_000_000_002n ? "0000001000000002" : "0000000000000001";
      expect(failure).to.have.nested.property("errors[0].message").that.includes(`send ${last},`);
    }
    expect(await readFeed(ctx, store.id, { after: 1_000_000_002n, limit: 10 })).to.deep.equal([]);
  });

  it("the hold lasts until a person resolves the alert, also after the networks were checked", async () => {
    const { invoice } = await buildInvoice(ctx, { store });
    await finishRestore(ctx, BACKUP);
    const checked = { type: "BTC-CHAIN", checkedAt: FAR, caughtUpTo: FAR } as const;
    await db.manager.upsert(PaymentMethodSync, checked, ["type"]);
    await buildPayment(ctx, invoice.id, {});
    await decideByJob(ctx, invoice.id);
    expect(await deliveries(invoice.id)).to.deep.equal([HELD, HELD]);
    const { id: alertId } = await db.manager.findOneByOrFail(Alert, { kind: "restored" });
    await resolveAlertByHand(ctx, { alertId });
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await decideByJob(ctx, invoice.id);
    expect(await deliveries(invoice.id)).to.deep.equal([HELD, HELD, QUEUED]);
  });
});
