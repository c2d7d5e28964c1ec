import { expect } from "chai";
import type { Page } from "playwright-core";
import { en } from "../../domain/languages/texts/en";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import { createPaymentLink } from "../../commands/payment-links/write-payment-link";
import type { Store } from "../../entities/store";
import { builtCheckout } from "../support/built-checkout";
import { leaveAfterEach, type Visitors, visitorsWith } from "../support/checkout";
import { inspect, startDashboard, type Dashboard } from "../support/dashboard";
import { buildStore } from "../support/factories";

const EMAIL = "olga@shop.example";

describe("payment links in a browser", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let visitors: Visitors;
  let store: Store;

  before(async function () {
    const started = await startDashboard({ checkout: await builtCheckout() });
    if (started === null) return this.skip();
    dashboard = started;
    visitors = visitorsWith(dashboard.browser);
    store = await buildStore(dashboard.ctx, { name: "Tea shop" });
  });
  after(() => dashboard?.stop());
  leaveAfterEach(() => visitors);

  const paidBy = (page: Page) =>
    markInvoice(dashboard.ctx, store.id, new URL(page.url()).pathname.split("/").at(-1) ?? "", {
      status: "Settled",
    });

  it("are made by the shop's owner, and paid by a customer at the keys of a till", async () => {
    const owner = await dashboard.newUser(EMAIL);
    await dashboard.join(store.id, EMAIL);
    await owner.goto(`${dashboard.base}/stores/${store.id}/payment-links`);
    await owner.getByText("No payment links yet").waitFor();
    await owner.getByRole("button", { name: "New payment link" }).first().click();
    const dialog = owner.getByRole("dialog");
    await dialog.getByLabel("Description").fill("At the till");
    await dialog.getByLabel("Currency").fill("EUR");
    await dialog.getByLabel("Amounts").fill("5,10,20");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Must be a decimal string").waitFor();
    await dialog.getByText("Entered by the customer").click();
    await dialog.getByLabel("Least").fill("600");
    await dialog.getByLabel("Most").fill("500");
    await dialog.getByLabel("Order IDs begin with").fill("till-");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Must not be above maxAmount.").waitFor();
    await inspect(owner, "payment-link-new");
    await dialog.getByLabel("Least").fill("0,50");
    await dialog.getByRole("button", { name: "Create" }).click();
    await owner.getByRole("img", { name: "QR code of the payment link" }).waitFor();
    await inspect(owner, "payment-link");
    const address = await owner.getByRole("link", { name: "A page to print" }).getAttribute("href");

    const page = await visitors.newPage();
    await page.goto((address ?? "").replace(/\/print$/, ""));
    for (const key of ["1", "2", ".", "5", "5"])
      await page.getByRole("button", { name: key, exact: true }).click();
    await page.getByRole("button", { name: en.linkDelete }).click();
    expect(await page.getByLabel(en.linkOwn).first().inputValue()).to.equal("12.5");
    await inspect(page, "payment-link-keypad");
    await page.getByRole("button", { name: en.linkPay }).click();
    await page.getByText("€12.50").first().waitFor();
    await page.locator(".qr").first().waitFor();
    await paidBy(page);
    await page.getByRole("heading", { name: en.acceptedTitle }).waitFor();
    await page.getByText("till-1").first().waitFor();
    await page.getByRole("link", { name: en.linkNext }).click();
    await page.getByRole("button", { name: en.linkPay }).waitFor();
    expect(dashboard.complaints.splice(0)).to.deep.equal([]);
  });

  it("work without JavaScript: a refused amount, and a choice", async () => {
    const { ctx } = dashboard;
    const common = { currency: "SATS", maxPerDay: 100 };
    const own = await createPaymentLink(ctx, store.id, {
      ...common,
      description: "Donation",
      minAmount: "1000",
      maxAmount: "50000",
    });
    const choice = await createPaymentLink(ctx, store.id, {
      ...common,
      description: "Tea",
      amounts: ["10000", "25000"],
    });
    const page = await visitors.newPage({ javaScriptEnabled: false });
    await page.goto(`${dashboard.base}/p/${own.link.id}`);
    expect(await page.locator(".keypad").isVisible()).to.equal(false);
    await page.locator("#link-amount").fill("999");
    await page.getByRole("button", { name: en.linkPay }).click();
    await page.getByText(en.linkNotOffered).waitFor();
    await page.locator("#link-amount").fill("1000");
    await page.getByRole("button", { name: en.linkPay }).click();
    await page.locator(".qr").first().waitFor();
    await page.goto(`${dashboard.base}/p/${choice.link.id}`);
    await page.getByRole("button", { name: "25,000 sats" }).click();
    await page.locator(".qr").first().waitFor();
    const shown = await visitors.newPage();
    for (const rest of ["", "/print"]) {
      await shown.goto(`${dashboard.base}/p/${choice.link.id}${rest}`);
      await inspect(shown, `payment-link-choice${rest.replace("/", "-")}`);
    }
  });
});
