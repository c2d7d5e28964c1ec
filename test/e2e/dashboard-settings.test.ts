import { expect } from "chai";
import type { Page } from "playwright-core";
import { IsNull } from "typeorm";
import { authenticate, createApiKey } from "../../commands/stores/api-key";
import { createWebhook } from "../../commands/webhooks/create-webhook";
import { previewWallet } from "../../commands/wallets/preview-wallet";
import { AuditEntry } from "../../entities/audit-entry";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { Store } from "../../entities/store";
import { Wallet } from "../../entities/wallet";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { Webhook } from "../../entities/webhook";
import { inspect, PASSWORD, startDashboard, type Dashboard } from "../support/dashboard";
import { builtCheckout } from "../support/built-checkout";
import { guidePicture } from "../support/guide-picture";
import { eventually } from "../support/eventually";
import { buildInvoice, buildPayment, newXpub } from "../support/factories";

const OWNER = "olga@shop.example";
const VIEWER = "victor@shop.example";

describe("a store's settings in a browser", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let page: Page;
  let storeId: string;

  before(async function () {
    const started = await startDashboard({ checkout: await builtCheckout() });
    if (started === null) return this.skip();
    dashboard = started;
    page = await dashboard.newUser(OWNER, { admin: true });
    const { base } = dashboard;
    const created = await page.request.post(`${base}/api/dashboard/stores`, {
      data: { name: "Tea shop", defaultCurrency: "EUR" },
      headers: { origin: base },
    });
    ({ storeId } = (await created.json()) as { storeId: string });
  });
  after(() => dashboard?.stop());
  afterEach(() => expect(dashboard.complaints.splice(0)).to.deep.equal([]));

  const open = async (path: string, name: string, by = page): Promise<void> => {
    await by.goto(`${dashboard.base}${path}`);
    await by.getByRole("heading", { name, level: 1 }).waitFor();
  };
  const openSettings = (path: string, name: string, by = page) =>
    open(`/stores/${storeId}/settings/${path}`, name, by);
  const tab = (name: string) => page.getByRole("tab", { name }).click();
  const toast = (text: string) => page.getByRole("alert").filter({ hasText: text }).last().waitFor();
  const saved = () => dashboard.ctx.db.manager.findOneBy(StorePaymentMethod, { storeId, type: "BTC-CHAIN" });

  it("saves a wallet only after its addresses were compared", async () => {
    await openSettings("payment-methods", "Payment methods");
    await inspect(page, "payment-methods-empty");
    const key = page.getByLabel("Account key or descriptor");
    await key.fill("xpub-of-nothing");
    await page.getByRole("button", { name: "Show the first addresses" }).click();
    await page.locator("[aria-invalid=true]").waitFor();
    await inspect(page, "payment-methods-refused");
    const xpub = newXpub();
    await key.fill(xpub);
    await page.getByLabel("Start index (optional)").fill("7");
    await page.getByRole("button", { name: "Show the first addresses" }).click();
    const table = page.getByRole("table", { name: "Addresses of this key" });
    const { addresses } = await previewWallet(dashboard.ctx, { xpub, startIndex: 7, count: 5 });
    for (const { address } of addresses) await table.getByText(address).waitFor();
    expect(await saved()).to.equal(null);
    expect(await page.getByRole("button", { name: "Save wallet" }).isDisabled()).to.equal(true);
    await page.getByLabel("My wallet shows the same addresses").check();
    await page.mouse.move(0, 0); // on a phone's screen it would point at a button's hint
    await inspect(page, "payment-methods-compare");
    await guidePicture(page, "wallet");
    await page.getByRole("button", { name: "Save wallet" }).click();
    await toast("The wallet is saved.");
    await page.getByText("0/7").waitFor();
    expect(await saved()).to.not.equal(null);
    await inspect(page, "payment-methods");
  });

  it("shows when the merchant's own wallet would stop scanning, and switches to lazy addresses", async () => {
    const { ctx } = dashboard;
    await ctx.db.manager.update(Store, storeId, { lazyAddresses: false });
    const store = await ctx.db.manager.findOneByOrFail(Store, { id: storeId });
    const walletId = (await saved())?.walletId ?? "";
    const { nextIndex } = await ctx.db.manager.findOneByOrFail(Wallet, { id: walletId });
    const { invoice: paid } = await buildInvoice(ctx, { store });
    await buildPayment(ctx, paid.id);
    for (let unpaid = 0; unpaid < 20; unpaid += 1) await buildInvoice(ctx, { store });
    const fact = (name: string) =>
      page
        .locator("div")
        .filter({ has: page.getByText(name, { exact: true }) })
        .last();
    await openSettings("payment-methods", "Payment methods");
    await fact("Next address")
      .getByText(`0/${nextIndex + 21}`)
      .waitFor();
    await fact("Last paid address").getByText(`0/${nextIndex}`).waitFor();
    await fact("Unpaid in a row").getByText("20", { exact: true }).waitFor();
    await page.getByText("Raise your wallet's gap limit").waitFor();
    await buildInvoice(ctx, { store });
    await page.reload();
    await page.getByText("Your own wallet may not find the next payment").waitFor();
    await inspect(page, "payment-methods-gap");
    await page.getByRole("link", { name: "see the store's settings" }).click();
    const form = page.getByRole("form", { name: "Invoices" });
    await form.getByLabel("Allocate an address only when the customer opens the payment page").check();
    await form.getByRole("button", { name: "Save" }).click();
    await toast("Saved");
    const { invoice } = await buildInvoice(ctx, { store });
    await open(`/stores/${storeId}/invoices/${invoice.id}`, invoice.id);
    await page.getByText("The address is allocated when the customer opens the payment page.").waitFor();
    await inspect(page, "invoice-lazy");
    await page.getByRole("button", { name: "Allocate the address now" }).click();
    await toast("The invoice has an address now.");
    await page.getByRole("img", { name: "QR code of the payment" }).waitFor();
    await page.getByText("Address allocated").waitFor();
    await ctx.db.manager.update(Store, storeId, { lazyAddresses: false });
  });

  it("removes a wallet only after a confirmation, and accepts it again as a descriptor", async () => {
    await openSettings("payment-methods", "Payment methods");
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await saved()).to.not.equal(null);
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove wallet" }).click();
    await toast("The wallet is removed.");
    expect(await saved()).to.equal(null);
    await page.getByLabel("Account key or descriptor").fill(`tr(${newXpub()}/0/*)`);
    expect(await page.getByLabel("Address type").count()).to.equal(0);
    await page.getByRole("button", { name: "Show the first addresses" }).click();
    await page.getByLabel("My wallet shows the same addresses").check();
    await page.getByRole("button", { name: "Save wallet" }).click();
    await page.getByText("Taproot (BIP 86)").waitFor();
  });

  it("denies API keys the wallet until an owner allows it, after a confirmation", async () => {
    const allowed = async () =>
      (await dashboard.ctx.db.manager.findOneByOrFail(Store, { id: storeId })).walletChangesByKey;
    await openSettings("payment-methods", "Payment methods");
    await page
      .getByText(
        "An API key can set the store's first wallet and its first Lightning node, and change neither.",
      )
      .waitFor();
    await page.getByRole("button", { name: "Allow wallet changes by API key" }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await toast("API keys can now change the wallet.");
    await page
      .getByText("Every API key with full access can replace and remove the wallet and the Lightning node.")
      .waitFor();
    expect(await allowed()).to.equal(true);
    await page.getByRole("button", { name: "Disallow wallet changes by API key" }).click();
    await page.getByRole("button", { name: "Disallow", exact: true }).click();
    await toast("API keys can no longer change the wallet.");
    expect(await allowed()).to.equal(false);
  });

  it("shows an API key once; it works at the API until it is deleted", async () => {
    await openSettings("api-keys", "API keys");
    await page.getByText("No API keys yet").waitFor();
    await page.getByText(storeId, { exact: true }).waitFor();
    await inspect(page, "api-keys-empty");
    await page.getByRole("button", { name: "Create API Key" }).click();
    await page.getByLabel("Name").fill("Web shop");
    expect(await page.getByRole("combobox", { name: "Expires" }).inputValue()).to.equal("In a year");
    expect(await page.getByRole("combobox", { name: "Access" }).inputValue()).to.equal("full access");
    await page.getByRole("combobox", { name: "Access" }).click();
    await page.getByRole("option", { name: "read", exact: true }).click();
    await inspect(page, "api-key-new");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const apiKey = (await page.getByText(/^sk_test_/).textContent()) ?? "";
    await inspect(page, "api-key-shown");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("table", { name: "API keys" }).getByText("Web shop").waitFor();
    await page.getByRole("table", { name: "API keys" }).getByText("read", { exact: true }).waitFor();
    expect(await page.content()).to.not.include(apiKey);
    const ask = () =>
      fetch(`${dashboard.base}/api/v1/stores/${storeId}`, { headers: { "x-api-key": apiKey } });
    expect((await ask()).status).to.equal(200);
    await page.reload();
    await page.getByText("just now").waitFor();
    expect(await page.content()).to.not.include(apiKey);
    await inspect(page, "api-keys");
    await page.getByRole("button", { name: "Delete Web shop" }).click();
    await page.getByRole("button", { name: "Delete key" }).click();
    await toast("The key Web shop is deleted.");
    await page.getByText("No API keys yet").waitFor();
    expect((await ask()).status).to.equal(401);
  });

  it("names the webhooks that a key leaves behind, and deletes them only on request", async () => {
    const url = "http://93.184.216.34/hers";
    const left = () => dashboard.ctx.db.manager.countBy(Webhook, { storeId, url, deletedAt: IsNull() });
    for (const name of ["Replaced", "Stolen"]) {
      const { record } = await createApiKey(dashboard.ctx, { storeId, name });
      const byKey = { ...dashboard.ctx, actor: { kind: "key", id: record.id } } as const;
      await createWebhook(byKey, { storeId, url });
    }
    await openSettings("api-keys", "API keys");
    await page.getByRole("button", { name: "Delete Replaced" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the key Replaced?" });
    await dialog.getByText(url).waitFor();
    expect(await dialog.getByRole("radio", { name: "Keep them" }).isChecked()).to.equal(true);
    await inspect(page, "api-key-delete-with-webhooks");
    await dialog.getByRole("button", { name: "Delete key" }).click();
    await toast("The key Replaced is deleted.");
    expect(await left()).to.equal(2);
    await page.getByRole("button", { name: "Delete Stolen" }).click();
    await page.getByRole("radio", { name: "Delete them" }).check();
    await page.getByRole("button", { name: "Delete key" }).click();
    await toast("The key Stolen is deleted.");
    expect(await left()).to.equal(1);
  });

  it("names the shop's websites, and has the button for their pages", async () => {
    await openSettings("general?tab=shop", "General");
    const form = page.getByRole("form", { name: "In your shop" });
    await form.getByRole("button", { name: "Add a website" }).click();
    await form.getByLabel("Website 1", { exact: true }).fill("https://shop.example");
    await form.getByRole("button", { name: "Add a website" }).click();
    await form.getByLabel("Website 2", { exact: true }).fill("https://shop.example/pay");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText(/Must be the origin of a website/).waitFor();
    expect(await form.getByLabel("Website 2", { exact: true }).getAttribute("aria-invalid")).to.equal("true");
    await inspect(page, "general-shop-refused");
    await form.getByRole("button", { name: "Remove website 2" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await toast("Saved");
    const { checkoutOrigins } = await dashboard.ctx.db.manager.findOneByOrFail(Store, { id: storeId });
    expect(checkoutOrigins).to.deep.equal(["https://shop.example"]);
    const snippet = (name: string) =>
      page.getByRole("group", { name, exact: true }).locator("pre").innerText();
    const { base } = dashboard;
    expect(await snippet("As a page")).to.equal(`<a href="${base}/i/INVOICE_ID">Pay with Bitcoin</a>`);
    expect(await snippet("As a dialog")).to.equal(
      `<script src="${base}/modal.js" async></script>\n` +
        `<a data-quittance href="${base}/i/INVOICE_ID">Pay with Bitcoin</a>`,
    );
  });

  it("changes the settings of new invoices, and shows errors at their fields", async () => {
    await openSettings("general", "General");
    const form = (name: string) => page.getByRole("form", { name });
    await form("Store").getByLabel("Website (optional)").fill("shop");
    await form("Store").getByRole("button", { name: "Save" }).click();
    await form("Store")
      .getByText(/starts with https/)
      .waitFor();
    await form("Store").getByLabel("Website (optional)").fill("https://shop.example");
    await form("Store").getByRole("button", { name: "Save" }).click();
    await toast("Saved");
    await inspect(page, "general-store");
    await tab("Invoices");
    await form("Invoices").getByLabel("Price valid for").fill("20");
    await form("Invoices").getByLabel("Largest invoice (optional)").fill("100000000");
    await tab("Confirmations");
    await tab("Invoices"); // where it is still
    await form("Invoices").getByRole("button", { name: "Save" }).click();
    await tab("Confirmations");
    await form("Confirmations").getByRole("button", { name: "Add a tier" }).click();
    await form("Confirmations").getByLabel("Above").fill("5000000");
    await form("Confirmations").getByLabel("Zero confirmations up to (optional)").fill("20000");
    await page.getByText("Risk: you may lose these payments").waitFor();
    await inspect(page, "general-confirmations");
    await form("Confirmations").getByRole("button", { name: "Save" }).click();
    await tab("Exchange rate");
    await page.getByRole("heading", { name: "What €100.00 costs now" }).waitFor();
    await page.getByText("Agreed on by").waitFor();
    await inspect(page, "general-rates");
    await form("Exchange rate").getByLabel("Kraken").check();
    await form("Exchange rate").getByLabel("Bitstamp").check();
    await form("Exchange rate").getByRole("button", { name: "Save" }).click();
    await tab("Checkout");
    const preview = page.frameLocator("iframe[title='Preview of the checkout']");
    await preview.getByRole("heading", { name: "Waiting for your payment" }).waitFor();
    await form("Checkout").getByLabel("Colour (optional)").fill("#f7931a");
    const colour = "getComputedStyle(document.querySelector('a.primary')).backgroundColor";
    await eventually(async () =>
      expect(await page.frames().at(-1)?.evaluate(colour)).to.equal("rgb(247, 147, 26)"),
    );
    await inspect(page, "general-checkout");
    await guidePicture(page, "checkout-settings");
    await form("Checkout").getByLabel("Seller's details (optional)").fill("<b>Tea</b> Ltd\nVAT IE1234567X");
    await page.getByText("Paid", { exact: true }).click();
    await preview.getByText("<b>Tea</b> Ltd").waitFor();
    await inspect(page, "general-checkout-paid");
    await form("Checkout").getByRole("button", { name: "Save" }).click();
    const path = `${dashboard.base}/api/dashboard/stores/${storeId}`;
    await eventually(async () => {
      expect(await (await page.request.get(path)).json()).to.deep.include({
        name: "Tea shop",
        website: "https://shop.example",
        expiresInSeconds: 1200,
        maxInvoiceSats: 100_000_000,
        confirmationTiers: [{ aboveSats: 5_000_000, confirmations: 3 }],
        zeroConfMaxSats: 20_000,
        rateSources: ["kraken", "bitstamp"],
        branding: { logoUrl: null, color: "#f7931a" },
        sellerDetails: "<b>Tea</b> Ltd\nVAT IE1234567X",
      });
    });
  });

  it("invites a viewer by a link that is shown once, who then sees no owner's controls", async () => {
    await openSettings("users", "Users");
    await page.getByRole("button", { name: "Add a user" }).click();
    await page.getByLabel("E-mail").fill(VIEWER);
    await inspect(page, "store-user-new");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const link = (await page.getByText(/\/setup#/).textContent()) ?? "";
    await inspect(page, "store-user-invited");
    await page.getByRole("button", { name: "I have sent it" }).click();
    await page.getByText("invited", { exact: true }).waitFor();
    await page.getByText("Member: invited").waitFor();
    await inspect(page, "store-users");

    const viewer = await dashboard.newPage();
    await viewer.goto(link);
    await viewer.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await viewer.getByRole("button", { name: "Set password" }).click();
    await viewer.waitForURL(`**/stores/${storeId}`);
    await openSettings("api-keys", "API keys", viewer);
    await viewer.getByText("For the store's owners").waitFor();
    expect(await viewer.getByRole("button", { name: "Create API Key" }).count()).to.equal(0);
    await inspect(viewer, "api-keys-viewer");
    await openSettings("users", "Users", viewer);
    await viewer.getByText("For the store's owners").waitFor();
    await openSettings("payment-methods", "Payment methods", viewer);
    await viewer.getByText("Taproot (BIP 86)").waitFor();
    for (const name of ["Remove", "Use another wallet"])
      expect(await viewer.getByRole("button", { name }).count()).to.equal(0);
    await openSettings("general", "General", viewer);
    await viewer.getByLabel("Name", { exact: true }).waitFor();
    expect(await viewer.getByLabel("Name", { exact: true }).isDisabled()).to.equal(true);
    expect(await viewer.getByRole("button", { name: "Save" }).count()).to.equal(0);
    expect(await viewer.getByRole("link", { name: "Audit log" }).count()).to.equal(0);
  });

  it("asks whether to delete a leaving owner's keys, shows whose they are, and deletes them by default", async () => {
    const { ctx } = dashboard;
    const userId = await dashboard.join(storeId, VIEWER);
    const { apiKey } = await createApiKey(
      { ...ctx, actor: { kind: "user", id: userId } },
      { storeId, name: "till-2" },
    );
    await openSettings("api-keys", "API keys");
    await page.getByRole("row").filter({ hasText: "till-2" }).getByText(VIEWER).waitFor();
    const works = async (): Promise<boolean> => (await authenticate(ctx, apiKey)) !== null;

    await openSettings("users", "Users");
    await page.getByRole("combobox", { name: `Role of ${VIEWER}` }).click();
    await page.getByRole("option", { name: "Member" }).click();
    await page.getByText("They made 1 API key").waitFor();
    expect(await page.getByRole("radio", { name: "Delete them" }).isChecked()).to.equal(true);
    await inspect(page, "store-user-keys");
    await page.getByRole("radio", { name: "Keep them" }).click();
    await page.getByRole("button", { name: "Change the role" }).click();
    await toast(`The role of ${VIEWER} is changed.`);
    expect(await works()).to.equal(true);
    await page.getByRole("button", { name: `Remove ${VIEWER}` }).click();
    await page.getByText("They made 1 API key").waitFor();
    await page.getByRole("button", { name: "Remove user" }).click();
    await toast(`${VIEWER} was removed from this store.`);
    expect(await works()).to.equal(false);
  });

  it("invites a user with an account, who accepts in the dashboard", async () => {
    await page.reload();
    await page.getByRole("button", { name: "Add a user" }).click();
    await page.getByLabel("E-mail").fill(VIEWER);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("The invitation is in their dashboard").waitFor();
    await inspect(page, "store-user-offered");
    await page.getByRole("button", { name: "Done" }).click();
    const viewer = await dashboard.newPage();
    await viewer.goto(`${dashboard.base}/login`);
    await viewer.getByLabel("E-mail").fill(VIEWER);
    await viewer.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await viewer.keyboard.press("Enter");
    await viewer.getByRole("heading", { name: "Invitations" }).waitFor();
    await inspect(viewer, "stores-invited");
    await viewer.getByRole("button", { name: "Accept" }).click();
    await viewer.getByRole("link", { name: "Tea shop" }).first().waitFor();
    await viewer.getByRole("heading", { name: "Invitations" }).waitFor({ state: "hidden" });
  });

  it("allows a server admin to invite, disable and reset users, but never the last admin", async () => {
    await open("/admin/users", "Users");
    await page.getByRole("button", { name: "Invite a user" }).click();
    await page.getByLabel("E-mail").fill("vera@shop.example");
    await inspect(page, "admin-user-new");
    await page.getByRole("button", { name: "Create the link" }).click();
    const link = (await page.getByText(/\/setup#/).textContent()) ?? "";
    await inspect(page, "admin-user-invited");
    await page.getByRole("button", { name: "I have sent it" }).click();
    expect(await page.content()).to.not.include(link);
    const row = (email: string) => page.getByRole("row").filter({ hasText: email });
    await row("vera@shop.example").getByText("invited").waitFor();
    await inspect(page, "admin-users");
    const choose = async (email: string, item: string, agree: string): Promise<void> => {
      await page.getByRole("button", { name: `More about ${email}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
      await page.getByRole("dialog").getByRole("button", { name: agree }).click();
    };
    await choose(VIEWER, "Send a reset link", "Send the link");
    await page.getByText(/\/setup#/).waitFor();
    await page.getByRole("button", { name: "I have sent it" }).click();
    await choose(VIEWER, "Disable", "Disable");
    await row(VIEWER).getByText("disabled").waitFor();
    await choose(OWNER, "Remove admin rights", "Remove admin rights");
    await toast("This is the last server admin");
  });

  it("shows a server admin the server's state, and open alerts", async () => {
    const { manager } = dashboard.ctx.db;
    const at = await dashboard.ctx.now(manager);
    await manager.upsert(
      PaymentMethodSync,
      { type: "BTC-CHAIN", caughtUpTo: at, checkedAt: at, synchronized: true, nodeHeight: 939_000 },
      ["type"],
    );
    await manager.query(
      "INSERT INTO heartbeats (instance_id, worker, started_at, beat_at) VALUES ('shop-1:4711', 'webhook-delivery', $1, $1)",
      [at],
    );
    await open("/admin/health", "Health");
    await page.getByRole("table", { name: "Processes" }).getByText("webhook-delivery").waitFor();
    const alerts = page.getByRole("table", { name: "Open alerts" });
    await alerts.getByText("wallet").first().waitFor();
    expect(await page.getByRole("link", { name: "Open the queue board" }).getAttribute("href")).to.equal(
      `${dashboard.base}/admin/queues`,
    );
    await inspect(page, "admin-health");
    const before = await alerts.getByRole("row").count();
    await alerts.getByRole("button", { name: "Resolve" }).first().click();
    await toast("The alert is closed.");
    await eventually(async () => expect(await alerts.getByRole("row").count()).to.be.lessThan(before));
  });

  it("filters the audit log by the address", async () => {
    await open("/admin/audit", "Audit log");
    const lines = page.getByRole("table", { name: "Audit log" });
    await lines.getByText("Wallet: removed").waitFor();
    await inspect(page, "admin-audit");
    await page.getByRole("combobox", { name: "What" }).click();
    await page.getByRole("option", { name: "api-key.deleted" }).click();
    await page.waitForURL(/action=api-key\.deleted/);
    const deleted = await dashboard.ctx.db.manager.countBy(AuditEntry, { action: "api-key.deleted" });
    await eventually(async () => expect(await lines.getByRole("row").count()).to.equal(1 + deleted));
    await lines.getByText("Api key: deleted").first().waitFor();
    await page.getByLabel("User or key ID").fill("nobody");
    await page.getByText("No matching entries").waitFor();
    await page.getByRole("button", { name: "Clear all" }).click();
    await lines.getByText("Wallet: removed").waitFor();
  });
});
