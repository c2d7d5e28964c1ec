import { expect } from "chai";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { en } from "../../api/checkout/texts/en";
import { changeWallet, removeWallet } from "../../commands/change-wallet";
import { readInvoice } from "../../commands/read-invoice";
import { Store } from "../../entities/store";
import { startApi, type TestApi } from "../api/server";
import { startBrowser } from "../support/browser";
import { builtCheckout } from "../support/built-checkout";
import { checkoutStore, checkoutStories } from "../support/checkout-stories";
import { inspect } from "../support/dashboard";
import { newXpub } from "../support/factories";

const TIMEOUT_MS = 20_000;

describe("an invoice with a lazy address in a browser", function () {
  this.timeout(120_000);
  let api: TestApi;
  let browser: Browser;
  let store: Store;
  let stories: ReturnType<typeof checkoutStories>;
  let context: BrowserContext | null = null;

  before(async function () {
    const started = await startBrowser();
    if (started === null) return this.skip();
    browser = started;
    api = await startApi({ parts: { checkout: await builtCheckout() } });
    store = await checkoutStore(api.ctx);
    await api.db.manager.update(Store, store.id, { lazyAddresses: true });
    stories = checkoutStories(api.ctx, store);
  });
  after(async () => {
    await browser?.close();
    await api?.stop();
  });
  afterEach(async () => {
    await context?.close();
    context = null;
  });

  async function open(path: string, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
    context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      reducedMotion: "reduce",
      locale: "en-US",
      ...options,
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    await page.goto(`${api.base}${path}`);
    return page;
  }
  const addressOf = async (id: string): Promise<string | null> =>
    (await readInvoice(api.ctx, store.id, id)).methods.find(({ type }) => type === "BTC-CHAIN")
      ?.destination ?? null;

  for (const javaScriptEnabled of [true, false])
    it(`shows its address at the first opening, and the same ever after, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const { id } = await stories.invoiceIn("waiting");
      expect(await addressOf(id)).to.equal(null);
      const page = await open(`/i/${id}`, { javaScriptEnabled });
      const address = await addressOf(id);
      expect(address).to.match(/^bcrt1q/);
      await page.getByRole("img", { name: en.qrAny }).waitFor();
      await page.getByText("Bitcoin", { exact: true }).click();
      await page.getByText(address ?? "").waitFor();
      await page.reload();
      await page.getByText("Bitcoin", { exact: true }).click();
      await page.getByText(address ?? "").waitFor();
      expect(await addressOf(id)).to.equal(address);
    });

  for (const javaScriptEnabled of [true, false])
    it(`shows what is left to pay by where it cannot be had, and gets it by itself once it can, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const { id } = await stories.invoiceIn("waiting");
      await removeWallet(api.ctx, store.id);
      const page = await open(`/i/${id}`, { javaScriptEnabled });
      await page.getByText(en.missingOnchain).waitFor();
      await page.getByRole("img", { name: en.qrLightning }).waitFor();
      if (javaScriptEnabled) await inspect(page, "checkout-lazy-no-wallet");
      await changeWallet(api.ctx, store.id, { xpub: newXpub() });
      await page.getByRole("img", { name: en.qrAny }).waitFor();
      expect(await addressOf(id)).to.match(/^bcrt1q/);
    });
});
