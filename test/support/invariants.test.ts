import { expect } from "chai";
import type { DataSource } from "typeorm";
import { attemptWebhook } from "../../commands/webhooks/attempt-webhook";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { testContext, type TestContext } from "./context";
import { testDatabase } from "./database";
import { buildInvoice, buildOpenBolt11, buildPayment, buildStore, buildWebhook } from "./factories";
import { checkInvariants } from "./invariants";
import { breaksInvariants } from "./invariants-always";
import { startReceiver, type Receiver } from "./receiver";

describe("checkInvariants", () => {
  let db: DataSource;
  let ctx: TestContext;
  let receiver: Receiver;
  let delivery: WebhookDelivery;

  beforeEach(async () => {
    db = await testDatabase(3);
    breaksInvariants(db, "that is what these tests are about");
    ctx = await testContext({ db });
    receiver = await startReceiver();
    const store = await buildStore(ctx);
    await buildWebhook(ctx, store, `${receiver.url}/hook`);
    const { invoice } = await buildInvoice(ctx, { store });
    await markInvoice(ctx, store.id, invoice.id, { status: "Settled" });
    const [first] = await db.manager.find(WebhookDelivery, { order: { eventSeq: "ASC" } });
    if (!first) throw new Error("there is no delivery");
    delivery = first;
    await attemptWebhook(ctx, { deliveryId: delivery.id });
    await checkInvariants(db, receiver);
  });
  afterEach(async () => {
    await receiver.close();
    await db.destroy();
  });

  /** What is wrong, how it comes about, and the complaint that it must raise. */
  const broken: [string, string, string][] = [
    ["a system's settlement without money", "UPDATE invoice_events SET by_hand = false", "never confirmed"],
    [
      "a settled invoice without money and without a mark",
      "UPDATE invoices SET marked_by_hand = NULL",
      "nobody alerted",
    ],
    ["a status that was never told", "UPDATE invoices SET status = 'Expired'", "never told"],
    ["an address whose script is not watched", "DELETE FROM watched_scripts", "exactly one watched script"],
    ["a round that is missing", "UPDATE invoice_events SET round = 2 WHERE type = 'New'", "with a gap"],
    [
      "an event without a delivery",
      "DELETE FROM webhook_deliveries WHERE state IN ('pending', 'queued')",
      "exactly one delivery",
    ],
    ["a delivery of another store", "UPDATE webhook_deliveries SET store_id = 'another'", "another store"],
    [
      "a second automatic attempt",
      "INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, state) SELECT delivery_id, 2, webhook_id, cause, state FROM webhook_attempts",
      "more than one automatic attempt",
    ],
    ["a wrong count of attempts", "UPDATE webhook_deliveries SET attempt_count = 2", "counts other attempts"],
    [
      "a delivery that says otherwise than its attempt",
      "UPDATE webhook_deliveries SET state = 'failed' WHERE state = 'delivered'",
      "says otherwise",
    ],
    [
      "a received delivery that is called failed",
      "UPDATE webhook_attempts SET state = 'failed', error = 'http-500', http_status = 500",
      "recorded as 500",
    ],
    [
      "a received delivery that is still called sending",
      "UPDATE webhook_attempts SET state = 'sending'",
      "still called sending",
    ],
    ["other bytes than the event's", "UPDATE invoice_events SET body = '\\x00'", "other bytes"],
    ["a POST that no row tells of", "DELETE FROM webhook_attempts", "nothing tells of it"],
    [
      "a delivered attempt that was not received",
      "UPDATE webhook_attempts SET number = 2",
      "but was not received",
    ],
  ];
  for (const [what, sql, complaint] of broken)
    it(`finds ${what}`, async () => {
      await db.query(sql);
      expect(await checkInvariants(db, receiver).catch(String)).to.include(complaint);
    });

  it("finds a POST that was sent twice", async () => {
    const again = { headers: receiver.requests[0]?.headers ?? {}, body: receiver.requests[0]?.body ?? "" };
    await fetch(`${receiver.url}/hook`, { method: "POST", ...again });
    expect(await checkInvariants(db, receiver).catch(String)).to.include("received 2 times");
  });

  it("finds an outpoint of two invoices", async () => {
    const { invoice } = await buildInvoice(ctx);
    const other = await buildInvoice(ctx);
    const { txid } = await buildPayment(ctx, invoice.id);
    await buildPayment(ctx, other.invoice.id, { txid, id: "the same under another name" });
    expect(await checkInvariants(db).catch(String)).to.include("outpoint of two invoices");
  });

  it("finds a destination of two invoices", async () => {
    await buildInvoice(ctx);
    await db.query("UPDATE invoice_payment_methods SET destination = 'bcrt1q'");
    expect(await checkInvariants(db).catch(String)).to.include("destination of two invoices");
  });

  describe("of Lightning", () => {
    const broken: [string, string, string][] = [
      [
        "two BOLT11s that may be paid",
        `INSERT INTO bolt11s SELECT 'other', invoice_id, preimage, amount_sats, 'wanted', NULL, NULL, false, created_at, expires_at
           FROM bolt11s`,
        "more than one BOLT11",
      ],
      [
        "a BOLT11 that is shown though it shall go",
        "UPDATE bolt11s SET cancel_wanted = true",
        "does not wait for",
      ],
      [
        "a BOLT11 over another amount",
        "UPDATE bolt11s SET amount_sats = 1",
        "something else than what is due",
      ],
      ["a settled BOLT11 without its payment", "UPDATE bolt11s SET state = 'settled'", "without its payment"],
      [
        "a Lightning payment without its BOLT11",
        `INSERT INTO payments (id, invoice_id, store_id, type, amount_sats, state, first_seen_at)
         SELECT 'hash', i.id, i.store_id, 'BTC-LN', 1, 'confirmed', now() FROM bolt11s JOIN invoices i ON i.id = invoice_id`,
        "without its settled BOLT11",
      ],
      [
        "a method that cannot be paid and does not say why",
        "UPDATE invoice_payment_methods SET destination = NULL, available = false",
        "neither where to pay nor why not",
      ],
    ];
    for (const [what, sql, complaint] of broken)
      it(`finds ${what}`, async () => {
        const { invoice } = await buildInvoice(ctx);
        await buildOpenBolt11(ctx, invoice.id);
        expect(await checkInvariants(db).catch(String)).to.equal(undefined);
        await db.query(sql);
        expect(await checkInvariants(db).catch(String)).to.include(complaint);
      });
  });
});
