import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import {
  buildContext,
  closeInfrastructure,
  connectInfrastructure,
  type Infrastructure,
} from "../../adapters/context";
import { makeTestCustomer } from "../../adapters/http/test-customer";
import type { Phase } from "../../domain/invoice/phase";
import { en } from "../../domain/languages/texts/en";
import type { CommandContext } from "../../commands/context";
import { parseConfig } from "../../config/load";
import { createDataSource } from "../../database/data-source";
import { openCustomerDoor, type CustomerDoor } from "../../scripts/demo/customer-door";
import { customerOf } from "../../scripts/demo/node";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { startApi, type TestApi } from "../api/server";
import { builtCheckout } from "../support/built-checkout";
import { startBrowser } from "../support/browser";
import { leaveAfterEach, visitorsWith, type Visitors } from "../support/checkout";
import { inspect } from "../support/dashboard";
import { eventually } from "../support/eventually";
import { lndEnvironment } from "../support/lightning";
import { Service } from "../support/service";
import { workerEnvironment } from "../support/worker-process";

/** Longer than the slowest way from one state to the next: an expiry waits for a check of the node, every 5 s. */
const TIMEOUT_MS = 25_000;

describe("the checkout's test mode, in a browser, with every process of the service and simulated nodes", function () {
  this.timeout(300_000);
  let chain: SimulatedNode;
  let lnd: SimulatedLnd;
  let door: CustomerDoor;
  let service: Service;
  let infrastructure: Infrastructure;
  let ctx: CommandContext;
  let api: TestApi;
  let browser: Browser;
  let visitors: Visitors;
  const folder = mkdtempSync(path.join(os.tmpdir(), "quittance-test-mode-"));

  before(async function () {
    const started = await startBrowser();
    if (started === null) return this.skip();
    browser = started;
    visitors = visitorsWith(browser, TIMEOUT_MS);
    const files = await builtCheckout();
    chain = await SimulatedNode.start();
    lnd = await SimulatedLnd.start({ dataDir: folder });
    door = await openCustomerDoor({
      onChain: await customerOf({ rpcUrl: chain.rpcUrl }),
      lightning: { pay: async (bolt11) => (await lnd.pay(bolt11)).preimage },
    });
    const lndSettings = lndEnvironment(lnd.grpc);
    service = await Service.start({ bitcoindRpcUrl: chain.rpcUrl, lndEnvironment: lndSettings });
    const databaseUrl = "url" in service.db.options ? service.db.options.url : undefined;
    const settings = { DATABASE_URL: databaseUrl, BITCOIND_RPC_URL: chain.rpcUrl, ...lndSettings };
    const config = parseConfig(workerEnvironment({ ...settings, LOG_LEVEL: "error" }));
    infrastructure = connectInfrastructure(config, { worker: "api" });
    ctx = await buildContext(infrastructure);
    const db = createDataSource({ databaseUrl: config.DATABASE_URL, poolMax: 5, applicationName: "test" });
    await db.initialize();
    const testCustomer = makeTestCustomer(door.url);
    api = await startApi({ db, parts: { context: () => ctx, checkout: files, testCustomer } });
  });
  after(async () => {
    await browser?.close();
    await api?.stop();
    if (infrastructure) await closeInfrastructure(infrastructure, ctx ?? null);
    await service?.stop();
    await door?.close();
    await lnd?.stop();
    await chain?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async function () {
    if (this.currentTest?.state === "failed") {
      process.stderr.write(service.logs().slice(-8_000));
      const picture = ".test/screenshots/test-mode-failed.png";
      await visitors.lastPage()?.screenshot({ path: picture, fullPage: true });
    }
  });
  leaveAfterEach(() => visitors);

  async function firstPage(): Promise<Page> {
    const { invoiceId } = await service.createInvoice();
    // Its BOLT11 may come a moment later.
    await eventually(async () => {
      const { paymentMethods } = await service.readInvoice(invoiceId);
      expect(paymentMethods.every(({ available }) => available)).to.equal(true);
    });
    const page = await visitors.newPage();
    await page.goto(`${api.base}/i/${invoiceId}`);
    return page;
  }

  /** Where the panel begins, below the end of the invoice. */
  async function panelBelow(page: Page, size: { width: number; height: number }): Promise<number> {
    const before = page.viewportSize();
    await page.setViewportSize(size);
    const [panel, main] = await Promise.all(
      ["form.test-mode", "main"].map((part) => page.locator(part).boundingBox()),
    );
    if (before !== null) await page.setViewportSize(before);
    return (panel?.y ?? NaN) - (main?.y ?? NaN) - (main?.height ?? NaN);
  }

  const idOf = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";

  /** By the title alone: that is what a newcomer has. */
  async function comes(page: Page, phase: Phase): Promise<void> {
    await page.getByRole("heading", { level: 1, name: en[`${phase}Title`], exact: true }).waitFor();
  }
  /** On a phone the panel hides nothing of the page: it is closed at first. */
  async function unfold(page: Page): Promise<void> {
    const details = page.locator("form.test-mode details");
    if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  }
  async function press(page: Page, name: string): Promise<void> {
    await unfold(page);
    await page.locator("form.test-mode [aria-busy]").waitFor({ state: "detached" });
    await page.getByRole("button", { name, exact: true }).click();
  }
  const buttons = (page: Page): Promise<string[]> =>
    page.locator("form.test-mode button:visible").allInnerTexts();

  const told = async (page: Page, ...events: string[]): Promise<void> =>
    eventually(async () => {
      const heard = service.eventsOf(idOf(page));
      expect(heard).to.deep.equal(events);
    }, 20_000);

  describe("shows a newcomer what becomes of an invoice, by its buttons", () => {
    let page: Page;

    it("half, the rest, a block: waiting, partial, seen, paid", async () => {
      page = await firstPage();
      await comes(page, "waiting");
      expect(await buttons(page)).to.deep.equal([]);
      expect(await panelBelow(page, { width: 390, height: 500 })).to.be.least(0);
      await unfold(page);
      expect(await buttons(page)).to.deep.equal([
        ...["Pay in full", "Pay half", "Pay 20 % too much", "Pay by Lightning", "Pay, then double-spend"],
        ...["Let the time run out", "Make another invoice"],
      ]);
      await inspect(page, "test-mode-waiting");
      await press(page, "Pay half");
      await comes(page, "partial");
      expect(await page.locator(".big").innerText()).to.equal("50,000 sats");
      await press(page, "Pay the rest");
      await comes(page, "seen");
      expect(await buttons(page)).to.deep.equal([
        ...["Mine a block", "Double-spend the payment", "Let the time run out", "Make another invoice"],
      ]);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.screenshot({ path: ".test/screenshots/test-mode-seen-screen.png" });
      await inspect(page, "test-mode-seen");
      await press(page, "Mine a block");
      await comes(page, "paid");
      expect(await buttons(page)).to.deep.equal(["Make another invoice"]);
      await told(page, "New/None", "Processing/None", "Settled/None");
    });

    it("by Lightning: paid at once", async () => {
      page = await firstPage();
      await press(page, "Pay by Lightning");
      await comes(page, "paid");
      await told(page, "New/None", "Settled/None");
    });

    it("double-spent: seen for a moment, and due again", async () => {
      page = await firstPage();
      await press(page, "Pay, then double-spend");
      await comes(page, "seen");
      await comes(page, "waiting");
      await told(page, "New/None", "Processing/None");
      await press(page, "Pay in full");
      await comes(page, "seen");
      await press(page, "Mine a block");
      await comes(page, "paid");
    });

    it("too late: checking, expired, late, and paid late", async () => {
      page = await firstPage();
      await press(page, "Let the time run out");
      await comes(page, "checking");
      await comes(page, "expired");
      expect(await buttons(page)).to.deep.equal(["Pay late, in full", "Make another invoice"]);
      await press(page, "Pay late, in full");
      await comes(page, "lateSeen");
      await press(page, "Mine a block");
      await comes(page, "paidLate");
      await told(page, "New/None", "Expired/None", "Settled/PaidAfterExpiration");
    });
  });
});
