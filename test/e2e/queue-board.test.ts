import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { attemptWebhook } from "../../commands/attempt-webhook";
import { createInvoice } from "../../commands/create-invoice";
import { createWebhook } from "../../commands/create-webhook";
import { createDataSource } from "../../entities/data-source";
import { testUser, type TestUser } from "../api/dashboard/user";
import { startApi, type TestApi } from "../api/server";
import { startBrowser } from "../support/browser";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { startReceiver, type Receiver } from "../support/receiver";

describe("the queues' board in a browser", function () {
  this.timeout(60_000);
  let browser: Browser;
  let api: TestApi;
  let admin: TestUser;
  let queues: Queues;
  let receiver: Receiver;
  let closeWorker: () => Promise<void>;
  let deliveryId: string;
  /** What came from another host than ours. */
  const strangers: string[] = [];
  const errors: string[] = [];

  before(async function () {
    const started = await startBrowser();
    if (started === null) return this.skip();
    browser = started;
    const databaseUrl = await testDatabaseUrl();
    await migrateQueues(databaseUrl);
    const db = createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" });
    await db.initialize();
    const ctx = await testContext({ db, enqueue: (...job) => queues.enqueue(...job) });
    queues = connectQueues(
      { REDIS_URL: undefined, DATABASE_URL: databaseUrl },
      { log: ctx.log, worker: true },
    );
    api = await startApi({ db, parts: { queueBoard: queues.board } });
    admin = await testUser(api, { admin: true });
    receiver = await startReceiver();
    receiver.answer("/hook", { kind: "status", status: 500 });
    const worker = queues.startWorker("webhook-delivery", (work) => attemptWebhook(ctx, work), {
      concurrency: 1,
      onFatal: (error) => {
        throw error;
      },
    });
    closeWorker = () => worker.close();
    const { storeId } = await api.store();
    await createWebhook(ctx, { storeId, url: `${receiver.url}/hook`, events: ["New"] });
    await createInvoice(ctx, storeId, { amount: "1000", currency: "SATS" });
    await eventually(async () => (await queues.stats())["webhook-delivery"]?.failed === 1);
    deliveryId = receiver.at("/hook")[0]?.headers["x-service-delivery-id"] ?? "none";
  });
  after(async () => {
    await browser?.close();
    await closeWorker?.();
    await queues?.close();
    await api?.stop();
    await receiver?.close();
  });

  async function open(path: string): Promise<Page> {
    const context = await browser.newContext();
    const [name = "", value = ""] = admin.cookie.split("=");
    await context.addCookies([{ name, value, url: api.base }]);
    const page = await context.newPage();
    page.on("response", (response) => {
      if (!response.url().startsWith(api.base)) strangers.push(response.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${api.base}/admin/queues${path}`);
    return page;
  }

  it("sends a failed delivery again at the press of its button", async () => {
    const page = await open("/queue/webhook-delivery?status=failed");
    await page.getByText("http-500").waitFor();
    receiver.answer("/hook", { kind: "status", status: 200 });
    // The buttons of a job have no names but their tooltips'.
    await page.locator('[class*="jobActions-"] button').first().click();
    await page.getByRole("button", { name: "Confirm" }).click();
    await eventually(() => receiver.at("/hook").length === 2);
    expect(receiver.at("/hook")[1]?.headers).to.include({
      "x-service-attempt": "2",
      "x-service-delivery-id": deliveryId,
    });
  });

  it("shows every queue under its policy, and asks nothing of another host", async () => {
    const page = await open("");
    for (const name of ["invoices", "confirmations", "invoice-expiry", "webhook-delivery", "reconcile"])
      await page.getByRole("link", { name, exact: true }).first().waitFor();
    expect(strangers).to.deep.equal([]);
    // The one thing that its page wants and does not get; with it gone this list is empty.
    expect(errors.filter((text) => !text.includes("https://fonts.googleapis.com/"))).to.deep.equal([]);
  });
});
