import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { connectQueues, type Queues } from "../../adapters/queues/connect";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { attemptWebhook } from "../../commands/webhooks/attempt-webhook";
import { createInvoice } from "../../commands/invoices/create-invoice";
import { createWebhook } from "../../commands/webhooks/create-webhook";
import { createDataSource } from "../../database/data-source";
import { testUser, type TestUser } from "../api/dashboard/user";
import { startApi, type TestApi } from "../api/server";
import { startBrowser } from "../support/browser";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { startReceiver, type Receiver } from "../support/receiver";

describe("the queues' board in a browser", function () {
  this.timeout(300_000);
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
    queues = connectQueues({ REDIS_URL: undefined, DATABASE_URL: databaseUrl }, { log: ctx.log, workers: 1 });
    api = await startApi({ db, parts: { queueBoard: queues.board } });
    api.ctx.enqueue = (...job) => queues.enqueue(...job);
    admin = await testUser(api, { admin: true });
    receiver = await startReceiver();
    const worker = queues.startWorker("webhook-delivery", (work) => attemptWebhook(ctx, work), {
      concurrency: 1,
      onFatal: (error) => {
        throw error;
      },
    });
    closeWorker = () => worker.close();
    const { storeId } = await api.store();
    await createWebhook(ctx, { storeId, url: `${receiver.url}/hook`, events: ["New"] });
    receiver.answer("/hook", { kind: "status", status: 500 });
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

  /** What a page asks again and again of a job that is done would be an error of another test. */
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
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

  /** What may be pressed in the page's own part: not the head, the menu of queues and the pagination. */
  async function offered(page: Page): Promise<string[]> {
    const found = page.locator(
      'main button:visible, [role="menuitem"]:visible, [role="dialog"] button:visible',
    );
    const names: string[] = [];
    for (const one of await found.all()) {
      const text = (await one.textContent()) ?? "";
      const icon = async () => (await one.locator("svg").first().getAttribute("class")) ?? "";
      names.push(text === "" ? (/lucide-[a-z0-9-]+/.exec(await icon())?.[0] ?? "") : text);
    }
    return names;
  }

  it("shows no button that would be refused", async () => {
    const page = await open("/queue/webhook-delivery?status=failed");
    await page.getByText("http-500").waitFor();
    const tabs = ["Error", "Data", "Progress", "Options", "Logs"];
    expect(await offered(page)).to.deep.equal(["Retry all", "lucide-refresh-cw", ...tabs]);
    for (const path of [`/queue/webhook-delivery/${deliveryId}`, "/queue/webhook-delivery"]) {
      const job = await open(path);
      await job.getByText("http-500").waitFor();
      expect(await offered(job), path).to.deep.equal(["lucide-refresh-cw", ...tabs]);
    }
    const all = await open("");
    await all.locator("button:has(> .lucide-ellipsis-vertical):visible").click();
    await all.getByRole("menuitem").first().waitFor();
    expect(await all.getByRole("menuitem").filter({ visible: true }).allTextContents()).to.deep.equal([
      "Retry 1 failed jobs in all queues",
      "Sort by",
    ]);
  });

  it("links a job to its delivery in the dashboard", async () => {
    const page = await open("/queue/webhook-delivery?status=failed");
    const link = page.getByRole("link", { name: "Delivery", exact: true });
    expect(await link.getAttribute("href")).to.equal(`/deliveries/${deliveryId}`);
  });

  it("shows every queue under its policy, and requests nothing of another host", async () => {
    const page = await open("");
    for (const name of ["invoices", "confirmations", "invoice-expiry", "webhook-delivery"])
      await page.getByRole("link", { name, exact: true }).first().waitFor();
    expect(strangers).to.deep.equal([]);
    // The one thing that its page wants and does not get; with it gone this list is empty.
    expect(errors.filter((text) => !text.includes("https://fonts.googleapis.com/"))).to.deep.equal([]);
  });

  it("retries a failed job by its button, with the next attempt of the same delivery", async () => {
    receiver.answer("/hook", { kind: "status", status: 200 });
    const page = await open("/queue/webhook-delivery?status=failed");
    await page.locator('[class*="jobActions-"] button').first().click();
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    const sent = () => receiver.at("/hook").map(({ headers }) => headers["x-service-delivery-id"]);
    await eventually(() => expect(sent()).to.deep.equal([deliveryId, deliveryId]));
  });
});
