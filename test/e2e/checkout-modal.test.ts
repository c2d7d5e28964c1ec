import { expect } from "chai";
import type { Page } from "playwright-core";
import { en } from "../../domain/languages/texts/en";
import { addressOfScript } from "../../domain/wallet/address";
import { Invoice } from "../../entities/invoice";
import { Store } from "../../entities/store";
import type { TestApi } from "../api/server";
import { builtModal } from "../support/built-checkout";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";
import { inspect } from "../support/dashboard";
import { eventually } from "../support/eventually";
import { startShop, type Shop } from "../support/shop";

const ADDRESS = addressOfScript(Buffer.from(`5120${"ab".repeat(32)}`, "hex"), "regtest") ?? "";

/** What the shop's own script notes of each invoice that it opens. */
const SHOP_SCRIPT = `
  window.told = [];
  const note = (name) => (news) => window.told.push([name, news && news.status, news && news.phase]);
  window.pay = (invoice, more) => window.quittance.open(invoice,
    { onStatus: note("status"), onPaid: note("paid"), onClose: note("close"), ...more });
  document.querySelector("#open").addEventListener("click", (event) => window.pay(event.target.dataset.invoice));
`;

/** Notes what the checkout says, greets whatever it frames or stands beside as modal.js does, and lies to its parent. */
const strangerScript = (checkout: string) => `
  window.heard = [];
  addEventListener("message", ({ origin, data }) => origin === "${checkout}" && window.heard.push(data));
  const hello = { source: "quittance", version: 1, type: "hello" };
  setInterval(() => {
    for (const frames of [window.frames, window.parent.frames])
      for (let at = 0; at < frames.length; at += 1) frames[at].postMessage(hello, "*");
    const invoiceId = location.hash.slice(1);
    for (const type of ["ready", "status", "close"])
      window.parent.postMessage(
        { source: "quittance", version: 1, type, invoiceId, status: "Settled", phase: "paid" }, "*");
  }, 20);
`;

describe("the checkout in a shop's page", function () {
  this.timeout(300_000);
  let api: TestApi;
  let checkout: Checkout;
  /** The store's website. */
  let shop: Shop;
  /** Not the store's. */
  let stranger: Shop;
  let store: Store;
  let stories: Checkout["stories"];

  before(async function () {
    const started = await startCheckout({ modal: await builtModal() });
    if (started === null) return this.skip();
    checkout = started;
    ({ api, store, stories } = started);
    // Another site too, not only another origin: the service is at 127.0.0.1.
    shop = await startShop("localhost");
    stranger = await startShop("localhost");
    for (const each of [shop, stranger]) each.script("/shop.js", SHOP_SCRIPT);
    stranger.script("/stranger.js", strangerScript(api.base));
    stranger.page("/beside", `<title>Beside</title><script src="/stranger.js"></script>`);
    await api.db.manager.update(Store, store.id, { checkoutOrigins: [shop.origin] });
  });
  after(async () => {
    await checkout?.stop();
    await shop?.close();
    await stranger?.close();
  });
  leaveAfterEach(() => checkout.visitors);

  /** A strict shop: what docs/checkout.md says, and no more. */
  const policy = () =>
    `default-src 'none'; script-src 'self' ${api.base}; frame-src ${api.base} ${stranger.origin}; ` +
    `require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'`;

  const pageOf = ({ id }: Invoice, more = ""): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tea shop</title><script src="${api.base}/modal.js" async></script></head>
<body><main><h1>Your basket</h1><p>Two pounds of tea</p>
<p><a id="pay" data-quittance href="${api.base}/i/${id}">Pay with Bitcoin</a></p>
<p><button id="open" data-invoice="${id}">Pay by script</button></p></main>${more}
<script src="/shop.js"></script></body></html>`;

  async function visit(invoice: Invoice, options: { at?: Shop; more?: string } = {}): Promise<Page> {
    const { at = shop, more } = options;
    at.page("/", pageOf(invoice, more), policy());
    const page = await checkout.visitors.newPage();
    await page.goto(at.origin);
    await page.waitForFunction("window.quittance");
    return page;
  }

  const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Payment" });
  /** Not by its role, which it loses when it closes: that is published a moment later. */
  const gone = (page: Page) => page.locator("dialog").waitFor({ state: "detached" });
  const frameOf = (page: Page) => page.frameLocator('iframe[title="Payment"]');
  const toldTo = (page: Page) => page.evaluate<[string, string?, string?][]>("window.told");
  const heading = (page: Page, name: string) =>
    frameOf(page).getByRole("heading", { name, exact: true }).waitFor();
  const overflow = (page: Page) => page.evaluate<string>("document.documentElement.style.overflow");
  const focused = (page: Page) => page.evaluate<string>("document.activeElement.id");

  it("opens by a link in a dialog, completely on a phone and a desktop, light and dark", async () => {
    const page = await visit(await stories.invoiceIn("waiting"));
    await page.getByRole("link", { name: "Pay with Bitcoin" }).click();
    await heading(page, en.waitingTitle);
    await dialogOf(page).getByRole("button", { name: "Close" }).waitFor();
    expect(await overflow(page)).to.equal("hidden");
    await inspect(page, "modal-waiting");
    await page.setViewportSize({ width: 360, height: 640 });
    expect(await dialogOf(page).boundingBox()).to.deep.equal({ x: 0, y: 0, width: 360, height: 640 });
    const wide = "document.documentElement.scrollWidth - window.innerWidth";
    expect(await page.frames()[1]?.evaluate(wide)).to.equal(0);
  });

  it("follows the invoice, and notifies the shop of each state once, in any language of the customer", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const page = await visit(invoice);
    await page.getByRole("button", { name: "Pay by script" }).click();
    await heading(page, en.waitingTitle);
    await stories.pay(invoice, 9_000n);
    await heading(page, en.partialTitle);
    await frameOf(page).locator("summary").click();
    await frameOf(page).getByRole("link", { name: "Deutsch" }).click();
    await heading(page, "Ein Teil der Zahlung fehlt");
    await stories.pay(invoice, 13_728n);
    await heading(page, "Zahlung eingegangen, wartet auf Bestätigung");
    expect(await toldTo(page)).to.deep.equal([
      ["status", "New", "waiting"],
      ["status", "New", "partial"],
      ["status", "Processing", "seen"],
    ]);
  });

  it("notifies the shop of the payment, and continues when the shop closes it", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const page = await visit(invoice);
    await page.evaluate(`window.handle = window.pay("${invoice.id}")`);
    await heading(page, en.waitingTitle);
    await stories.paidBy(invoice);
    await heading(page, en.paidTitle);
    await inspect(page, "modal-paid");
    await page.evaluate("window.handle.close()");
    await gone(page);
    await page.evaluate("(window.handle.close(), window.quittance.close())");
    expect(await toldTo(page)).to.deep.equal([
      ["status", "New", "waiting"],
      ["status", "Settled", "paid"],
      ["paid", "Settled", "paid"],
      ["close", "Settled", "paid"],
    ]);
    expect(await overflow(page)).to.equal("");
  });

  describe("is closed, and the focus is where it was:", () => {
    let page: Page;
    beforeEach(async () => {
      page = await visit(await stories.invoiceIn("waiting"));
      await page.getByRole("link", { name: "Pay with Bitcoin" }).focus();
      await page.keyboard.press("Enter");
      await heading(page, en.waitingTitle);
    });
    afterEach(async () => {
      await gone(page);
      expect(await focused(page)).to.equal("pay");
      expect(await overflow(page)).to.equal("");
    });

    it("by its button", () => dialogOf(page).getByRole("button", { name: "Close" }).click());
    it("by its button and the keyboard, which is on it at first", () => page.keyboard.press("Enter"));
    it("by Esc", () => page.keyboard.press("Escape"));
    it("by Esc within the frame", async () => {
      await frameOf(page).getByText("Lightning", { exact: true }).click();
      await page.keyboard.press("Escape");
    });
  });

  it("shows one at a time, and restores the page after the last", async () => {
    const first = await stories.invoiceIn("waiting");
    const second = await stories.invoiceIn("expired");
    const page = await visit(first);
    await page.evaluate(`window.pay("${first.id}")`);
    await heading(page, en.waitingTitle);
    await page.evaluate(`window.pay("${api.base}/i/${second.id}")`);
    await heading(page, en.expiredTitle);
    expect(await page.locator("dialog").count()).to.equal(1);
    await page.keyboard.press("Escape");
    await gone(page);
    expect(await overflow(page)).to.equal("");
    expect((await toldTo(page)).map(([name, status]) => [name, status])).to.deep.equal([
      ["status", "New"],
      ["close", "New"],
      ["status", "Expired"],
      ["close", "Expired"],
    ]);
  });

  it("uses the language that the shop sets", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const page = await visit(invoice);
    await page.evaluate(`window.pay("${invoice.id}", { language: "ar" })`);
    const frame = page.frameLocator('iframe[title="الدفع"]');
    await frame.locator("html[lang=ar]").waitFor();
    await page.getByRole("button", { name: "إغلاق" }).waitFor();
    await inspect(page, "modal-ar");
  });

  it("accepts an address for a refund within the frame", async () => {
    const invoice = await stories.invoiceIn("overpaid");
    const page = await visit(invoice);
    await page.getByRole("link", { name: "Pay with Bitcoin" }).click();
    await frameOf(page).getByLabel(en.refundLabel).fill(ADDRESS);
    await frameOf(page).getByRole("button", { name: en.refundLeave }).click();
    await heading(page, en.refundLeftTitle);
    const left = await api.db.manager.findOneByOrFail(Invoice, { id: invoice.id });
    expect(left.refundAddress).to.equal(ADDRESS);
    expect(page.url()).to.equal(`${shop.origin}/`);
    // The frame has just been replaced: a key that is pressed in that moment reaches nobody, and Chromium never answers.
    await eventually(async () => {
      void page.keyboard.press("Escape").catch(() => undefined);
      await page.locator("dialog").waitFor({ state: "detached", timeout: 2_000 });
    });
  });

  it("redirects to the store when the invoice says so", async () => {
    const redirectUrl = `${shop.origin}/thanks?o={orderId}`;
    shop.page("/thanks", "<title>Thanks</title><h1>Thank you</h1>");
    const invoice = await stories.make({ redirectUrl, redirectAutomatically: true });
    const page = await visit(invoice);
    await page.getByRole("link", { name: "Pay with Bitcoin" }).click();
    await heading(page, en.waitingTitle);
    await stories.paidBy(invoice);
    await frameOf(page)
      .getByText(/You will return to .* in 5 seconds\./)
      .waitFor();
    await page.waitForURL(`${shop.origin}/thanks?o=A%201001%2F%C3%BC`);
  });

  it("is a plain link without JavaScript, and for a click that opens a tab", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const modern = await visit(invoice);
    const opened = modern.context().waitForEvent("page");
    await modern.getByRole("link", { name: "Pay with Bitcoin" }).click({ modifiers: ["Control"] });
    await (await opened).waitForURL(`${api.base}/i/${invoice.id}`);
    expect(await modern.locator("dialog").count()).to.equal(0);
    const plain = await checkout.visitors.newPage({ javaScriptEnabled: false });
    await plain.goto(shop.origin);
    await plain.getByRole("link", { name: "Pay with Bitcoin" }).click();
    await plain.waitForURL(`${api.base}/i/${invoice.id}`);
    expect(await plain.locator("h1").innerText()).to.equal(en.waitingTitle);
  });

  it("opens the server's own invoices only, and adds one name to the shop's page", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const page = await visit(invoice);
    for (const other of [`${stranger.origin}/i/${invoice.id}`, "javascript:alert(1)", `${api.base}/login`])
      expect(
        await page.evaluate(`try { window.pay("${other}") } catch (error) { error.name }`),
        other,
      ).to.equal("TypeError");
    expect(await page.locator("dialog").count()).to.equal(0);
    shop.page("/bare", "<title>Bare</title>");
    await page.goto(`${shop.origin}/bare`);
    const before = await page.evaluate<string[]>("Object.getOwnPropertyNames(window)");
    await page.addScriptTag({ url: `${api.base}/modal.js` });
    const after = await page.evaluate<string[]>("Object.getOwnPropertyNames(window)");
    expect(after.filter((name) => !before.includes(name))).to.deep.equal(["quittance"]);
  });

  describe("at a website that the store did not name", () => {
    it("opens as a page, and the console says which setting is missing", async () => {
      const invoice = await stories.invoiceIn("waiting");
      const page = await visit(invoice, { at: stranger });
      const warnings: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "warning") warnings.push(message.text());
      });
      await page.getByRole("link", { name: "Pay with Bitcoin" }).click();
      await dialogOf(page).getByRole("link", { name: "Open the payment page" }).waitFor();
      await inspect(page, "modal-refused");
      await page.waitForURL(`${api.base}/i/${invoice.id}`);
      expect(warnings.join("\n")).to.include(`Add ${stranger.origin} to the store's checkoutOrigins`);
      expect(checkout.visitors.complaints.splice(0).join("\n")).to.match(
        /frame-ancestors|Refused to frame|Framing/,
      );
    });

    it("is shown in no frame and sends it nothing", async () => {
      const { id } = await stories.invoiceIn("waiting");
      const frame = `<iframe src="${api.base}/i/${id}"></iframe>`;
      stranger.page("/frames", `<title>Frames</title>${frame}<script src="/stranger.js"></script>`);
      const page = await checkout.visitors.newPage();
      const refused = page.waitForEvent("console", (message) =>
        /frame-ancestors|Framing/.test(message.text()),
      );
      await page.goto(`${stranger.origin}/frames`);
      await refused;
      expect(page.frames()[1]?.url()).not.to.include(id);
      expect(await page.evaluate("window.heard")).to.deep.equal([]);
      checkout.visitors.complaints.length = 0;
    });
  });

  it("sends nothing to a foreign frame beside it, and answers the shop only", async () => {
    const invoice = await stories.invoiceIn("waiting");
    shop.page(
      "/both",
      `<title>Both</title><iframe src="${api.base}/i/${invoice.id}"></iframe>
       <iframe src="${stranger.origin}/beside"></iframe>`,
    );
    const page = await checkout.visitors.newPage();
    await page.goto(`${shop.origin}/both`);
    await page.evaluate(`window.heard = [];
      addEventListener("message", ({ data, origin }) => origin === "${api.base}" && window.heard.push(data.type))`);
    const [, framed, beside] = page.frames();
    await stories.pay(invoice, 9_000n);
    await framed?.getByRole("heading", { name: en.partialTitle }).waitFor();
    expect(await page.evaluate("window.heard")).to.deep.equal([]);
    // What is no greeting is not answered, and then one is.
    await page.evaluate(`for (const message of [null, "hello", 7, {}, { source: "quittance" }, { type: "hello" }])
      frames[0].postMessage(message, "${api.base}");
      frames[0].postMessage({ source: "quittance", version: 1, type: "hello" }, "${api.base}")`);
    await page.waitForFunction("window.heard.length > 0");
    // The other window keeps sending greetings, and gets no answer meant for the page.
    await stories.paidBy(invoice);
    await page.waitForFunction("window.heard.length > 1");
    expect(await page.evaluate("window.heard")).to.deep.equal(["ready", "status"]);
    expect(await beside?.evaluate("window.heard")).to.deep.equal([]);
  });

  it("accepts messages of the frame only: neither of a foreign frame nor of the shop's own window", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const beside = `<iframe title="Beside" src="${stranger.origin}/beside#${invoice.id}"></iframe>`;
    const page = await visit(invoice, { more: beside });
    await page.evaluate("window.lies = 0, addEventListener('message', () => (window.lies += 1))");
    await page.evaluate(`window.pay("${invoice.id}")`);
    await heading(page, en.waitingTitle);
    await page.evaluate(`for (const type of ["status", "close"]) window.postMessage(
      { source: "quittance", version: 1, type, invoiceId: "${invoice.id}", status: "Settled", phase: "paid" }, "*")`);
    await page.waitForFunction("window.lies > 20");
    await dialogOf(page).waitFor();
    expect(await toldTo(page)).to.deep.equal([["status", "New", "waiting"]]);
  });
});
