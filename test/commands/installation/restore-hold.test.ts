import { expect } from "chai";
import type { DataSource } from "typeorm";
import { endRestoreHold } from "../../../commands/installation/end-hold";
import { finishRestore } from "../../../commands/installation/finish-restore";
import { setAside } from "../../../commands/chain/set-aside";
import { markDue } from "../../../commands/invoices/queries";
import { decideByJob } from "../../../commands/invoices/decide-due";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { readFeed } from "../../../commands/webhooks/read-feed";
import { ChainBlock } from "../../../entities/chain-block";
import { ChainGap } from "../../../entities/chain-gap";
import type { LightningPort } from "../../../commands/ports";
import { Installation } from "../../../entities/installation";
import { Invoice } from "../../../entities/invoice";
import { LightningNode, SERVER_NODE_ID } from "../../../entities/lightning-node";
import { PaymentMethodSync } from "../../../entities/payment-method-sync";
import type { Payment } from "../../../entities/payment";
import { ReceiptMail } from "../../../entities/receipt-mail";
import type { Store } from "../../../entities/store";
import { testContext, type TestContext, testDialer } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../../support/factories";
import { LARGE, plansOf } from "../../support/plans";
import { inTransaction } from "../../../commands/transaction";
import { serverNode } from "../../support/lightning";
import { makeLndNodes } from "../../../adapters/lnd/lnd-nodes";

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

  async function caughtUp(type: "BTC-CHAIN" | "BTC-LN", caughtUpTo: Date | null): Promise<void> {
    const checked = { caughtUpTo, checkedAt: new Date() };
    if (type === "BTC-LN") await db.manager.update(LightningNode, { id: SERVER_NODE_ID }, checked);
    else await db.manager.upsert(PaymentMethodSync, { type, ...checked }, ["type"]);
  }

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

  describe("the hold", () => {
    beforeEach(async () => {
      await finishRestore(ctx, BACKUP);
      ctx = { ...ctx, lightning: serverNode({} as LightningPort) };
    });

    it("ends once when everything from before is decided, and deliveries are sent again", async () => {
      await caughtUp("BTC-CHAIN", FAR);
      await caughtUp("BTC-LN", FAR);
      expect(await endRestoreHold(ctx)).to.equal(1);
      expect(await endRestoreHold(ctx)).to.equal(0);
      const { invoice } = await buildInvoice(ctx, { store });
      expect(await deliveries(invoice.id)).to.deep.equal([QUEUED]);
    });

    /** An invoice from before the restore with a payment in no block. */
    async function earlier(payment: Partial<Payment>): Promise<string> {
      const { invoice } = await buildInvoice(ctx, { store });
      await buildPayment(ctx, invoice.id, { firstSeenAt: BACKUP.takenAt, ...payment });
      await decideByJob(ctx, invoice.id);
      await db.manager.update(Invoice, { id: invoice.id }, { createdAt: BACKUP.takenAt });
      return invoice.id;
    }

    const reasons: [string, () => Promise<unknown>][] = [
      ["the chain was not checked since", () => caughtUp("BTC-CHAIN", BACKUP.takenAt)],
      ["the chain was never checked", () => caughtUp("BTC-CHAIN", null)],
      [
        "the chain was not checked for a minute, after which what is missing is counted again",
        async () => {
          const checked = await ctx.now(db.manager);
          await caughtUp("BTC-CHAIN", checked);
          ctx.clock.freeze(new Date(checked.getTime() + 60_000));
        },
      ],
      [
        "the chain was not checked since the last gap",
        () =>
          db.manager.insert(ChainGap, { kind: "blind", beganAt: new Date(), endedAt: FAR, closedAt: FAR }),
      ],
      ["LND was not checked since", () => caughtUp("BTC-LN", BACKUP.takenAt)],
      [
        "payments may have been missed",
        () => db.manager.insert(ChainGap, { kind: "blind", beganAt: new Date() }),
      ],
      [
        "an invoice was due before it",
        async () => {
          const { invoice } = await buildInvoice(ctx, { store });
          const values = { decideAt: BACKUP.takenAt, createdAt: BACKUP.takenAt };
          await db.manager.update(Invoice, { id: invoice.id }, values);
        },
      ],
      [
        "the decision about an earlier invoice failed, and became due after it",
        async () => {
          const { invoice } = await buildInvoice(ctx, { store });
          await db.manager.update(Invoice, { id: invoice.id }, { createdAt: BACKUP.takenAt });
          await markDue(db.manager, [invoice.id], await ctx.now(db.manager));
        },
      ],
      [
        "a transaction is set aside",
        () => inTransaction(ctx, (tx) => setAside(tx, { txid: "aa" }, new Error("no"))),
      ],
      ["the chain's check has no row", () => db.manager.delete(PaymentMethodSync, { type: "BTC-CHAIN" })],
      [
        "an invoice's expiry is held",
        async () => {
          const { invoice } = await buildInvoice(ctx, { store });
          const values = { expiryHeld: true, createdAt: BACKUP.takenAt };
          await db.manager.update(Invoice, { id: invoice.id }, values);
        },
      ],
      [
        "a payment has its confirmations and is not confirmed",
        async () => {
          const { invoice } = await buildInvoice(ctx, { store });
          await db.manager.insert(ChainBlock, { height: 101, hash: "aa", previousHash: "bb" });
          await buildPayment(ctx, invoice.id, {
            blockHeight: 100,
            blockHash: "bb",
            requiredConfirmations: 2,
          });
        },
      ],
    ];
    const part = { amountSats: 1_000n };
    const unmined: [string, Partial<Payment>][] = [
      ["a payment of a Processing invoice is in no block", {}],
      ["a payment is missing", { ...part, missingSince: BACKUP.takenAt }],
      ["a payment has an unconfirmed conflict", { ...part, conflictSince: BACKUP.takenAt }],
      [
        "blocks are counted in which a lost payment's inputs are missing",
        { state: "evicted", confirmedAt: BACKUP.takenAt, inputsMissingHeight: 100 },
      ],
    ];
    for (const [reason, payment] of unmined) {
      reasons.push([reason, () => earlier(payment)]);
      it(`does not last while ${reason}, of an invoice that was created after it`, async () => {
        await caughtUp("BTC-CHAIN", FAR);
        await caughtUp("BTC-LN", FAR);
        const id = await earlier(payment);
        await db.query("UPDATE invoices SET created_at = clock_timestamp() WHERE id = $1", [id]);
        expect(await endRestoreHold(ctx)).to.equal(1);
      });
      it(`does not last while ${reason}, without a Bitcoin node`, async () => {
        await caughtUp("BTC-LN", FAR);
        await earlier(payment);
        expect(await endRestoreHold({ ...ctx, chain: null })).to.equal(1);
      });
    }
    for (const [reason, arrange] of reasons)
      it(`lasts while ${reason}`, async () => {
        await caughtUp("BTC-CHAIN", FAR);
        await caughtUp("BTC-LN", FAR);
        await arrange();
        expect(await endRestoreHold(ctx)).to.equal(0);
      });

    it("does not last for a payment of a Processing invoice that was first seen after it", async () => {
      await caughtUp("BTC-CHAIN", FAR);
      await caughtUp("BTC-LN", FAR);
      await earlier({ firstSeenAt: new Date(Date.now() + 60_000) });
      expect(await endRestoreHold(ctx)).to.equal(1);
    });

    it("does not last for a payment that was given up", async () => {
      await caughtUp("BTC-CHAIN", FAR);
      await caughtUp("BTC-LN", FAR);
      const givenUp = { confirmedAt: BACKUP.takenAt, inputsMissingHeight: 100, givenUp: true };
      await earlier({ state: "replaced", ...givenUp });
      expect(await endRestoreHold(ctx)).to.equal(1);
    });

    it("does not last for an LND that is not configured any more", async () => {
      await caughtUp("BTC-CHAIN", FAR);
      await caughtUp("BTC-LN", BACKUP.takenAt);
      expect(await endRestoreHold({ ...ctx, lightning: makeLndNodes(null, testDialer) })).to.equal(1);
    });

    it("does not last for an invoice that was created after it and is due", async () => {
      await caughtUp("BTC-CHAIN", FAR);
      await caughtUp("BTC-LN", FAR);
      const { invoice } = await buildInvoice(ctx, { store });
      await markDue(db.manager, [invoice.id], await ctx.now(db.manager));
      expect(await endRestoreHold(ctx)).to.equal(1);
    });

    it("does not last for a payment that lacks confirmations", async () => {
      await caughtUp("BTC-CHAIN", FAR);
      await caughtUp("BTC-LN", FAR);
      const { invoice } = await buildInvoice(ctx, { store });
      await db.manager.insert(ChainBlock, { height: 101, hash: "aa", previousHash: "bb" });
      await buildPayment(ctx, invoice.id, { blockHeight: 100, blockHash: "bb", requiredConfirmations: 3 });
      expect(await endRestoreHold(ctx)).to.equal(1);
    });

    it("is read without scanning a large table", async () => {
      const plans = await plansOf(db, () => endRestoreHold(ctx));
      expect(plans).to.not.be.empty;
      for (const plan of plans) expect(plan).to.not.match(LARGE);
    });
  });
});
