import { expect } from "chai";
import type { Page } from "playwright-core";
import { en } from "../../domain/languages/texts/en";
import { withoutUnderscore } from "../../domain/greenfield/id-text";
import type { Invoice } from "../../entities/invoice";
import { Store } from "../../entities/store";
import type { TestApi } from "../api/server";
import { builtBtcpayModal, builtModal } from "../support/built-checkout";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";
import { inspect } from "../support/dashboard";
import { eventually } from "../support/eventually";
import { startShop, type Shop } from "../support/shop";

/** As WooCommerce's modalCheckout.js does: it opens the invoice first and listens then, and lower-cases the status. */
const WOOCOMMERCE = `
  window.notes = [];
  const isObject = (one) => Object.prototype.toString.call(one) === "[object Object]";
  window.checkout = ({ apiUrl, invoiceId, orderCompleteLink }) => {
    let paid = false;
    if (apiUrl) window.btcpay.setApiUrlPrefix(apiUrl);
    window.btcpay.showInvoice(invoiceId);
    window.btcpay.onModalReceiveMessage((event) => {
      window.notes.push([event.origin, event.data]);
      if (isObject(event.data)) {
        if (!event.data.status) return;
        switch (event.data.status.toLowerCase()) {
          case "complete": case "paid": case "processing": case "settled":
            paid = true;
            window.location = orderCompleteLink;
            break;
          case "expired": case "invalid":
            window.btcpay.hideFrame();
            document.querySelector("#error").textContent = "The invoice expired. Please try again.";
        }
      } else if (event.data === "close") {
        if (paid) window.location = orderCompleteLink;
        document.querySelector("#error").textContent = "Payment aborted by you. Please try again.";
      }
    });
  };
`;

/** As OpenCart's template does: callbacks first, and lower-case words alone. */
const OPENCART = `
  window.notes = [];
  window.checkout = ({ apiUrl, invoiceId }) => {
    window.btcpay.setApiUrlPrefix(apiUrl);
    window.btcpay.onModalWillEnter(() => window.notes.push("enter"));
    window.btcpay.onModalWillLeave(() => window.notes.push("leave"));
    window.btcpay.onModalReceiveMessage(({ data }) => {
      if (typeof data === "string") return window.notes.push(data);
      switch (data.status) {
        case "complete": case "paid": return window.notes.push("to the order: " + data.status);
        case "expired": return window.btcpay.hideFrame();
        default: window.notes.push("unknown: " + data.status);
      }
    });
    window.btcpay.appendAndShowInvoiceFrame(invoiceId, { animateEntrance: false });
  };
`;

type Data = string | { invoiceId: string; status: string };

describe("the checkout's dialog in a shop plugin's page", function () {
  this.timeout(300_000);
  let api: TestApi;
  let checkout: Checkout;
  let shop: Shop;
  let store: Store;
  let stories: Checkout["stories"];

  before(async function () {
    const started = await startCheckout({
      modal: await builtModal(),
      btcpayModal: await builtBtcpayModal(),
    });
    if (started === null) return this.skip();
    checkout = started;
    ({ api, store, stories } = started);
    shop = await startShop("localhost");
    await api.db.manager.update(Store, store.id, { checkoutOrigins: [shop.origin] });
    shop.page("/thanks", "<title>Thanks</title><h1>Thank you for your order</h1>");
  });
  after(async () => {
    await checkout?.stop();
    await shop?.close();
  });
  leaveAfterEach(() => checkout.visitors);

  /** The shop's page with the plugin's script; `src`: where it loads ours. */
  async function visit(plugin: string, src = `${api.base}/modal/btcpay.js?ver=2.8.0`): Promise<Page> {
    shop.script("/plugin.js", plugin);
    shop.page(
      "/",
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tea shop</title>
       <meta name="viewport" content="width=device-width, initial-scale=1"><script src="${src}"></script></head>
       <body><main><h1>Checkout</h1><p id="error"></p></main><script src="/plugin.js"></script></body></html>`,
      `default-src 'none'; script-src 'self' ${api.base}; frame-src ${api.base}`,
    );
    const page = await checkout.visitors.newPage();
    await page.goto(shop.origin);
    return page;
  }

  /** As the shop was given it. */
  const known = ({ id }: Pick<Invoice, "id">) => withoutUnderscore(id);
  const open = (page: Page, invoice: Pick<Invoice, "id">, apiUrl: string | null = api.base) =>
    page.evaluate(
      `window.checkout(${JSON.stringify({ apiUrl, invoiceId: known(invoice), orderCompleteLink: "/thanks" })})`,
    );
  const frameOf = (page: Page) => page.frameLocator('iframe[title="Payment"]');
  const heading = (page: Page, name: string) =>
    frameOf(page).getByRole("heading", { name, exact: true }).waitFor();
  const gone = (page: Page) => page.locator("dialog").waitFor({ state: "detached" });
  const notes = <T>(page: Page) => page.evaluate<T[]>("window.notes");
  const noted = (page: Page, count: number) =>
    eventually(async () => expect(await notes(page)).to.have.length.at.least(count));

  describe("of WooCommerce", () => {
    it("shows the invoice, and leads to the order once the payment is seen", async () => {
      const invoice = await stories.invoiceIn("waiting");
      const page = await visit(WOOCOMMERCE);
      await open(page, invoice);
      await heading(page, en.waitingTitle);
      await noted(page, 1);
      expect(await notes<[string, Data]>(page)).to.deep.equal([[api.base, "loaded"]]);
      await inspect(page, "shop-modal-waiting");
      await stories.pay(invoice, 22_728n);
      await page.waitForURL(`${shop.origin}/thanks`);
    });

    it("finds the service by the script's own address", async () => {
      const page = await visit(WOOCOMMERCE);
      await open(page, await stories.invoiceIn("waiting"), null);
      await heading(page, en.waitingTitle);
    });

    it("says that the customer closed it, by the button and by the key", async () => {
      for (const key of ["Enter", "Escape"]) {
        const page = await visit(WOOCOMMERCE);
        await open(page, await stories.invoiceIn("waiting"));
        await heading(page, en.waitingTitle);
        await page.keyboard.press(key);
        await gone(page);
        await page.getByText("Payment aborted by you.").waitFor();
        expect((await notes<[string, Data]>(page)).map(([, data]) => data)).to.deep.equal([
          "loaded",
          "close",
        ]);
      }
    });

    it("hides an invoice that has expired, which is not the customer's closing", async () => {
      const invoice = await stories.invoiceIn("expired");
      const page = await visit(WOOCOMMERCE);
      await open(page, invoice);
      await page.getByText("The invoice expired.").waitFor();
      await gone(page);
      expect((await notes<[string, Data]>(page)).map(([, data]) => data)).to.deep.equal([
        "loaded",
        { invoiceId: known(invoice), status: "expired" },
      ]);
      // The next try has another invoice.
      const next = await stories.invoiceIn("waiting");
      await open(page, next);
      await heading(page, en.waitingTitle);
    });
  });

  describe("of OpenCart", () => {
    it("is notified of each word once, and before and after the dialog", async () => {
      const invoice = await stories.invoiceIn("waiting");
      const page = await visit(OPENCART);
      await open(page, invoice);
      await heading(page, en.waitingTitle);
      await stories.pay(invoice, 9_000n);
      await heading(page, en.partialTitle);
      await stories.pay(invoice, 13_728n);
      await heading(page, en.seenTitle);
      await noted(page, 3);
      expect(await notes(page)).to.deep.equal(["enter", "loaded", "to the order: paid"]);
      await page.evaluate("window.btcpay.hideFrame()");
      await gone(page);
      await page.evaluate(
        "(window.btcpay.hideFrame(), window.btcpay.showFrame(), window.btcpay.showFrame())",
      );
      await heading(page, en.seenTitle);
      expect(await page.locator("dialog").count()).to.equal(1);
      await noted(page, 7);
      expect((await notes(page)).slice(3)).to.deep.equal(["leave", "enter", "loaded", "to the order: paid"]);
    });
  });

  it("opens invoices of the service only, and adds one name to the shop's page", async () => {
    const page = await visit(OPENCART);
    const thrown = (call: string) => page.evaluate<string>(`try { ${call} } catch (error) { error.name }`);
    for (const id of ["nonsense", "../login", "javascript:alert(1)", "https://elsewhere.example/i/inv_1"])
      expect(await thrown(`window.btcpay.showInvoice("${id}")`), id).to.equal("TypeError");
    expect(await thrown(`window.btcpay.setApiUrlPrefix("javascript:alert(1)")`)).to.equal("TypeError");
    expect(await page.locator("dialog").count()).to.equal(0);
    shop.page("/bare", "<title>Bare</title>");
    await page.goto(`${shop.origin}/bare`);
    const before = await page.evaluate<string[]>("Object.getOwnPropertyNames(window)");
    await page.addScriptTag({ url: `${api.base}/modal/btcpay.js` });
    const after = await page.evaluate<string[]>("Object.getOwnPropertyNames(window)");
    expect(after.filter((name) => !before.includes(name))).to.deep.equal(["btcpay"]);
  });

  it("needs the address of the service where the shop serves the script itself", async () => {
    shop.script("/bundle.js", (await builtBtcpayModal()).content.toString());
    const page = await visit(WOOCOMMERCE, "/bundle.js");
    const { id } = await stories.invoiceIn("waiting");
    expect(
      await page.evaluate(`try { window.btcpay.showInvoice("${id}") } catch (error) { error.message }`),
    ).to.match(/setApiUrlPrefix/);
    await open(page, { id }, `${api.base}/`);
    await heading(page, en.waitingTitle);
  });

  it("works in a page that has an element with its id", async () => {
    const page = await visit(WOOCOMMERCE);
    shop.page("/named", `<title>Named</title><p id="btcpay"></p>`);
    await page.goto(`${shop.origin}/named`);
    await page.addScriptTag({ url: `${api.base}/modal/btcpay.js` });
    expect(await page.evaluate("typeof window.btcpay.showInvoice")).to.equal("function");
  });

  it("opens the page itself where the store does not list the shop's website", async () => {
    const invoice = await stories.invoiceIn("waiting");
    await api.db.manager.update(Store, store.id, { checkoutOrigins: [] });
    try {
      const page = await visit(WOOCOMMERCE);
      await open(page, invoice);
      await page.waitForURL(`${api.base}/i/${invoice.id}`);
      expect(checkout.visitors.complaints.splice(0).join("\n")).to.match(
        /frame-ancestors|Refused to frame|Framing/,
      );
    } finally {
      await api.db.manager.update(Store, store.id, { checkoutOrigins: [shop.origin] });
    }
  });
});
