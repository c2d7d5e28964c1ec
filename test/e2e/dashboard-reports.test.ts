import { expect } from "chai";
import type { Page } from "playwright-core";
import { openMail } from "../../adapters/mail";
import { changeInvoice } from "../../commands/invoices/change-invoice";
import { sendNotices } from "../../commands/mails/send-notices";
import { changeWallet } from "../../commands/wallets/change-wallet";
import { MailChoice } from "../../entities/mail-choice";
import { Store } from "../../entities/store";
import { type Dashboard, inspect, startDashboard } from "../support/dashboard";
import { buildInvoice, buildPayment, newXpub } from "../support/factories";
import { type Mailbox, startMailbox } from "../support/mailbox";

describe("a store's reports and mails in a browser", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let page: Page;
  let storeId: string;
  let mailbox: Mailbox;

  before(async function () {
    const started = await startDashboard();
    if (started === null) return this.skip();
    dashboard = started;
    mailbox = await startMailbox();
    dashboard.ctx.sendMail = openMail(mailbox.url).send;
    const { base } = dashboard;
    page = await dashboard.newUser("olga@shop.example");
    const created = await page.request.post(`${base}/api/dashboard/stores`, {
      data: { name: "Tea shop" },
      headers: { origin: base },
    });
    ({ storeId } = (await created.json()) as { storeId: string });
    await changeWallet(dashboard.ctx, storeId, { xpub: newXpub() });
  });
  after(async () => {
    await mailbox?.stop();
    await dashboard?.stop();
  });
  afterEach(() => expect(dashboard.complaints.splice(0)).to.deep.equal([]));

  const heading = (name: string, on = page) => on.getByRole("heading", { name, level: 1 }).waitFor();
  async function pay(): Promise<void> {
    const { ctx } = dashboard;
    const store = await ctx.db.manager.findOneByOrFail(Store, { id: storeId });
    const { invoice } = await buildInvoice(ctx, { store });
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await changeInvoice(ctx, invoice.id);
  }

  it("chooses mails, is sent one, and ends them by its link without a login", async () => {
    const { ctx, base } = dashboard;
    await page.goto(`${base}/stores/${storeId}/settings/mails`);
    await heading("Mails");
    await page.getByLabel("Paid").check();
    await page.getByLabel("Every day, of the day before").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "Saved" }).waitFor();
    await page.reload();
    await heading("Mails");
    expect(await page.getByLabel("Paid").isChecked()).to.equal(true);
    await inspect(page, "mails");

    await pay();
    ctx.clock.advance(60_000);
    expect(await sendNotices(ctx)).to.equal(1);
    const [link = ""] = /\S+\/unsubscribe#\S+/.exec(mailbox.mails[0]?.text ?? "") ?? [];
    const anonymous = await dashboard.newPage();
    await anonymous.goto(link);
    await heading("Stop these mails?", anonymous);
    await inspect(anonymous, "unsubscribe");
    expect(await ctx.db.manager.countBy(MailChoice, {})).to.equal(1);
    await anonymous.getByRole("button", { name: "Stop the mails" }).click();
    await heading("No more mails", anonymous);
    expect(await ctx.db.manager.countBy(MailChoice, {})).to.equal(0);
  });

  it("begins with the month and the days of the store's time zone, whatever the browser's is", async () => {
    const { ctx, base } = dashboard;
    const { timeZone } = await ctx.db.manager.findOneByOrFail(Store, { id: storeId });
    const late = await dashboard.newPage(); // its clock goes its own way
    await late.context().addCookies(await page.context().cookies());
    await late.clock.setFixedTime(new Date("2026-03-31T11:30:00Z"));
    for (const [zone, month, from, to] of [
      ["Etc/GMT-13", "2026-04", "2026-03-03", "2026-04-01"],
      ["Etc/GMT+12", "2026-03", "2026-03-01", "2026-03-30"],
    ] as const) {
      await ctx.db.manager.update(Store, storeId, { timeZone: zone });
      await late.goto(`${base}/stores/${storeId}/books`);
      await heading("Books", late);
      expect(await late.getByLabel("Month", { exact: true }).inputValue(), zone).to.equal(month);
      await late.goto(`${base}/stores/${storeId}/reports`);
      await heading("Reports", late);
      const days = ["From", "To"].map((label) => late.getByLabel(label, { exact: true }).inputValue());
      expect(await Promise.all(days), zone).to.deep.equal([from, to]);
      await late.goto(`${base}/stores/${storeId}`);
      await late.getByText(`Days are those of ${zone}.`).waitFor();
    }
    await ctx.db.manager.update(Store, storeId, { timeZone });
  });

  it("shows pictures first and numbers under them, each with its invoices", async () => {
    await pay();
    await page.goto(`${dashboard.base}/stores/${storeId}`);
    await page.getByRole("link", { name: "Reports" }).click();
    await heading("Reports");
    await page.locator(".recharts-bar-rectangle path").first().waitFor();
    await page.getByText("200,000 sats on-chain and 0 sats by Lightning were confirmed").waitFor();
    await inspect(page, "reports");
    await page.getByText("Months", { exact: true }).click();
    await page.waitForURL(/by=month/);
    await page.getByRole("link", { name: "Invoices of Received" }).click();
    await heading("Invoices");
    await page.waitForURL(/status=Settled/);
    await page.getByRole("table", { name: "Invoices" }).getByRole("row").nth(2).waitFor();
  });
});
