import { expect } from "chai";
import type { Page } from "playwright-core";
import { createStore } from "../../commands/stores/create-store";
import { POLICIES, SERVED_POLICIES } from "../../domain/greenfield/permissions";
import { ApiKey } from "../../entities/api-key";
import { Store } from "../../entities/store";
import { User } from "../../entities/user";
import { plugin } from "../api/greenfield/plugin";
import { inspect, PASSWORD, startDashboard, type Dashboard } from "../support/dashboard";
import { buildInvoice } from "../support/factories";
import { startShop, type Shop } from "../support/shop";

const OWNER = "olga@shop.example";

/** As WooCommerce's plugin asks: two permissions that it can do without, of which one is not to be had here. */
const WOOCOMMERCE = [
  "btcpay.store.canviewinvoices",
  "btcpay.store.cancreateinvoice",
  "btcpay.store.canviewstoresettings",
  "btcpay.store.canmodifyinvoices",
  "btcpay.store.cancreatenonapprovedpullpayments",
  "btcpay.store.webhooks.canmodifywebhooks",
];

describe("the page that gives a shop plugin a key", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let page: Page;
  let shop: Shop;
  let tea: string;
  let coffee: string;

  before(async function () {
    const started = await startDashboard();
    if (started === null) return this.skip();
    dashboard = started;
    shop = await startShop("127.0.0.1"); // another site than the dashboard, which is at localhost
    shop.page("/connected", "<!doctype html><title>Shop</title><h1>The shop is connected</h1>");
    page = await dashboard.newUser(OWNER);
    const { id: userId } = await dashboard.ctx.db.manager.findOneByOrFail(User, { email: OWNER });
    const ctx = { ...dashboard.ctx, actor: { kind: "user" as const, id: userId } };
    tea = (await createStore(ctx, { name: "Tea shop" })).id;
    coffee = (await createStore(ctx, { name: "Coffee shop" })).id;
  });
  after(async () => {
    await dashboard?.stop();
    await shop?.close();
  });
  /** The shop is another host, which a browser goes to with the key alone. */
  afterEach(() =>
    expect(dashboard.complaints.splice(0).filter((one) => !one.startsWith(shop.origin))).to.deep.equal([]),
  );
  beforeEach(() => void (shop.posts.length = 0));

  interface Link {
    permissions?: readonly string[];
    applicationName?: string | null;
    redirect?: string | null;
    slash?: string;
  }
  const linkTo = ({
    permissions = WOOCOMMERCE,
    applicationName = "Olga's tea & more",
    redirect = `${shop.origin}/connected?wc-api=1&secret=a%2Bb`,
    slash = "",
  }: Link = {}): string => {
    const query = new URLSearchParams();
    for (const permission of permissions) query.append("permissions", permission);
    if (applicationName !== null) query.set("applicationName", applicationName);
    query.set("strict", "true");
    query.set("selectiveStores", "true");
    if (redirect !== null) query.set("redirect", redirect);
    return `${dashboard.base}/api-keys/authorize${slash}?${query.toString()}`;
  };
  const open = async (link: string, by = page): Promise<void> => {
    await by.goto(link);
    await by.getByRole("heading", { name: "Connect a shop", level: 1 }).waitFor();
  };
  const choose = async (name: string): Promise<void> => {
    await page.getByRole("combobox", { name: "Store" }).click();
    await page.getByRole("option", { name }).click();
  };
  const send = () => page.getByRole("button", { name: "Send the key" }).click();
  const keys = (storeId: string) => dashboard.ctx.db.manager.findBy(ApiKey, { storeId });
  const received = (): URLSearchParams => new URLSearchParams(shop.posts[0]?.body);

  it("sends a key of the chosen store to the shop, and nothing before the click", async () => {
    await open(linkTo({ slash: "/" }));
    await page.getByText("Olga's tea & more").waitFor();
    await page.getByText(shop.origin, { exact: true }).waitFor();
    await page.getByText("Refunds").waitFor();
    expect(await page.content()).not.to.include("secret=");
    await inspect(page, "connect");
    await send();
    await page.getByText("Choose a store.").waitFor();
    await choose("Tea shop");
    expect(await keys(tea)).to.deep.equal([]);
    await send();
    await page.waitForURL(`${shop.origin}/connected?wc-api=1&secret=a%2Bb`);
    await page.getByRole("heading", { name: "The shop is connected" }).waitFor();

    expect(shop.posts.map(({ url }) => url)).to.deep.equal(["/connected?wc-api=1&secret=a%2Bb"]);
    const permissions = received().getAll("permissions[]");
    expect(permissions).to.deep.equal(SERVED_POLICIES.map((policy) => `${policy}:${tea}`));
    const { id: userId } = await dashboard.ctx.db.manager.findOneByOrFail(User, { email: OWNER });
    expect(received().get("userId")).to.equal(userId);
    const key = received().get("apiKey") ?? "";
    expect(key).to.match(/^sktest[0-9A-Za-z]+$/);
    const current = await plugin(dashboard.api.base, "GET", "/api-keys/current", { key });
    expect(current.json).to.deep.equal({ apiKey: key, label: "Olga's tea & more", permissions });

    const { checkoutOrigins } = await dashboard.ctx.db.manager.findOneByOrFail(Store, { id: tea });
    expect(checkoutOrigins).to.deep.equal([]);
    expect(await page.evaluate("document.referrer")).to.equal("");
  });

  it("leads through the login, and keeps what the shop asked for", async () => {
    const browser = await dashboard.newPage();
    await browser.goto(linkTo({ redirect: `${shop.origin}/connected?one=1&two=%26` }));
    await browser.getByLabel("E-mail").fill(OWNER);
    await browser.reload(); // the login is a document of its own now
    await browser.getByLabel("E-mail").fill(OWNER);
    await browser.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await browser.getByRole("button", { name: "Log in", exact: true }).click();
    await browser.getByRole("heading", { name: "Connect a shop" }).waitFor();
    await browser.getByRole("combobox", { name: "Store" }).click();
    await browser.getByRole("option", { name: "Coffee shop" }).click();
    await browser.getByRole("button", { name: "Send the key" }).click();
    await browser.waitForURL(`${shop.origin}/connected?one=1&two=%26`);
    expect(received().getAll("permissions[]")).to.deep.equal(
      SERVED_POLICIES.map((policy) => `${policy}:${coffee}`),
    );
  });

  it("lists the shop's website for the dialog if the box is ticked", async () => {
    await open(linkTo());
    await choose("Coffee shop");
    await page.getByLabel(/may show the payment page in a dialog/).check();
    await send();
    await page.waitForURL(`${shop.origin}/**`);
    const { checkoutOrigins } = await dashboard.ctx.db.manager.findOneByOrFail(Store, { id: coffee });
    expect(checkoutOrigins).to.deep.equal([shop.origin]);
  });

  it("shows the key once where the shop names no address", async () => {
    await open(linkTo({ redirect: null, permissions: POLICIES, applicationName: null }));
    await page.getByText("you: it is shown once").waitFor();
    await choose("Tea shop");
    await page.getByRole("button", { name: "Create the key" }).click();
    const shown = page.getByRole("group", { name: "API key" }).locator("pre");
    const key = await shown.innerText();
    await inspect(page, "connect-key");
    const current = await plugin(dashboard.api.base, "GET", "/api-keys/current", { key });
    expect(current.json).to.deep.equal({
      apiKey: key,
      label: "Shop plugin",
      permissions: POLICIES.map((policy) => `${policy}:${tea}`),
    });
    await page.reload();
    await page.getByRole("button", { name: "Create the key" }).waitFor();
    expect(await page.content()).not.to.include(key);
  });

  it("makes one key of several presses before it is drawn again, and one more after a refusal", async () => {
    const before = (await keys(coffee)).length;
    await open(linkTo());
    await choose("Coffee shop");
    const press = () =>
      page.evaluate(`{
        const send = [...document.querySelectorAll("button")].find((one) => one.textContent === "Send the key");
        for (let n = 0; n < 3; n += 1) send.click();
      }`);
    dashboard.ctx.settings.maxKeysPerStore = before;
    await press();
    await page
      .getByText(/A store can have at most/)
      .first()
      .waitFor();
    expect((await keys(coffee)).length).to.equal(before);
    dashboard.ctx.settings.maxKeysPerStore = 100;
    await press();
    await page.waitForURL(`${shop.origin}/**`);
    expect([(await keys(coffee)).length, shop.posts.length]).to.deep.equal([before + 1, 1]);
  });

  it("says that the browser stopped when the shop's address leads on to another website, and how to go on", async () => {
    const elsewhere = await startShop("localhost");
    try {
      shop.redirect("/moved", `${elsewhere.origin}/connected`);
      await open(linkTo({ redirect: `${shop.origin}/moved` }));
      await choose("Coffee shop");
      await send();
      const alert = page.getByRole("alert").filter({ hasText: "The browser stopped on the way to the shop" });
      await alert.getByText(`${shop.origin} led on to another website`).waitFor();
      expect(elsewhere.posts).to.deep.equal([]);
      expect(await page.getByText("Your browser takes the key").count()).to.equal(0);
      await inspect(page, "connect-stopped");
      expect(await alert.getByRole("link", { name: "API keys" }).getAttribute("href")).to.equal(
        `/stores/${coffee}/settings/api-keys`,
      );
      const refused = dashboard.complaints.splice(0).filter((one) => !one.startsWith(shop.origin));
      expect(refused.filter((one) => !one.includes("form-action"))).to.deep.equal([]);
      await alert.getByRole("link", { name: "create a key to enter by hand" }).click();
      await page.getByRole("button", { name: "Create the key" }).waitFor();
      await page.getByText("Olga's tea & more").waitFor();
    } finally {
      await elsewhere.close();
    }
  });

  it("distinguishes stores of the same name, and offers none where the user is no owner", async () => {
    const twins = await dashboard.newUser("tina@shop.example");
    const id = await dashboard.join(tea, "tina@shop.example", "member");
    const ctx = { ...dashboard.ctx, actor: { kind: "user" as const, id } };
    const [first, second] = [
      (await createStore(ctx, { name: "Twin" })).id,
      (await createStore(ctx, { name: "Twin" })).id,
    ];
    await open(linkTo(), twins);
    await twins.getByRole("combobox", { name: "Store" }).click();
    const offered = await twins.getByRole("option").allInnerTexts();
    expect(offered.toSorted()).to.deep.equal([`Twin (${first})`, `Twin (${second})`].toSorted());
    await twins.getByRole("option", { name: `Twin (${second})` }).click();
    await twins.getByRole("button", { name: "Send the key" }).click();
    await twins.waitForURL(`${shop.origin}/**`);
    expect(received().getAll("permissions[]")[0]).to.equal(`${SERVED_POLICIES[0]}:${second}`);
  });

  it("lists such a key with its permissions among the store's keys", async () => {
    await page.goto(`${dashboard.base}/stores/${tea}/settings/api-keys`);
    const row = page.getByRole("row").filter({ hasText: "Shop plugin" }).first();
    await row.getByText("shop plugin, 6 permissions").waitFor();
    await inspect(page, "api-keys-of-plugins");
  });

  it("refuses a link that cannot be used, says what to do, and offers no button", async () => {
    await open(linkTo({ redirect: "javascript:alert(1)" }));
    const alert = page.getByRole("alert").filter({ hasText: "This link cannot be used" });
    await alert.getByText("redirect: Must be a URL").filter({ hasText: "shop's own address" }).waitFor();
    expect(await page.getByRole("button", { name: /key/ }).count()).to.equal(0);
    await inspect(page, "connect-refused");
  });

  it("leads from a plugin's link to an invoice in its store", async () => {
    const { invoice } = await buildInvoice(dashboard.ctx);
    const { storeId } = invoice;
    await dashboard.join(storeId, OWNER, "viewer");
    const named = invoice.id.replace("_", ""); // as WooCommerce's list of orders links to it
    for (const path of [`/invoices/${named}`, `/stores/${storeId}/invoices/${named}`]) {
      await page.goto(dashboard.base + path);
      await page.waitForURL(`${dashboard.base}/stores/${storeId}/invoices/${invoice.id}`);
    }
    await page.getByRole("heading", { name: invoice.id, level: 1 }).waitFor();
    await page.goto(`${dashboard.base}/invoices/inv_4wBqpZM9k2mAgN8rTzZy7VdQ`);
    await page.getByText("There is no such invoice in your stores.").waitFor();
    await inspect(page, "invoice-by-id-missing");
  });
});
