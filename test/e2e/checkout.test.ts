import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { PHASES } from "../../domain/invoice/phase";
import { en } from "../../domain/languages/texts/en";
import { notifyChanges } from "../../commands/server/notify-changes";
import { LANGUAGES } from "../../domain/languages/language";
import { Store } from "../../entities/store";
import type { TestApi } from "../api/server";
import { builtCheckout } from "../support/built-checkout";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";
import { inspect } from "../support/dashboard";

const LIMIT_BYTES = 60_000;

describe("the checkout in a browser", function () {
  this.timeout(300_000);
  let api: TestApi;
  let checkout: Checkout;
  let store: Store;
  let stories: Checkout["stories"];

  before(async function () {
    const started = await startCheckout();
    if (started === null) return this.skip();
    checkout = started;
    ({ api, store, stories } = started);
  });
  after(() => checkout?.stop());
  leaveAfterEach(() => checkout.visitors);

  const open: Checkout["open"] = (...asked) => checkout.open(...asked);

  for (const phase of PHASES)
    it(`is complete in the state "${phase}": light and dark, on a phone and a desktop`, async () => {
      const { id } = await stories.invoiceIn(phase);
      const page = await open(`/i/${id}`);
      expect(await page.locator("h1").innerText()).to.equal(en[`${phase}Title`]);
      await inspect(page, `checkout-${phase}`);
    });

  for (const phase of ["waiting", "invalid"] as const)
    it(`is complete in the state "${phase}" with a payment that vanished`, async () => {
      const invoice = await stories.invoiceIn(phase);
      await stories.vanish(invoice);
      const page = await open(`/i/${invoice.id}`);
      expect(await page.locator("#vanished").isVisible()).to.equal(true);
      await inspect(page, `checkout-vanished-${phase}`);
    });

  for (const phase of ["waiting", "overpaid", "expired"] as const)
    it(`is complete from right to left in the state "${phase}", with the list of languages open`, async () => {
      const { id } = await stories.invoiceIn(phase);
      const page = await open(`/i/${id}?lang=ar`);
      expect(await page.locator("html").getAttribute("dir")).to.equal("rtl");
      await page.locator("summary").click();
      await inspect(page, `checkout-ar-${phase}`);
    });

  describe("without JavaScript", () => {
    const plain = { javaScriptEnabled: false };

    it("shows each payment method and unit, and nothing that would not work", async () => {
      const { id } = await stories.invoiceIn("waiting");
      const page = await open(`/i/${id}`, plain);
      await page.getByRole("img", { name: en.qrAny }).waitFor();
      expect(await page.getByRole("button").count()).to.equal(0);
      expect(await page.getByText("Bitcoin address").isVisible()).to.equal(false);
      await page.getByText("Bitcoin", { exact: true }).click();
      await page.getByText("Bitcoin address").waitFor();
      expect(await page.getByRole("img", { name: en.qrAny }).isVisible()).to.equal(false);
      await page.getByText("Lightning", { exact: true }).click();
      await page.getByText("Lightning invoice").waitFor();
      expect(await page.locator(".big").innerText()).to.equal("22,728 sats");
      await page.getByText("BTC", { exact: true }).click();
      expect(await page.locator(".big").innerText()).to.equal("0.00022728 BTC");
    });

    it("links from the code for any wallet to the address, by a click or by the keyboard", async () => {
      const { id } = await stories.invoiceIn("waiting");
      const page = await open(`/i/${id}`, plain);
      const address = page.getByText("Bitcoin address");
      const tab = page.getByRole("radio", { name: en.onchain, exact: true });
      expect([await address.isVisible(), await tab.isChecked()]).to.deep.equal([false, false]);
      const hint = page.getByText(en.addressHint.replace("{bitcoin}", en.onchain));
      await hint.click();
      await address.waitFor();
      expect([await hint.isVisible(), await tab.isChecked()]).to.deep.equal([false, true]);
      await page.keyboard.press("ArrowLeft");
      await hint.waitFor();
      await page.keyboard.press("ArrowRight");
      await address.waitFor();
    });

    it("uses the language that is chosen from the list below it", async () => {
      const { id } = await stories.invoiceIn("waiting");
      const page = await open(`/i/${id}`, plain);
      const japanese = page.getByRole("link", { name: "日本語" });
      expect(await japanese.isVisible()).to.equal(false);
      await page.locator("summary").click();
      expect(
        await page
          .getByRole("listitem")
          .filter({ has: page.locator("[hreflang]") })
          .count(),
      ).to.equal(LANGUAGES.length);
      await japanese.click();
      await page.waitForURL(`${api.base}/i/${id}?lang=ja`);
      expect(await page.locator("html").getAttribute("lang")).to.equal("ja");
      await page.locator("summary").click();
      expect(await page.locator("footer a[aria-current]").innerText()).to.equal("日本語");
    });
  });

  describe("with JavaScript", () => {
    it("follows the invoice, announces changes, and keeps the chosen payment method", async () => {
      const invoice = await stories.invoiceIn("waiting");
      const page = await open(`/i/${invoice.id}`);
      await page.getByText("Bitcoin", { exact: true }).click();
      await api.db.manager.update(Store, store.id, { website: "https://tea.example" });
      notifyChanges(api.ctx, [{ topic: "invoices", storeId: store.id, invoiceId: invoice.id }]);
      await page.locator('a[href="https://tea.example"]').waitFor();
      await page.getByText("Bitcoin address").waitFor();
      await stories.pay(invoice, 9_000n);
      await page.getByRole("heading", { name: en.partialTitle }).waitFor();
      expect(await page.getByRole("status").innerText()).to.match(
        /^Part of the payment is missing\. 9,000 sats/,
      );
      expect(await page.locator(".big").innerText()).to.equal("13,728 sats");
      await page.getByText("BTC", { exact: true }).click();
      expect(await page.locator(".status p").first().innerText()).to.include("0.00013728 BTC (€7.55)");
      await stories.pay(invoice, 5_000n);
      await page.getByRole("status").getByText("0.00014 BTC (€7.70) has arrived").waitFor();
      await stories.pay(invoice, 8_728n);
      await page.getByRole("heading", { name: en.seenTitle }).waitFor();
      expect(await page.getByText("Confirmations: 0 of 3").count()).to.equal(1);
      expect(await page.title()).to.equal(`${en.seenTitle} – Invoice from ${store.name}`);
    });

    it("copies each value by the keyboard, and announces it", async () => {
      const { id } = await stories.invoiceIn("waiting");
      const page = await open(`/i/${id}`);
      await page.getByText("Bitcoin", { exact: true }).click();
      const copy = page.getByRole("button", { name: "Copy: Bitcoin address" });
      await copy.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("Copied").waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(copied)
        .to.match(/^bcrt1q/)
        .and.to.equal(await copy.getAttribute("data-copy"));
      await page.getByText("BTC", { exact: true }).click();
      await page.getByRole("button", { name: "Copy: Amount" }).click();
      await page.waitForFunction("navigator.clipboard.readText().then((text) => text === '0.00022728')");
    });

    it("counts the time down in the last five minutes only", async () => {
      const { invoice: long } = { invoice: await stories.make({ expiresInSeconds: 400 }) };
      const timer = (page: Page) => page.locator("#time-left");
      expect(await timer(await open(`/i/${long.id}`)).isVisible()).to.equal(false);
      const short = await stories.make({ expiresInSeconds: 200 });
      const page = await open(`/i/${short.id}`);
      expect(await timer(page).innerText()).to.match(/^Time left: 3:\d\d$/);
      await stories.paidBy(short);
      await page.getByRole("heading", { name: "Paid", exact: true }).waitFor();
      expect(await timer(page).isVisible()).to.equal(false);
    });

    it("shows that the connection is lost, and continues when it is back", async () => {
      const invoice = await stories.invoiceIn("waiting");
      const page = await open(`/i/${invoice.id}`);
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await page.context().setOffline(true);
      const notice = page.getByText(en.offline);
      await notice.waitFor();
      expect((await notice.boundingBox())?.y, "where it is seen").to.be.within(0, 844 - 100);
      await stories.paidBy(invoice);
      await page.context().setOffline(false);
      await page.getByRole("heading", { name: "Paid", exact: true }).waitFor();
      await page.getByText(en.offline).waitFor({ state: "hidden" });
      checkout.visitors.complaints.length = 0; // the browser prints each request that failed
    });

    it("returns to the store after 5 s when the store wants it, and not for later visitors", async () => {
      const redirectUrl = `${api.base}/docs?o={orderId}`;
      const invoice = await stories.make({ redirectUrl, redirectAutomatically: true });
      const page = await open(`/i/${invoice.id}`);
      await stories.paidBy(invoice);
      await page.getByText(/You will return to .* in 5 seconds\./).waitFor();
      const later = await open(`/i/${invoice.id}`);
      await page.waitForURL(`${api.base}/docs?o=A%201001%2F%C3%BC`);
      await later.getByRole("link", { name: `Return to ${store.name}` }).waitFor();
      expect(later.url()).to.equal(`${api.base}/i/${invoice.id}`);
      expect(await later.getByText("You will return").count()).to.equal(0);
    });

    it("loads less than 60 kB of script, compressed", async () => {
      const files = await builtCheckout();
      const scripts = [...files.files].filter(([name]) => name.endsWith(".js"));
      expect(scripts.map(([name]) => name)).to.include(files.script);
      const bytes = scripts.reduce((sum, [, { content }]) => sum + gzipSync(content).length, 0);
      expect(bytes).to.be.within(500, LIMIT_BYTES);
    });
  });
});
