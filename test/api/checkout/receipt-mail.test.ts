import { expect } from "chai";
import { en } from "../../../domain/languages/texts/en";
import { PHASES } from "../../../domain/invoice/phase";
import { InvoiceHistory } from "../../../entities/invoice-history";
import { ReceiptMail } from "../../../entities/receipt-mail";
import { Store } from "../../../entities/store";
import { checkoutStore, checkoutStories } from "../../stories/checkout-stories";
import { sendReceipts } from "../../../commands/mails/send-receipts";
import { eventually } from "../../support/eventually";
import { readEvents } from "../../support/event-reader";
import { startApi, type TestApi } from "../server";

interface State {
  poll: boolean;
  html: string;
}

const EMAIL = "olga@customer.example";

describe("asking for a receipt by mail on the checkout", function () {
  this.timeout(60_000);
  let api: TestApi;
  let store: Store;
  let stories: ReturnType<typeof checkoutStories>;
  before(async () => {
    api = await startApi();
    api.ctx.sendMail = () => Promise.resolve();
    store = await checkoutStore(api.ctx);
    await api.db.manager.update(Store, store.id, { receiptsByMail: true });
    stories = checkoutStories(api.ctx, store);
  });
  after(() => api.stop());

  const leave = (id: string, receiptEmail: string, query = "") =>
    fetch(`${api.base}/i/${id}${query}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin: api.base },
      body: String(new URLSearchParams({ receiptEmail })),
      redirect: "manual",
    });
  const page = async (id: string): Promise<string> => (await fetch(`${api.base}/i/${id}`)).text();
  const stored = (invoiceId: string) => api.db.manager.findOneBy(ReceiptMail, { invoiceId });

  it("is offered while the invoice may be paid, and after that; without scripts once it is paid", async () => {
    const offered: string[] = [];
    for (const phase of PHASES) {
      const { id } = await stories.invoiceIn(phase);
      const markup = await page(id);
      if (!markup.includes(en.receiptMailLabel)) continue;
      const scripted = /<section\s+class="asking help scripted"/.test(markup);
      expect(markup.includes('http-equiv="refresh"'), `${phase} reloads`).to.equal(scripted);
      offered.push(scripted ? `${phase} (scripts)` : phase);
    }
    expect(offered).to.deep.equal([
      "waiting (scripts)",
      "partial (scripts)",
      "checking (scripts)",
      "seen (scripts)",
      "paid",
      "overpaid",
      "paidLate",
    ]);
  });

  it("is offered neither by another store nor without a mail server", async () => {
    const other = await checkoutStore(api.ctx);
    const { id } = await checkoutStories(api.ctx, other).invoiceIn("paid");
    expect(await page(id)).not.to.include(en.receiptMailLabel);
    expect((await leave(id, EMAIL)).status).to.equal(409);
    const mine = await stories.invoiceIn("paid");
    const { sendMail } = api.ctx;
    api.ctx.sendMail = null;
    const answer = await leave(mine.id, EMAIL);
    api.ctx.sendMail = sendMail;
    expect([answer.status, await stored(mine.id)]).to.deep.equal([409, null]);
  });

  it("redirects to the page, which shows only the ends of the address and lets it be corrected", async () => {
    const { id } = await stories.invoiceIn("paid");
    const answer = await leave(id, ` Olga@Customer.example `, "?lang=fa");
    expect([answer.status, answer.headers.get("location")]).to.deep.equal([303, `/i/${id}?lang=fa#receipt`]);
    expect(await stored(id)).to.include({ email: EMAIL, language: "fa", storeId: store.id });
    const shown = (await page(id)) + (await (await fetch(`${api.base}/i/${id}/state`)).text());
    expect(shown).to.include("o…@c….example").and.to.include(en.receiptMailLabel);
    expect(shown).not.to.include("customer.example");
    expect((await leave(id, EMAIL)).status, "again").to.equal(303);
    const entries = await api.db.manager.findBy(InvoiceHistory, { invoiceId: id });
    expect(
      entries.filter(({ kind }) => kind === "receipt-asked").map(({ details }) => details),
    ).to.deep.equal([{}]);
    expect((await leave(id, "right@customer.example")).status).to.equal(303);
    expect(await stored(id)).to.include({ email: "right@customer.example", asks: 2 });
  });

  it("is followed on the paid page until it is sent", async () => {
    const { id } = await stories.invoiceIn("paid");
    const follows = async () => ((await (await fetch(`${api.base}/i/${id}/state`)).json()) as State).poll;
    const marked = async () => (await page(id)).includes('data-poll="on"');
    expect([await follows(), await marked()]).to.deep.equal([false, false]);
    await leave(id, EMAIL);
    expect([await follows(), await marked()]).to.deep.equal([true, true]);
    let hints = 0;
    const reader = await readEvents(`${api.base}/i/${id}/stream`, { hear: () => (hints += 1) });
    await eventually(() => hints > 0);
    const before = hints;
    await sendReceipts(api.ctx);
    await eventually(() => hints > before);
    reader.close();
    const state = (await (await fetch(`${api.base}/i/${id}/state?lang=en`)).json()) as State;
    expect(state).to.include({ poll: false });
    expect(state.html).to.include(en.receiptMailSent);
  });

  it("refuses what is no address, with a reason beside the field, which keeps the input", async () => {
    const { id } = await stories.invoiceIn("paid");
    for (const typed of [
      "",
      "olga",
      "olga@",
      "a@b.example, c@d.example",
      "a@b.example\r\nBcc: c@d.example",
      `"><script>alert(1)</script>@x.example`,
      `${"x".repeat(300)}@customer.example`,
    ]) {
      const answer = await leave(id, typed);
      expect(answer.status, typed).to.equal(422);
      const markup = await answer.text();
      expect(markup).to.include(`<p class="wrong" id="receipt-wrong">${en.receiptMailWrong}</p>`);
      expect(markup).to.include('aria-describedby="receipt-wrong receipt-hint"');
      expect(markup).not.to.include("<script>alert").and.not.to.include('http-equiv="refresh"');
    }
    expect(await stored(id)).to.equal(null);
  });

  it("accepts no address when one was mailed, or when nothing can be paid any more", async () => {
    const { id } = await stories.invoiceIn("paid");
    await leave(id, EMAIL);
    await api.db.manager.update(ReceiptMail, id, { email: null, sentAt: new Date() });
    expect(await page(id))
      .to.include(en.receiptMailSent)
      .and.not.to.include(en.receiptMailLabel);
    expect((await leave(id, EMAIL)).status).to.equal(409);
    const expired = await stories.invoiceIn("expired");
    const answer = await leave(expired.id, EMAIL);
    expect(answer.status).to.equal(409);
    expect(await answer.text()).to.include(en.receiptMailClosed);
    expect(await stored(expired.id)).to.equal(null);
  });

  it("is in no answer of the API, in no event, and in no search; the history says that it was asked", async () => {
    const shop = await api.store();
    const call = (method: string, path: string, body?: unknown) =>
      api.call(method, `/stores/${shop.storeId}${path}`, { key: shop.apiKey, body });
    expect((await call("PATCH", "", { receiptsByMail: true })).json).to.include({ receiptsByMail: true });
    const { id } = await checkoutStories(api.ctx, { id: shop.storeId } as Store).invoiceIn("paid", {
      currency: "SATS",
      amount: "22728",
    });
    expect((await leave(id, EMAIL)).status).to.equal(303);
    const found = await call("GET", `/invoices?q=${encodeURIComponent(EMAIL)}`);
    expect(found.json.data).to.deep.equal([]);
    const history = await call("GET", `/invoices/${id}/events`);
    expect(history.json.data.map(({ kind }) => kind)).to.include("receipt-asked");
    for (const path of [
      `/invoices/${id}`,
      `/invoices/${id}/events`,
      "/events",
      "/invoices/export?format=json",
    ])
      expect((await call("GET", path)).text, path).not.to.include("customer.example");
  });
});
