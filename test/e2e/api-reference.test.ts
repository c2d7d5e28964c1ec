import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { startApi, type TestApi } from "../api/server";
import { startBrowser } from "../support/browser";

describe("the API reference in a browser", function () {
  this.timeout(120_000);
  let browser: Browser;
  let api: TestApi;
  let page: Page;
  /** What the browser complained of, and what was fetched from another host. */
  const complaints: string[] = [];

  before(async function () {
    const started = await startBrowser();
    if (started === null) return this.skip();
    browser = started;
    api = await startApi();
    page = await browser.newPage();
    page.setDefaultTimeout(60_000); // it renders every operation, which takes a busy machine half a minute
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith("data:") && !url.startsWith(api.base)) complaints.push(url);
    });
    await page.goto(`${api.base}/docs`);
  });
  after(async () => {
    await browser?.close();
    await api?.stop();
  });

  it("shows the tasks before the operations, each with its first sample open", async () => {
    await page.locator(".opblock").first().waitFor();
    expect(await page.locator(".guide h2").allTextContents()).to.deep.equal([
      "Create an invoice",
      "Receive a webhook",
      "Catch up with the event feed",
      "The webhook request",
      "All operations",
    ]);
    const files = (selector: string) => page.locator(selector).allTextContents();
    expect(await files("details[open] .file")).to.deep.equal([
      "create-invoice.sh",
      "register-webhook.sh",
      "read-events.sh",
    ]);
    await page.getByText("create-invoice.py", { exact: true }).click();
    expect(await files("details[open] .file")).to.deep.equal([
      "create-invoice.py",
      "register-webhook.sh",
      "read-events.sh",
    ]);
    expect(await page.getByText("def create_invoice(order):").isVisible()).to.equal(true);
  });

  it("links from its head to the webhook request, and to the request as an operation", async () => {
    await page.getByRole("link", { name: "The webhook request" }).click();
    const header = page.getByRole("rowheader", { name: "webhook-signature" });
    await header.scrollIntoViewIfNeeded();
    expect(await header.isVisible()).to.equal(true);
    await page.locator("#operations-webhooks-invoiceEvent .opblock-summary-control").click();
    await page.locator(".parameter__name", { hasText: "x-service-sig" }).waitFor();
    await page.reload();
    await page.locator(".parameter__name", { hasText: "x-service-sig" }).waitFor();
  });

  it("shows a curl sample in each operation", async () => {
    await page.locator("#operations-Invoices-createInvoice .opblock-summary-control").click();
    const sample = page.locator("#operations-Invoices-createInvoice .curl");
    await sample.waitFor();
    expect(await sample.textContent()).to.match(
      /^curl -sS -X POST "\$BASE_URL\/api\/v1\/stores\/\$STORE_ID\/invoices"/,
    );
    const excess = await page.evaluate(
      "document.querySelector('#api .curl').getBoundingClientRect().right - window.innerWidth",
    );
    expect(excess).to.be.at.most(0);
  });

  it("is no wider than a phone's screen, except code and tables, which scroll", async () => {
    await page.setViewportSize({ width: 360, height: 700 });
    const excess = await page.evaluate("document.querySelector('.guide').scrollWidth - window.innerWidth");
    expect(excess).to.be.at.most(0);
  });

  it("violates no rule of its content security policy, and requests nothing from another host", () => {
    expect(complaints).to.deep.equal([]);
  });
});
