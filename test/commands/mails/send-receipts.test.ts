import { expect } from "chai";
import type { DataSource } from "typeorm";
import { openMail } from "../../../adapters/mail";
import type { CommandContext } from "../../../commands/context";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { eraseInvoice } from "../../../commands/invoices/erase-invoice";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { askForReceipt } from "../../../commands/mails/ask-for-receipt";
import { PRUNE_RECEIPTS, RECEIPTS_A_DAY } from "../../../commands/mails/receipt-queries";
import { sendReceipts } from "../../../commands/mails/send-receipts";
import type { Invoice } from "../../../entities/invoice";
import { InvoiceHistory } from "../../../entities/invoice-history";
import { ReceiptMail } from "../../../entities/receipt-mail";
import { Store } from "../../../entities/store";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildStore } from "../../support/factories";
import { type Mailbox, startMailbox } from "../../support/mailbox";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EMAIL = "olga@customer.example";

describe("a customer's receipt by mail", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  let mailbox: Mailbox;
  beforeEach(async () => {
    db = await testDatabase();
    mailbox = await startMailbox();
    ctx = await testContext({ db, sendMail: openMail(mailbox.url).send });
    ctx.clock.freeze(new Date("2026-03-04T12:00:00Z"));
    store = await buildStore(ctx, { name: "Tea shop" });
    const sellerDetails = "Tea shop Ltd\n1 Harbour Road, Dublin";
    await db.manager.update(Store, store.id, { receiptsByMail: true, sellerDetails, timeZone: "Asia/Tokyo" });
  });
  afterEach(async () => {
    await mailbox.stop();
    await db.destroy();
  });

  async function asked({ email = EMAIL, language = "en" } = {}): Promise<Invoice> {
    const { invoice } = await buildInvoice(ctx, {
      store,
      amount: "12.50",
      currency: "EUR",
      description: "Two pounds of tea",
      metadataJson: '{"orderId":"A-1"}',
    });
    expect(await ask(invoice, email, language)).to.equal("left");
    return invoice;
  }
  const ask = ({ id }: Invoice, typed: string, language = "en") =>
    askForReceipt(ctx, id, { typed, languageFor: () => language });
  async function pay({ id, dueSats }: Invoice): Promise<string> {
    const payment = await buildPayment(ctx, id, {
      storeId: store.id,
      state: "confirmed",
      amountSats: dueSats,
      confirmedAt: await ctx.now(db.manager),
    });
    await changeInvoice(ctx, id);
    return payment.txid ?? "";
  }
  const stored = ({ id }: Invoice) => db.manager.findOneByOrFail(ReceiptMail, { invoiceId: id });
  const historyOf = async ({ id }: Invoice): Promise<string[]> => {
    const lines = await db.manager.find(InvoiceHistory, { where: { invoiceId: id }, order: { id: "ASC" } });
    return lines.map(({ kind }) => kind).filter((kind) => kind.startsWith("receipt"));
  };

  it("is sent once when the invoice is settled, says what the page says, and forgets the address", async () => {
    const invoice = await asked();
    expect(await sendReceipts(ctx), "before the payment").to.equal(0);
    const txid = await pay(invoice);
    expect(await sendReceipts(ctx)).to.equal(1);
    ctx.clock.advance(DAY);
    expect(await sendReceipts(ctx)).to.equal(0);
    expect(mailbox.mails.map(({ to }) => to)).to.deep.equal([[EMAIL]]);
    const text = readable(mailbox.mails[0]?.text);
    for (const said of [
      "Subject: Receipt: Tea shop",
      "Tea shop Ltd\r\n1 Harbour Road, Dublin",
      "Description: Two pounds of tea",
      "Order: A-1",
      "€12.50",
      "1 BTC = €",
      "Confirmed: 2026-03-04 21:00:00 (Asia/Tokyo)",
      `Transaction id: ${txid}`,
      `/i/${invoice.id}?lang=en`,
    ])
      expect(text).to.include(said);
    expect(text, "tracks nobody").not.to.match(/<img|text\/html/);
    expect(await stored(invoice)).to.include({ email: null });
    expect(await historyOf(invoice)).to.deep.equal(["receipt-asked", "receipt-sent"]);
    expect(await ask(invoice, "other@customer.example")).to.equal("closed");
  });

  it("is in the language of the page, each value in its own direction", async () => {
    await pay(await asked({ language: "ar" }));
    expect(await sendReceipts(ctx)).to.equal(1);
    const text = readable(mailbox.mails[0]?.text);
    expect(text).to.include("الطلب: \u2068A-1\u2069").and.to.include("?lang=ar");
  });

  it("goes to the corrected address, a few times, and to nobody who asks without a payment", async () => {
    const invoice = await asked();
    for (let times = 2; times <= 5; times += 1)
      expect(await ask(invoice, `typo${times}@customer.example`)).to.equal("left");
    expect(await ask(invoice, "typo6@customer.example")).to.equal("closed");
    await markInvoice(ctx, store.id, invoice.id, { status: "Settled" });
    expect(await sendReceipts(ctx), "only marked").to.equal(0);
    await pay(invoice);
    ctx.clock.advance(6 * MINUTE);
    expect(await sendReceipts(ctx)).to.equal(1);
    expect(mailbox.mails.map(({ to }) => to)).to.deep.equal([["typo5@customer.example"]]);
  });

  it("is not lost while the mail server is away, is retried later, and is not in the log", async () => {
    await pay(await asked());
    const away: CommandContext = { ...ctx, sendMail: openMail("smtp://127.0.0.1:9?from=a@example.com").send };
    expect(await sendReceipts(away)).to.equal(0);
    expect(await sendReceipts(ctx), "at once").to.equal(0);
    expect(JSON.stringify(ctx.lines)).not.to.include(EMAIL);
    ctx.clock.advance(6 * MINUTE);
    expect(await sendReceipts(ctx)).to.equal(1);
  });

  it("is sent once by two processes that sweep at the same time", async () => {
    for (let receipts = 0; receipts < 5; receipts += 1)
      await pay(await asked({ email: `c${receipts}@customer.example` }));
    await Promise.all([sendReceipts(ctx), sendReceipts(ctx), sendReceipts(ctx)]);
    expect(mailbox.mails).to.have.length(5);
  });

  it("is given up at once for a mailbox that is refused for good, delays nobody else's, and can be corrected", async () => {
    const invoice = await asked();
    await pay(invoice);
    await pay(await asked({ email: "other@customer.example" }));
    mailbox.refuse({ at: "RCPT TO", to: EMAIL });
    expect(await sendReceipts(ctx)).to.equal(1);
    expect(await stored(invoice)).to.include({ email: null, sentAt: null });
    expect(await historyOf(invoice)).to.deep.equal(["receipt-asked", "receipt-refused"]);
    expect(await ask(invoice, "right@customer.example")).to.equal("left");
  });

  it("is retried after outages and whatever else does not speak of the mailbox, however often", async () => {
    const invoice = await asked();
    await pay(invoice);
    const refusals = [
      { at: "RCPT TO", code: 450, text: "4.2.0 greylisted" },
      { at: "RCPT TO", code: 554, text: "5.7.1 relay access denied" },
      { at: "RCPT TO", code: 550, text: "relay not permitted" },
      { at: "DATA", code: 554, text: "5.6.0 content refused" },
    ] as const;
    for (const refusal of [...refusals, ...refusals]) {
      mailbox.refuse(refusal);
      expect(await sendReceipts(ctx)).to.equal(0);
      ctx.clock.advance(60 * MINUTE);
      const away: CommandContext = { ...ctx, sendMail: openMail("smtp://127.0.0.1:9?from=a@x.example").send };
      expect(await sendReceipts(away)).to.equal(0);
      ctx.clock.advance(60 * MINUTE);
    }
    mailbox.refuse(null);
    expect(await sendReceipts(ctx)).to.equal(1);
    expect(await historyOf(invoice)).to.deep.equal(["receipt-asked", "receipt-sent"]);
  });

  it("waits like all others while the server's own address is refused", async () => {
    for (const email of [EMAIL, "other@customer.example"]) await pay(await asked({ email }));
    mailbox.refuse({ at: "MAIL FROM", text: "5.1.8 unknown sender" });
    expect(await sendReceipts(ctx)).to.equal(0);
    const lines = ctx.lines.filter(({ message }) => message.startsWith("mail:"));
    expect(lines.map(({ fields }) => fields["cause"])).to.deep.equal(["EENVELOPE MAIL FROM 550"]);
    mailbox.refuse(null);
    ctx.clock.advance(6 * MINUTE);
    expect(await sendReceipts(ctx)).to.equal(2);
  });

  it("is not sent by a store that has stopped sending receipts, whose addresses are deleted", async () => {
    const invoice = await asked();
    await pay(invoice);
    await db.manager.update(Store, store.id, { receiptsByMail: false });
    expect(await sendReceipts(ctx)).to.equal(0);
    await PRUNE_RECEIPTS(db.manager, await ctx.now(db.manager));
    expect(await stored(invoice)).to.include({ email: null, sentAt: null });
  });

  it("is not sent when the invoice is Settled no longer after the sweep has found it", async () => {
    const [first, second] = [await asked(), await asked({ email: "other@customer.example" })];
    for (const invoice of [first, second]) await pay(invoice);
    const marking: CommandContext = {
      ...ctx,
      sendMail: async (mail) => {
        const { id } = mail.to === EMAIL ? second : first;
        await markInvoice(ctx, store.id, id, { status: "Invalid" });
        await openMail(mailbox.url).send(mail);
      },
    };
    expect(await sendReceipts(marking)).to.equal(1);
  });

  it("of an invoice that was only marked goes behind the others in the next sweep", async () => {
    const marked = await asked();
    await markInvoice(ctx, store.id, marked.id, { status: "Settled" });
    await sendReceipts(ctx);
    const { mailedAt } = await stored(marked);
    expect(mailedAt).to.deep.equal(await ctx.now(db.manager));
  });

  it("says nothing of the address to whoever tries one when no other is accepted", async () => {
    const invoice = await asked();
    for (let times = 2; times <= 5; times += 1) await ask(invoice, `typo${times}@customer.example`);
    const answers = [await ask(invoice, "typo5@customer.example"), await ask(invoice, "x@customer.example")];
    expect(answers).to.deep.equal(["closed", "closed"]);
  });

  it("waits when its store has sent many within a day", async () => {
    const invoice = await asked();
    await pay(invoice);
    await db.query(
      `INSERT INTO receipt_mails (invoice_id, store_id, language, sent_at)
         SELECT 'inv_' || n, $1, 'en', $2 FROM generate_series(1, $3) AS n`,
      [store.id, await ctx.now(db.manager), RECEIPTS_A_DAY],
    );
    expect(await sendReceipts(ctx)).to.equal(0);
    ctx.clock.advance(DAY);
    expect(await sendReceipts(ctx)).to.equal(1);
  });

  it("leaves no address when the invoice is erased, and none of invoices that are not paid", async () => {
    const [erased, unpaid, paid] = [await asked(), await asked(), await asked()];
    await pay(paid);
    await eraseInvoice(ctx, store.id, erased.id);
    expect(await stored(erased)).to.include({ email: null });
    const prune = async (days: number) => {
      ctx.clock.advance(days * DAY);
      await PRUNE_RECEIPTS(db.manager, await ctx.now(db.manager));
      return [(await stored(unpaid)).email, (await stored(paid)).email];
    };
    expect(await prune(0)).to.deep.equal([EMAIL, EMAIL]);
    expect(await prune(3), "open until it is decided").to.deep.equal([EMAIL, EMAIL]);
    await changeInvoice(ctx, unpaid.id);
    expect(await prune(0), "monitored for a day").to.deep.equal([null, EMAIL]);
    expect(await prune(8)).to.deep.equal([null, null]);
  });

  it("waits eight days for the mail server, however late it was paid or asked for", async () => {
    const late = await asked();
    ctx.clock.advance(30 * DAY);
    await PRUNE_RECEIPTS(db.manager, await ctx.now(db.manager));
    await pay(late);
    const old = await asked();
    await pay(old);
    await sendReceipts(ctx);
    for (const { id } of [late, old]) await db.manager.delete(ReceiptMail, id);
    ctx.clock.advance(100 * DAY);
    for (const invoice of [late, old]) expect(await ask(invoice, EMAIL)).to.equal("left");
    ctx.clock.advance(7 * DAY);
    await PRUNE_RECEIPTS(db.manager, await ctx.now(db.manager));
    expect(await sendReceipts(ctx)).to.equal(2);
  });
});

/** Whatever of it was encoded. */
function readable(mail = ""): string {
  const [head = "", body = ""] = mail.split(/\r\n\r\n(.*)/s);
  if (/base64/i.test(head)) return `${head}\r\n${Buffer.from(body, "base64").toString("utf8")}`;
  const bytes = Buffer.from(
    body.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
  return `${head}\r\n${bytes.toString("utf8")}`;
}
