import { expect } from "chai";
import type { DataSource } from "typeorm";
import { openMail } from "../../../adapters/mail";
import { removeStoreMember } from "../../../commands/accounts/store-members";
import { insertAuthentic } from "../../../commands/server/authentic-rows";
import type { CommandContext } from "../../../commands/context";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { membersOf } from "../../../commands/mails/alert-notices";
import { chooseMails, type MailsChosen, unsubscribe } from "../../../commands/mails/choose-mails";
import { PRUNE_NOTICES } from "../../../commands/mails/queries";
import { sendNotices } from "../../../commands/mails/send-notices";
import { type AlertText, raiseAlert } from "../../../commands/server/raise-alert";
import { makeSendAlerts } from "../../../commands/server/send-alerts";
import { inTransaction } from "../../../commands/transaction";
import { MailChoice } from "../../../entities/mail-choice";
import { Notice } from "../../../entities/notice";
import { Store } from "../../../entities/store";
import { StoreMember } from "../../../entities/store-member";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildStore, buildUser } from "../../support/factories";
import { type Mailbox, startMailbox } from "../../support/mailbox";
import { poison } from "../../support/poison";
import { refusalCode } from "../../support/refusal";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("mails to a store's users", () => {
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
  });
  afterEach(async () => {
    await mailbox.stop();
    await db.destroy();
  });

  async function member(chosen: Partial<MailsChosen>, of: Store = store, user = buildUser(ctx)) {
    const { userId, email } = await user;
    const place = { storeId: of.id, userId, role: "viewer" as const, createdAt: new Date() };
    await inTransaction(ctx, (tx) => insertAuthentic(tx, StoreMember, [place]));
    await chooseMails(ctx, { storeId: of.id, userId }, { kinds: [], summary: "none", ...chosen });
    return { userId, email };
  }
  async function pay(orderId: string): Promise<void> {
    const { invoice } = await buildInvoice(ctx, { store, metadataJson: JSON.stringify({ orderId }) });
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
    ctx.clock.advance(1_000);
  }
  /** Some minutes later. */
  async function sweep(by: CommandContext = ctx): Promise<number> {
    ctx.clock.advance(6 * MINUTE);
    return sendNotices(by);
  }
  const texts = () => mailbox.mails.map(({ text }) => text);
  const deadPort = openMail("smtp://127.0.0.1:9?from=pay@example.com").send;

  it("are one for a burst of payments, and end by the link in them", async () => {
    await pay("before");
    const { email } = await member({ kinds: ["paid"] });
    for (let more = 1; more <= 25; more += 1) await pay(`A-${more}`);
    await sendNotices(ctx);
    expect(mailbox.mails).to.deep.equal([]); // the burst may continue
    expect(await sweep()).to.equal(1);
    expect(await sweep()).to.equal(0);
    expect(mailbox.mails.map(({ to }) => to)).to.deep.equal([[email]]);
    const [text = ""] = texts();
    expect(text).to.contain("Subject: [Quittance] Tea shop: 25 paid");
    expect(text)
      .to.contain("5 more before these")
      .and.to.contain("2026-03-04 12:00  A-25: 100000 SATS (100000 sats received)");
    expect(text).not.to.match(/A-5:|before:/);

    const [, token = ""] = /unsubscribe#(\S+)/.exec(text) ?? [];
    await unsubscribe(ctx, token);
    await unsubscribe(ctx, token);
    await pay("A-26");
    expect(await sweep()).to.equal(0);
    expect(await refusalCode(unsubscribe(ctx, `${token.slice(0, -4)}AAAA`))).to.equal("link-not-found");
    expect(await refusalCode(unsubscribe(ctx, token.split(".")[0] ?? ""))).to.equal("link-not-found");
  });

  it("lose nothing while the mail server is away, and log no address", async () => {
    const { email } = await member({ kinds: ["paid"] });
    const away = { ...ctx, sendMail: deadPort };
    await pay("A-1");
    expect(await sweep(away)).to.equal(0);
    await pay("A-2");
    expect(await sweep(away)).to.equal(0);
    expect(JSON.stringify(ctx.lines)).not.to.contain(email);
    ctx.clock.advance(10 * MINUTE);
    expect(await sweep()).to.equal(1);
    expect(texts()[0]).to.contain("A-1").and.to.contain("A-2");
    expect(await sweep()).to.equal(0);
  });

  it("are tried less often the longer the mail server fails, since it may have delivered each", async () => {
    await member({ kinds: ["paid"] });
    await pay("A-1");
    let tries = 0;
    const late = { ...ctx, sendMail: () => Promise.reject(new Error(`accepted too late: ${(tries += 1)}`)) };
    for (let hours = 0; hours < 24; hours += 0.1) await sweep(late);
    expect(tries).to.be.within(20, 30);
    ctx.clock.advance(60 * MINUTE);
    expect(await sweep()).to.equal(1);
  });

  it("are sent again only if the process died between the mail and its record", async () => {
    await member({ kinds: ["paid"] });
    await pay("A-1");
    const dying: CommandContext = {
      ...ctx,
      sendMail: async (mail) => {
        await openMail(mailbox.url).send(mail);
        throw new Error("the process died here");
      },
    };
    await sweep(dying);
    await sendNotices(ctx); // restarted at once
    expect(mailbox.mails).to.have.length(1);
    await sweep();
    await sweep();
    expect(mailbox.mails).to.have.length(2);
  });

  it("are sent once by two processes that sweep at the same time", async () => {
    for (let users = 0; users < 5; users += 1) await member({ kinds: ["paid"] });
    await pay("A-1");
    ctx.clock.advance(MINUTE);
    await Promise.all([sendNotices(ctx), sendNotices(ctx), sendNotices(ctx)]);
    await sweep();
    expect(mailbox.mails).to.have.length(5);
    expect(await db.manager.countBy(Notice, {})).to.equal(5);
  });

  it("of a refusing mailbox delay nobody else's", async () => {
    const first = await member({ kinds: ["paid"] });
    await member({ kinds: ["paid"] });
    await pay("A-1");
    mailbox.refuse({ at: "RCPT TO", to: first.email });
    expect(await sweep()).to.equal(1);
  });

  it("are written for everybody in each sweep, however many there are", async () => {
    await db.query(
      `INSERT INTO mail_choices (id, store_id, user_id, kinds, feed_after, summarised_to, created_at)
         SELECT 'mlc_' || n, $1, 'usr_' || n, '{paid}', 0, '2026-03-03', $2 FROM generate_series(1, 250) AS n`,
      [store.id, await ctx.now(db.manager)],
    );
    await pay("A-1");
    await sendNotices(ctx);
    expect(await db.manager.countBy(Notice, {})).to.equal(250);
  });

  it("of a store that fails delay no other store's", async () => {
    const failing = await buildStore(ctx, { name: "Failing" });
    for (const of of [failing, store, failing]) await member({ kinds: ["paid"] }, of);
    for (const of of [failing, store]) {
      const { invoice } = await buildInvoice(ctx, { store: of });
      await buildPayment(ctx, invoice.id, { storeId: of.id, state: "confirmed" });
      await changeInvoice(ctx, invoice.id);
    }
    const ofFailing = `(SELECT store_id FROM mail_choices WHERE id = NEW.choice_id) = '${failing.id}'`;
    await poison(db, "notices", "INSERT", ofFailing);
    await sendNotices(ctx);
    expect(await sweep()).to.equal(1);
    expect(ctx.lines.map(({ message }) => message)).to.include(
      "mail: notices of payments not written, retrying",
    );
  });

  it("report the store's failing webhooks and the server's nodes to those who chose them", async () => {
    const other = await buildStore(ctx, { name: "Other" });
    const both = buildUser(ctx);
    await member({ kinds: ["node-away"] }, store, both);
    const { email: ofNode } = await member({ kinds: ["node-away", "paid"] }, other, both);
    const { email: ofWebhooks } = await member({ kinds: ["webhook-failing"] });
    await member({ kinds: ["webhook-failing"] }, other);
    const raise = (text: AlertText) => inTransaction(ctx, (tx) => raiseAlert(tx, text));
    const alert = { severity: "critical", subject: "x" } as const;
    await raise({ ...alert, kind: "node-away", message: "The node is away." });
    const failing = {
      ...alert,
      kind: "deliveries-failing",
      storeId: store.id,
      message: "Fix the endpoint.",
    } as const;
    await raise(failing);
    await makeSendAlerts(ctx, membersOf(ctx))();
    await sweep();
    expect(mailbox.mails.map(({ to }) => to[0])).to.have.members([ofNode, ofWebhooks]);
    expect(texts().join()).to.contain("The node is away.").and.to.contain("Fix the endpoint.");
  });

  it("name each invoice that waits for a decision, once", async () => {
    await member({ kinds: ["to-review"] });
    const { invoice } = await buildInvoice(ctx, { store, metadataJson: '{"orderId":"B-1"}' });
    await buildPayment(ctx, invoice.id, { state: "confirmed", amountSats: 200_000n });
    await changeInvoice(ctx, invoice.id);
    expect(await sweep()).to.equal(1);
    expect(await sweep()).to.equal(0);
    expect(texts()[0])
      .to.contain("Tea shop: 1 to review")
      .and.to.contain("B-1: 100000 SATS (200000 sats received)");
  });

  it("name no invoice that was decided before they are sent", async () => {
    await member({ kinds: ["to-review"] });
    const { invoice } = await buildInvoice(ctx, { store });
    await buildPayment(ctx, invoice.id, { state: "confirmed", amountSats: invoice.dueSats + 5_000n });
    await changeInvoice(ctx, invoice.id);
    await sendNotices(ctx); // writes the notice, and waits for more
    await db.query("UPDATE reviews SET resolved_at = now(), resolution = 'kept'");
    expect(await sweep()).to.equal(0);
    expect(mailbox.mails).to.deep.equal([]);
    expect(await db.query("SELECT 1 FROM notices WHERE sent_at IS NULL")).to.deep.equal([]);
  });

  it("end at once with the membership", async () => {
    const { userId } = await member({ kinds: ["paid"] });
    await removeStoreMember(ctx, { storeId: store.id, userId });
    expect(await db.manager.countBy(MailChoice, { userId })).to.equal(0);
  });

  it("are not sent to somebody who is no longer a member, whose choice is deleted", async () => {
    const { userId } = await member({ kinds: ["paid"] });
    await pay("A-1");
    await db.manager.delete(StoreMember, { userId });
    expect(await sweep()).to.equal(0);
    for (const run of PRUNE_NOTICES) await run(db.manager, await ctx.now(db.manager));
    expect(await db.manager.countBy(MailChoice, {})).to.equal(0);
  });

  it("summarise each day once, and after an outage of days all of them", async () => {
    await member({ summary: "daily" });
    await pay("A-1");
    expect(await sweep()).to.equal(0);
    ctx.clock.freeze(new Date("2026-03-05T07:00:00Z"));
    await sendNotices(ctx);
    expect(await sweep()).to.equal(1);
    expect(await sweep()).to.equal(0);
    expect(texts()[0]).to.contain(
      "Summary of 2026-03-04\r\nReceived: 100000 sats on-chain, 0 sats by Lightning",
    );
    expect(texts()[0]).to.contain("Sold: 100000 SATS");
    ctx.clock.advance(3 * DAY);
    await sendNotices(ctx);
    expect(await sweep()).to.equal(1);
    expect(texts()[1]).to.contain("Summary of 2026-03-05 to 2026-03-07");
  });

  it("are sent though a store's time zone is known only to a newer version of Node", async () => {
    const other = await buildStore(ctx, { name: "From tomorrow" });
    await member({ summary: "daily" }, other);
    await member({ kinds: ["paid"] });
    await ctx.db.manager.update(Store, other.id, { timeZone: "Mars/Olympus" });
    await pay("A-1");
    ctx.clock.freeze(new Date("2026-03-05T07:00:00Z"));
    await sendNotices(ctx);
    await sweep();
    const all = texts().join("\n");
    expect(all).to.contain("A-1: 100000 SATS");
    expect(all)
      .to.contain('Store "From tomorrow". Times are in UTC.')
      .and.to.contain("Summary of 2026-03-04");
  });
});
