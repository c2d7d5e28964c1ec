import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { attemptWebhook } from "../../commands/webhooks/attempt-webhook";
import { createInvoice } from "../../commands/invoices/create-invoice";
import type { Jobs } from "../../commands/jobs";
import { raiseAlert } from "../../commands/server/raise-alert";
import type { Store } from "../../entities/store";
import type { TestContext } from "../support/context";
import { inspect, startDashboard, type Dashboard } from "../support/dashboard";
import { eventually } from "../support/eventually";
import { buildStore, buildWebhook } from "../support/factories";
import { guidePicture } from "../support/guide-picture";
import {
  serviceSignatureHolds,
  standardSignatureHolds,
  startReceiver,
  type Received,
  type Receiver,
} from "../support/receiver";
import { inTransaction } from "../../commands/transaction";

const EMAIL = "olga@shop.example";
const HOOK = "/webhooks/bitcoin";
/** The first row's link: each character after which it goes on lower. */
const LINE_ENDS = `[...document.querySelector("a[data-row]").childNodes]
  .flatMap((node) =>
    [...node.data ?? ""].map((character, at) => {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return { character, top: range.getBoundingClientRect().top };
    }))
  .filter(({ top }, at, all) => all[at + 1]?.top > top + 4)
  .map(({ character }) => character)
  .join("")`;

describe("a store's webhooks, deliveries and alerts in a browser", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let ctx: TestContext;
  let receiver: Receiver;
  let page: Page;
  let store: Store;
  let secret: string;
  let webhookPath: string;

  before(async function () {
    const started = await startDashboard();
    if (started === null) return this.skip();
    dashboard = started;
    ctx = dashboard.ctx;
    receiver = await startReceiver();
    page = await dashboard.newUser(EMAIL);
    store = await buildStore(ctx, { name: "Tea shop" });
    await dashboard.join(store.id, EMAIL);
  });
  after(async () => {
    await dashboard?.stop();
    await receiver?.close();
  });
  afterEach(() => expect(dashboard.complaints.splice(0)).to.deep.equal([]));

  /** The worker sends what is to be sent. */
  async function work(): Promise<void> {
    for (let job = ctx.jobs.shift(); job; job = ctx.jobs.shift())
      if (job.queue === "webhook-delivery") {
        const { deliveryId } = job.payload as Jobs["webhook-delivery"];
        await attemptWebhook(ctx, { deliveryId });
      }
  }

  async function invoice(orderId: string): Promise<string> {
    const { invoice: made } = await createInvoice(ctx, store.id, {
      amount: "12.50",
      currency: "EUR",
      metadataJson: JSON.stringify({ orderId, note: "<b>two</b> pounds of tea" }),
    });
    await work();
    return made.id;
  }

  const answers = (status: number, body = "ok"): void =>
    receiver.answer(HOOK, { kind: "status", status, body });
  const last = (): Received => receiver.at(HOOK).at(-1)!;
  const heading = (name: string, level = 1) => page.getByRole("heading", { name, level }).waitFor();
  const open = (path: string) => page.goto(`${dashboard.base}/stores/${store.id}${path}`);
  const toast = (text: string) => page.getByRole("alert").filter({ hasText: text }).last().waitFor();
  const table = (name = "Deliveries"): Locator => page.getByRole("table", { name });
  const press = (name: string, within: Page | Locator = page) =>
    within.getByRole("button", { name, exact: true }).click();
  const shownRows = (count: number, name?: string) =>
    eventually(async () => expect(await table(name).getByRole("row").count()).to.equal(count + 1));
  const counted = (state: string, count: number) =>
    eventually(async () => expect(await table().getByText(state, { exact: true }).count()).to.equal(count));
  const shownSecret = async (): Promise<string> =>
    (await page.getByRole("group", { name: "Secret" }).locator("pre").textContent()) ?? "";

  it("registers an endpoint, and shows its secret once", async () => {
    await open("/webhooks");
    await page.getByText("No webhooks yet").waitFor();
    await inspect(page, "webhooks-empty");
    await page.getByRole("button", { name: "Register a webhook" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Endpoint URL").fill("ftp://shop.example/hook");
    await press("Register", dialog);
    await dialog.getByText("The URL must begin with https://.").waitFor();
    for (const type of ["New", "Processing", "Settled", "Expired", "Invalid"])
      await dialog.getByLabel(type, { exact: true }).uncheck();
    await press("Register", dialog);
    await dialog.getByText("Choose at least one event.").waitFor();
    await inspect(page, "webhook-register");
    await dialog.getByLabel("New", { exact: true }).check();
    await dialog.getByLabel("Settled", { exact: true }).check();
    await dialog.getByLabel("Endpoint URL").fill(`${receiver.url}${HOOK}`);
    await press("Register", dialog);
    await page.getByText("The webhook is registered").waitFor();
    secret = await shownSecret();
    expect(secret).to.match(/^whsec_/);
    await inspect(page, "webhook-secret");
    await page.keyboard.press("Escape");
    expect(await shownSecret()).to.equal(secret);
    await press("I have saved it");
    await heading("Webhook");
    webhookPath = new URL(page.url()).pathname.replace(/^\/stores\/[^/]+/, "");
    await page.getByText("No deliveries yet").waitFor();
    await page.reload();
    await heading("Webhook");
    expect(await page.content()).not.to.include(secret);
    await inspect(page, "webhook-new");
  });

  it("sends a test event of a chosen type, and shows the answer as it comes", async () => {
    answers(200);
    await open(webhookPath);
    await page.getByRole("combobox", { name: "Event" }).first().click();
    await page.getByRole("option", { name: "Expired" }).click();
    await press("Send test event");
    await toast("The test event is being sent.");
    await table().getByText("pending").waitFor();
    await work();
    await table().getByText("delivered").waitFor();
    await table().getByText("HTTP 200").waitFor();
    await table().getByText("test", { exact: true }).waitFor();
    expect(JSON.parse(last().body.toString())).to.include({ type: "Expired" });
    expect(last().headers).to.include({ "x-service-test": "true" });
    expect(serviceSignatureHolds(last(), secret)).to.equal(true);
  });

  it("marks failed deliveries, and sends them again by hand: one, those selected, and all", async () => {
    answers(500, "<script>alert(1)</script> out of order");
    await open(webhookPath);
    for (let n = 1; n <= 6; n += 1) await invoice(`A-${n}`);
    await counted("failed", 6);
    await page.getByText("6 failed in a row").waitFor();
    await inspect(page, "webhook-failed");
    await guidePicture(page, "deliveries");
    answers(200);
    await page.getByRole("group", { name: "State" }).getByText("failed").click();
    await page.waitForURL(/\?state=failed$/);
    await shownRows(6);
    await press("Redeliver New", table().getByRole("row").nth(1));
    await toast("It is being redelivered.");
    await work();
    await shownRows(5);
    await page.getByText("the last one was delivered").waitFor();
    await open("/webhooks");
    await page.getByText("the last one was delivered").waitFor();
    await page.getByRole("link", { name: "5", exact: true }).click();
    await page.waitForURL(/\?state=failed$/);
    await open("");
    await page.getByText("Failed deliveries").waitFor();
    await page.getByRole("link", { name: "5", exact: true }).click();
    await page.waitForURL(/\?state=failed$/);
    await shownRows(5);
    expect(last().headers).to.include({ "x-service-attempt": "2" });

    for (const n of [1, 2]) await table().getByRole("row").nth(n).getByRole("checkbox").check();
    await page.getByText("2 selected").waitFor();
    await inspect(page, "webhook-selected");
    await press("Redeliver selected");
    await toast("2 deliveries are being redelivered.");
    await work();
    await shownRows(3);

    await press("Redeliver all failed");
    await inspect(page, "webhook-redeliver-all");
    await press("Redeliver all", page.getByRole("dialog"));
    await toast("3 deliveries are being redelivered.");
    await work();
    await page.getByText("No matching deliveries").waitFor();
    await inspect(page, "webhook-nothing-fits");
    await press("Show all deliveries");
    await shownRows(7);
    await counted("delivered", 7);
    await press("Redeliver all failed");
    await press("Redeliver all", page.getByRole("dialog"));
    await toast("There are no failed deliveries.");
    expect(receiver.at(HOOK).filter(({ headers }) => headers["x-service-attempt"] === "2")).to.have.length(6);
  });

  it("finds deliveries by filters that are in the address", async () => {
    const invoiceId = await invoice("B-1");
    await open(webhookPath);
    await shownRows(8);
    await press("Filters");
    await page.getByLabel("Invoice ID").fill(invoiceId);
    await shownRows(1);
    await page.reload();
    await shownRows(1);
    await press("Filters (1)");
    await press("Filters (1)");
    await page.getByLabel("Invoice ID").fill("");
    await shownRows(8);
    await page.getByRole("search").getByRole("combobox", { name: "Event" }).click();
    await page.getByRole("option", { name: "Expired" }).click();
    await shownRows(1);
    await page.getByLabel("Until").fill("2020-01-01");
    await page.getByText("No matching deliveries").waitFor();
    await page.waitForURL(/type=Expired&to=2020-01-01|to=2020-01-01&type=Expired/);
    await page.getByLabel("Until").fill("");
    await shownRows(1);
    await inspect(page, "webhook-filters");
  });

  it("shows each attempt's request and answer as text, and redelivers from there", async () => {
    answers(503, "<img src=x onerror=alert(1)> come back later");
    await invoice("C-1");
    await open(`${webhookPath}?state=failed`);
    await page.getByRole("link", { name: "New", exact: true }).click();
    await heading("Delivery of New");
    await page
      .getByText(/The endpoint answered 503/)
      .first()
      .waitFor();
    await page.getByText("X-Service-Sig").waitFor();
    const { body } = last();
    await page.getByText(body.toString(), { exact: true }).waitFor();
    await page.getByText("<img src=x onerror=alert(1)> come back later", { exact: true }).waitFor();
    await inspect(page, "delivery-failed");
    await guidePicture(page, "delivery");
    answers(200);
    await press("Redeliver New");
    await page.getByText("It is being sent.").waitFor();
    await work();
    await page.getByText("The endpoint accepted it.").waitFor();
    await page.getByText("Attempt 2, by hand").waitFor();
    await page.getByText("Attempt 1, automatic").waitFor();
    expect(last().body).to.deep.equal(body);
    await inspect(page, "delivery");
  });

  it("rotates the secret: the new one is shown once, and the old one signs on for a while", async () => {
    await open(webhookPath);
    await press("Rotate secret");
    await inspect(page, "webhook-rotate");
    await press("Rotate secret", page.getByRole("dialog"));
    await page.getByText("The new secret").waitFor();
    const fresh = await shownSecret();
    expect(fresh)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    await press("I have saved it");
    await invoice("D-1");
    expect(serviceSignatureHolds(last(), fresh)).to.equal(true);
    expect(serviceSignatureHolds(last(), secret)).to.equal(false);
    expect(standardSignatureHolds(last(), secret)).to.equal(true);
  });

  it("changes the endpoint and its events, and is switched off", async () => {
    await open(webhookPath);
    await press("Edit the webhook");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Processing", { exact: true }).check();
    await dialog.getByLabel("Endpoint URL").fill(`${receiver.url}/other`);
    await dialog.getByRole("switch", { name: "Enabled" }).uncheck({ force: true });
    await press("Save", dialog);
    await toast("Saved");
    await page.getByText("disabled").waitFor();
    await page.getByText("New, Processing, Settled").waitFor();
    await invoice("E-1");
    await counted("skipped", 1);
    await inspect(page, "webhook-off");
    await press("Redeliver New", table().getByRole("row").nth(1));
    await toast("It is being redelivered.");
    await work();
    expect(receiver.at("/other")).to.have.length(1);
    await open("/webhooks");
    await page.getByText(`${receiver.url}/other`).waitFor();
    await inspect(page, "webhooks");
  });

  it("shows alerts by its bell, and resolves them", async () => {
    await open("/alerts");
    await page.getByRole("button", { name: /^Alerts: \d open/ }).waitFor({ state: "detached" });
    await page.getByText("No open alerts").waitFor();
    await inspect(page, "alerts-empty");
    const invoiceId = await invoice("F-1");
    const about = { storeId: store.id, subject: invoiceId, invoiceId };
    await inTransaction(ctx, async (tx) => {
      await raiseAlert(tx, {
        ...about,
        kind: "payment-before-invoice",
        severity: "warning",
        message: "A payment is older than the invoice and is not counted.",
      });
      await raiseAlert(tx, {
        storeId: store.id,
        subject: store.id,
        kind: "gap-limit",
        severity: "critical",
        message:
          "The wallet has given out 900 addresses in a row that were not paid. Wallets that look for fewer will not show payments to the next ones: raise their gap limit.",
      });
    });
    await page.getByRole("button", { name: "Alerts: 2 open" }).waitFor();
    await shownRows(2, "Alerts");
    await inspect(page, "alerts");
    const late = table("Alerts").getByRole("row").filter({ hasText: "older than the invoice" });
    await press("Resolve", late);
    await toast("Resolved.");
    await shownRows(1, "Alerts");
    await page.getByRole("button", { name: "Alerts: 1 open" }).waitFor();
    await page.getByRole("radiogroup", { name: "Which alerts" }).getByText("Resolved").click();
    await page.waitForURL(/alerts\?state=resolved$/);
    await late.waitFor();
    await inspect(page, "alerts-resolved");
    await late.getByRole("link", { name: "Invoice" }).click();
    await heading("F-1");
  });

  it("deletes a webhook, whose deliveries can still be read and sent", async () => {
    await open(webhookPath);
    await press("Delete");
    await press("Delete webhook", page.getByRole("dialog"));
    await toast("The webhook is deleted.");
    await heading("Webhooks");
    await page.getByText("No webhooks yet").waitFor();
    await open(webhookPath);
    await page.getByText("This webhook was deleted").waitFor();
    await table().getByRole("button", { name: "Redeliver Expired" }).waitFor();
    await inspect(page, "webhook-deleted");
  });

  it("pages through a long list, and selects from what is shown", async () => {
    const { webhookId } = await buildWebhook(ctx, store, `${receiver.url}/many`);
    receiver.answer("/many", { kind: "status", status: 410 });
    for (let n = 1; n <= 55; n += 1) await invoice(`G-${n}`);
    await open(`/webhooks/${webhookId}`);
    await shownRows(50);
    await page.getByLabel("Select all shown").check();
    await page.getByText("50 selected").waitFor();
    await press("Show more");
    await shownRows(55);
    await page.getByText("50 selected").waitFor();
    await press("Redeliver all failed");
    await press("Redeliver all", page.getByRole("dialog"));
    await toast("55 deliveries are being redelivered.");
  });

  it("breaks an endpoint between its words on a laptop's screen", async () => {
    const shop = await buildStore(ctx, { name: "Coffee shop" });
    await dashboard.join(shop.id, EMAIL);
    const url = `${receiver.url}/wp-json/woocommerce/btcpay/v1/webhooks/payments`;
    await buildWebhook(ctx, shop, url);
    await page.goto(`${dashboard.base}/stores/${shop.id}/webhooks`);
    await page.getByRole("link", { name: url }).waitFor();
    expect(await page.evaluate(LINE_ENDS)).to.match(/^[/-]*$/);
  });
});
