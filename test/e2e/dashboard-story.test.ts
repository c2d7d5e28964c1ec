import bs58check from "bs58check";
import { expect } from "chai";
import type { Browser, Locator, Page } from "playwright-core";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { send } from "../api/server";
import { startBrowser } from "../support/browser";
import { PASSWORD, watch } from "../support/dashboard";
import { guidePicture } from "../support/guide-picture";
import { serveDashboard } from "../support/served-dashboard";
import { bodyOf, Service } from "../support/service";

const OWNER = "olga@shop.example";
const FAILED = ".test/screenshots/story-failed.png";
const PRICE_SATS = 50_000;
/** BIP 84's test vector with a test network's version bytes, and its first address on regtest. */
const MAINNET_XPUB =
  "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";
const ACCOUNT_KEY = bs58check.encode(
  Buffer.concat([Buffer.from("043587cf", "hex"), bs58check.decode(MAINNET_XPUB).subarray(4)]),
);
const FIRST_ADDRESS = "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx";

/** Each chapter goes on where the one before ended, as its people do. */
describe("the dashboard's whole story, with every process of the service and a real browser", function () {
  this.timeout(300_000);
  let failedBefore = false;
  let node: SimulatedNode;
  let service: Service;
  let browser: Browser;
  let page: Page;
  let storeId: string;
  let apiKey: string;
  let webhookId: string;
  let deliveryId: string;
  let failedInvoice: string;
  const complaints: string[] = [];

  before(async function () {
    this.timeout(300_000);
    const started = await startBrowser();
    if (started === null) return this.skip();
    browser = started;
    await serveDashboard();
    node = await SimulatedNode.start();
    service = await Service.start({ bitcoindRpcUrl: node.rpcUrl });
    page = await newPage();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await node?.stop();
  });
  beforeEach(() => expect(failedBefore, "an earlier chapter failed").to.equal(false));
  afterEach(async function () {
    failedBefore ||= this.currentTest?.state === "failed";
    if (this.currentTest?.state === "failed" && page !== undefined) {
      await page.screenshot({ path: FAILED });
      process.stderr.write(
        `${page.url()}, in ${FAILED}\n${service.logs().split("\n").slice(-20).join("\n")}\n`,
      );
    }
    expect(complaints.splice(0)).to.deep.equal([]);
  });

  async function newPage(): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(60_000);
    const opened = await context.newPage();
    watch(opened, service.base, complaints);
    return opened;
  }

  const heading = (on: Page, name: string | RegExp) => on.getByRole("heading", { name, level: 1 }).waitFor();
  const button = (on: Page | Locator, name: string) => on.getByRole("button", { name, exact: true });
  const goTo = (on: Page, path: string) => on.goto(`${service.base}${path}`);
  const shownSecret = async (on: Page, label: string): Promise<string> =>
    (await on.getByRole("dialog").getByRole("group", { name: label }).locator("pre").textContent()) ?? "";

  /** As a shop does it. */
  async function createInvoice(orderId: string): Promise<{ invoiceId: string; address: string }> {
    const { status, text, json } = await send(
      `${service.base}/api/v1/stores/${storeId}`,
      "POST",
      "/invoices",
      {
        key: apiKey,
        body: { amount: String(PRICE_SATS), currency: "SATS", metadata: { orderId } },
      },
    );
    expect(status, text).to.equal(201);
    return { invoiceId: json.invoiceId, address: json.paymentMethods[0].destination };
  }

  const linkTo = (on: Page, invoiceId: string): Locator => on.locator(`a[href$="/invoices/${invoiceId}"]`);

  /** A delivery's line on the webhook's page. */
  const line = (invoiceId: string, event: string): Locator =>
    page
      .getByRole("row")
      .filter({ has: linkTo(page, invoiceId) })
      .filter({ has: page.getByRole("link", { name: event, exact: true }) });

  const requests = (invoiceId: string) =>
    service.receiver.at("/story").filter(({ body }) => bodyOf(body).invoiceId === invoiceId);

  it("begins with the command line's link and a password", async () => {
    const { url } = await service.cli<{ url: string }>("user", "create", "--email", OWNER, "--admin");
    await page.goto(url);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await button(page, "Set password").click();
    await heading(page, "Stores");
  });

  it("creates a store, and saves a wallet only after its addresses were compared", async () => {
    await button(page, "New store").click();
    await page.getByRole("dialog").getByLabel("Name").fill("Tea shop");
    await button(page, "Create store").click();
    await page.waitForURL(/\/stores\/\w{44}\/settings\/payment-methods$/);
    storeId = /stores\/(\w{44})/.exec(page.url())?.[1] ?? "";
    await page.getByLabel("Account key or descriptor").fill(ACCOUNT_KEY);
    await button(page, "Show the first addresses").click();
    await page.getByText(FIRST_ADDRESS).waitFor();
    await guidePicture(page, "wallet");
    expect(await button(page, "Save wallet").isDisabled()).to.equal(true);
    await page.getByLabel("My wallet shows the same addresses").check();
    await button(page, "Save wallet").click();
    await button(page, "Use another wallet").waitFor();
  });

  it("shows an API key exactly once", async () => {
    await goTo(page, `/stores/${storeId}/settings/api-keys`);
    await page.getByRole("group", { name: "Store ID" }).getByText(storeId, { exact: true }).waitFor();
    await button(page, "Create API Key").first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("Web shop");
    await button(page, "Create").click();
    apiKey = await shownSecret(page, "API key");
    expect(apiKey).to.match(/^sk_test_\w{49}$/);
    await button(page, "I have saved it").click();
    await page.getByRole("table", { name: "API keys" }).getByText("Web shop").waitFor();
  });

  it("registers a webhook", async () => {
    await goTo(page, `/stores/${storeId}/webhooks`);
    await button(page, "Register a webhook").first().click();
    await page.getByLabel("Endpoint URL").fill(`${service.receiver.url}/story`);
    await button(page, "Register").click();
    expect(await shownSecret(page, "Secret")).to.match(/^whsec_/);
    await button(page, "I have saved it").click();
    await page.waitForURL(/\/webhooks\/wh_?\w+$/);
    webhookId = page.url().split("/").pop() ?? "";
  });

  it("shows deliveries as they happen, from the invoice over HTTP to the payment's block", async () => {
    const { invoiceId, address } = await createInvoice("A-1001");
    await line(invoiceId, "New").getByText("delivered").waitFor();
    const other = await page.context().newPage();
    watch(other, service.base, complaints);
    await goTo(other, `/stores/${storeId}/invoices/${invoiceId}`);
    await other.getByText("New", { exact: true }).first().waitFor();
    await node.pay(address, BigInt(PRICE_SATS));
    await line(invoiceId, "Processing").getByText("delivered").waitFor();
    await node.mine(1);
    await line(invoiceId, "Settled").getByText("delivered").waitFor();
    await other.getByText("Settled", { exact: true }).first().waitFor();
    await guidePicture(other, "invoice");
    await other.close();
    expect(requests(invoiceId).map(({ headers }) => headers["x-service-attempt"])).to.deep.equal([
      "1",
      "1",
      "1",
    ]);
  });

  it("redelivers a failed delivery by its button, the same bytes", async () => {
    service.receiver.answer("/story", { kind: "status", status: 500 });
    ({ invoiceId: failedInvoice } = await createInvoice("A-1002"));
    await line(failedInvoice, "New").getByText("failed").waitFor();
    await guidePicture(page, "deliveries");
    await line(failedInvoice, "New").getByRole("link", { name: "New", exact: true }).click();
    await heading(page, "Delivery of New");
    await page.getByText("http-500", { exact: true }).waitFor();
    await guidePicture(page, "delivery");
    deliveryId = page.url().split("/").pop() ?? "";

    await button(page, "Redeliver New").click();
    await page.getByText("Attempt 2, by hand").waitFor();
    const sent = requests(failedInvoice);
    expect(sent.map(({ headers }) => headers["x-service-delivery-id"])).to.deep.equal([
      deliveryId,
      deliveryId,
    ]);
    expect(sent[1]?.body.equals(sent[0]?.body ?? Buffer.alloc(0))).to.equal(true);
  });

  it("retries the same delivery from the queues' board", async () => {
    service.receiver.answer("/story", { kind: "status", status: 200 });
    const delivery = page.url();
    const board = await page.context().newPage();
    await goTo(board, "/admin/queues/queue/webhook-delivery?status=failed");
    await board.getByText("http-500").first().waitFor();
    await board.locator('[class*="jobActions-"] button').first().click();
    await button(board, "Confirm").click();
    await page.getByText("Attempt 3, by hand").waitFor();
    expect(page.url()).to.equal(delivery);
    await page.getByRole("main").getByText("delivered", { exact: true }).first().waitFor();
    await board.close();
    expect(requests(failedInvoice).map(({ headers }) => headers["x-service-attempt"])).to.deep.equal([
      "1",
      "2",
      "3",
    ]);
    await goTo(page, `/stores/${storeId}/webhooks/${webhookId}`);
    await line(failedInvoice, "New").getByText("sent 3 times").waitFor();
    await line(failedInvoice, "New").getByText("delivered").waitFor();
  });

  it("shows at home what came in", async () => {
    await goTo(page, `/stores/${storeId}`);
    await heading(page, "Tea shop");
    await page.getByRole("heading", { name: "Latest invoices" }).waitFor();
    await page.getByRole("link", { name: "A-1001" }).waitFor();
    await guidePicture(page, "home");
  });
});
