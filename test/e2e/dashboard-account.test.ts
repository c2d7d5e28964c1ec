import { expect } from "chai";
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { acceptRows } from "../../commands/server/authentic-rows";
import { createApiKey } from "../../commands/stores/api-key";
import { createUserLink } from "../../commands/accounts/user-links";
import { ApiKey } from "../../entities/api-key";
import { User } from "../../entities/user";
import { inspect, PASSWORD, startDashboard, type Dashboard } from "../support/dashboard";
import { buildStore } from "../support/factories";

const STEP_MS = 30_000;
const OTHER_PASSWORD = "seven quiet lanterns drifting";

describe("the dashboard's login and account in a browser", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  before(async function () {
    const started = await startDashboard();
    if (started === null) return this.skip();
    dashboard = started;
  });
  after(() => dashboard?.stop());
  afterEach(() => expect(dashboard.complaints.splice(0)).to.deep.equal([]));

  /** How far the server's clock was turned forward. */
  let turnedMs = 0;
  /** The app's next code: one that was used is refused. */
  function nextCode(secret: string): string {
    dashboard.ctx.clock.advance(STEP_MS);
    turnedMs += STEP_MS;
    return new TOTP({ secret }).generate({ timestamp: Date.now() + turnedMs });
  }

  const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
  const toast = (page: Page, text: string) => page.getByRole("alert").getByText(text).waitFor();

  async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
    if (!page.url().startsWith(`${dashboard.base}/login`)) await page.goto(`${dashboard.base}/login`);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
  }

  async function logOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await heading(page, "Log in");
  }

  async function addAuthenticator(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
  }

  it("opens a one-time link, and creates a store", async () => {
    const page = await dashboard.newPage();
    const link = await dashboard.newLink("ann@shop.example");
    const refused: string[] = [];
    page.on("response", (answer) => void (answer.status() === 404 && refused.push(answer.url())));
    await page.goto(link);
    await heading(page, "Welcome");
    await inspect(page, "setup");
    await page.getByLabel("Password", { exact: true }).fill("aaaaaaaaaaaa");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("Too easy to guess").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await heading(page, "Stores");
    await page.getByText("No stores yet").waitFor();
    expect(refused).to.deep.equal([]);
    await inspect(page, "stores-empty");
    await page.getByRole("button", { name: "New store" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("Tea shop");
    await inspect(page, "store-new");
    await page.getByRole("button", { name: "Create store" }).click();
    await page.waitForURL(/\/stores\/\w{44}\/settings\/payment-methods$/);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Open the menu" }).click();
    await inspect(page, "menu-of-store");
    await page.getByRole("link", { name: "Quittance" }).click();
    await page.getByRole("table", { name: "Stores" }).getByText("Tea shop").waitFor();
    await inspect(page, "stores");
    await page.evaluate("localStorage.clear()");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${dashboard.base}/account`);
    await page.getByRole("button", { name: "Store: Tea shop" }).waitFor();

    const other = await dashboard.newPage();
    await other.goto(link);
    await other.getByText("It has already been used or has expired").waitFor();
    await inspect(other, "setup-used");
  });

  it("archives a store, and restores it", async () => {
    const page = await dashboard.newUser("bea@shop.example");
    await page.getByRole("button", { name: "New store" }).first().click();
    await page.getByLabel("Name").fill("Old shop");
    await page.getByLabel("Currency").fill("nothing");
    await page.getByRole("button", { name: "Create store" }).click();
    await page.getByLabel("Currency").and(page.locator("[aria-invalid=true]")).waitFor();
    await page.getByLabel("Currency").fill("eur");
    await page.getByRole("button", { name: "Create store" }).click();
    await page.waitForURL(/payment-methods$/);
    await page.goto(`${dashboard.base}/stores`);
    await page.getByRole("button", { name: "More about Old shop" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await inspect(page, "store-archive");
    await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
    await page.getByText("No stores yet").waitFor();
    await page.getByRole("switch", { name: "Archived stores" }).click();
    await page.getByRole("button", { name: "More about Old shop" }).click();
    await page.getByRole("menuitem", { name: "Restore" }).click();
    await page.getByText("No archived stores").waitFor();
  });

  it("redirects anonymous users to the login, and back to the page they wanted", async () => {
    const page = await dashboard.newPage();
    await dashboard.newUser("cid@shop.example");
    await page.goto(`${dashboard.base}/account`);
    await heading(page, "Log in");
    await inspect(page, "login");
    await page.getByLabel("E-mail").fill("cid@shop.example");
    await page.getByLabel("Password", { exact: true }).fill("not this one");
    await page.keyboard.press("Enter");
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    await inspect(page, "login-refused");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Your account");
    expect(new URL(page.url()).pathname).to.equal("/account");
  });

  it("never redirects elsewhere after the login", async () => {
    const page = await dashboard.newPage();
    const addresses = ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"];
    for (const [index, next] of addresses.entries()) {
      const email = `dan${index}@shop.example`;
      await dashboard.newUser(email);
      await page.goto(`${dashboard.base}/login?${new URLSearchParams({ next }).toString()}`);
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.keyboard.press("Enter");
      await heading(page, "Stores");
      expect(new URL(page.url()).origin).to.equal(dashboard.base);
    }
  });

  it("requires a code of the app after the password, or a recovery code", async () => {
    const page = await dashboard.newUser("eve@shop.example");
    await page.goto(`${dashboard.base}/account`);
    await inspect(page, "account");
    await page.getByRole("button", { name: "Set up an app" }).click();
    const secret = await page.getByRole("group", { name: "Key" }).locator("pre").textContent();
    await inspect(page, "account-totp");
    await page.getByLabel("Code from the app").fill("000000");
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("Wrong code.").waitFor();
    await page.getByLabel("Code from the app").fill(nextCode(secret ?? ""));
    await page.getByRole("button", { name: "Turn on" }).click();
    const codes = page.getByRole("dialog").getByRole("listitem");
    await codes.first().waitFor();
    const recovery = (await codes.first().textContent()) ?? "";
    await inspect(page, "account-recovery-codes");
    await page.getByRole("button", { name: "I have saved them" }).click();
    await page.getByText("Recovery codes left: 10").waitFor();
    await logOut(page);

    await logIn(page, "eve@shop.example");
    await heading(page, "Two-step login");
    await inspect(page, "login-code");
    await page.getByLabel("Code").fill("123456");
    await page.keyboard.press("Enter");
    await toast(page, "The code is wrong");
    await page.getByLabel("Code").fill(nextCode(secret ?? ""));
    await page.keyboard.press("Enter");
    await heading(page, "Stores");
    await logOut(page);

    await logIn(page, "eve@shop.example");
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(recovery);
    await page.keyboard.press("Enter");
    await heading(page, "Stores");
    await page.goto(`${dashboard.base}/account`);
    await page.getByText("Recovery codes left: 9").waitFor();
  });

  it("requires a fresh proof when the last one is old, and then does what was requested", async () => {
    const page = await dashboard.newUser("fay@shop.example");
    await page.goto(`${dashboard.base}/account`);
    dashboard.ctx.clock.advance(11 * 60_000);
    turnedMs += 11 * 60_000;
    await page.getByRole("button", { name: "Set up an app" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it's you" });
    await dialog.waitFor();
    await inspect(page, "sudo");
    await dialog.getByRole("textbox", { name: "Password", exact: true }).fill("not this one");
    await page.keyboard.press("Enter");
    await toast(page, "The password, code or passkey is wrong.");
    await dialog.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: /QR code/ }).waitFor();
    await dialog.waitFor({ state: "hidden" });
  });

  it("takes the first password where a proof is asked for, and keeps what was typed", async () => {
    const email = "nopass@shop.example";
    const page = await dashboard.newUser(email);
    await dashboard.ctx.db.manager.update(User, { email }, { passwordHash: null });
    await acceptRows(dashboard.ctx);
    dashboard.ctx.clock.advance(11 * 60_000);
    turnedMs += 11 * 60_000;
    await page.goto(`${dashboard.base}/account`);
    await page.getByRole("button", { name: "Set a password" }).waitFor();
    const typed = page.getByLabel("Name of the new passkey");
    await typed.fill("Laptop");
    await page.getByRole("button", { name: "Set up an app" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it's you" });
    await dialog.waitFor();
    await inspect(page, "sudo-first-password");
    await dialog.getByRole("textbox", { name: "New password" }).fill(OTHER_PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: /QR code/ }).waitFor();
    expect(await typed.inputValue()).to.equal("Laptop");
    await page.getByRole("button", { name: "Change password" }).waitFor();
    await logOut(page);
    await logIn(page, email, OTHER_PASSWORD);
    await heading(page, "Stores");
  });

  it("requires the password and a code with an app, and a passkey when that is all", async () => {
    const page = await dashboard.newUser("zoe@shop.example");
    await addAuthenticator(page);
    await page.goto(`${dashboard.base}/account`);
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("table", { name: "Passkeys" }).getByText("Laptop").waitFor();
    const dialog = page.getByRole("dialog", { name: "Confirm that it's you" });
    const long = (): void => {
      dashboard.ctx.clock.advance(11 * 60_000);
      turnedMs += 11 * 60_000;
    };
    long();
    await page.getByRole("button", { name: "Set up an app" }).click();
    await dialog.waitFor();
    expect(await dialog.getByLabel("Password").count()).to.equal(0);
    await inspect(page, "sudo-passkey");
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    const secret = await page.getByRole("group", { name: "Key" }).locator("pre").textContent();
    await page.getByLabel("Code from the app").fill(nextCode(secret ?? ""));
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("button", { name: "I have saved them" }).click();
    long();
    await page.getByRole("button", { name: "New recovery codes" }).click();
    await dialog.waitFor();
    await inspect(page, "sudo-code");
    await dialog.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
    await dialog.getByLabel("Code").fill(nextCode(secret ?? ""));
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "I have saved them" }).click();
  });

  it("offers after a reset of the password what to end, after the second step", async () => {
    const page = await dashboard.newUser("yann@shop.example");
    await addAuthenticator(page);
    await page.goto(`${dashboard.base}/account`);
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("table", { name: "Passkeys" }).getByText("Laptop").waitFor();
    const store = await buildStore(dashboard.ctx);
    const userId = await dashboard.join(store.id, "yann@shop.example");
    const asYann = { ...dashboard.ctx, actor: { kind: "user", id: userId } as const };
    for (const name of ["Till", "Stranger"]) await createApiKey(asYann, { storeId: store.id, name });
    const { url } = await createUserLink(dashboard.ctx, { email: "yann@shop.example", kind: "reset" });
    await page.goto(url);
    await heading(page, "New password");
    await page.getByLabel("Password", { exact: true }).fill(OTHER_PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await heading(page, "Two-step login");
    await inspect(page, "login-passkey-step");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await heading(page, "Your password is changed");
    await inspect(page, "after-reset");
    expect(await page.getByLabel("Log out all other sessions").isChecked()).to.equal(true);
    expect(await page.getByLabel("Revoke unused one-time links").isChecked()).to.equal(true);
    const passkey = page.getByLabel("Remove the passkey Laptop");
    expect(await passkey.isChecked()).to.equal(false);
    await passkey.check();
    expect(await page.getByLabel("Delete the key Till").isChecked()).to.equal(false);
    await page.getByLabel("Delete the key Stranger").check();
    await page.getByRole("button", { name: "Continue" }).click();
    await heading(page, store.name);
    const left = await dashboard.ctx.db.manager.findBy(ApiKey, { storeId: store.id });
    expect(left.map(({ name }) => name)).to.deep.equal(["Till"]);
    await page.goto(`${dashboard.base}/account`);
    await page.getByText("No passkey yet").waitFor();
  });

  it("changes the password, and logs out elsewhere", async () => {
    const page = await dashboard.newUser("gus@shop.example");
    const elsewhere = await dashboard.newPage();
    await logIn(elsewhere, "gus@shop.example");
    await heading(elsewhere, "Stores");
    await page.goto(`${dashboard.base}/account`);
    await page.getByRole("table", { name: "Sessions" }).getByRole("button", { name: "Log out" }).waitFor();
    await inspect(page, "account-sessions");
    await page.getByLabel("New password").fill(OTHER_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await toast(page, "The password is changed.");
    await elsewhere.getByRole("button", { name: "Account" }).click();
    await elsewhere.getByRole("menuitem", { name: "Your account" }).click();
    await heading(elsewhere, "Log in");
    await logIn(elsewhere, "gus@shop.example", OTHER_PASSWORD);
    await heading(elsewhere, "Your account");
  });

  it("logs in by a passkey", async () => {
    const page = await dashboard.newUser("hal@shop.example");
    await addAuthenticator(page);
    await page.goto(`${dashboard.base}/account`);
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("table", { name: "Passkeys" }).getByText("Laptop").waitFor();
    await inspect(page, "account-passkeys");
    await logOut(page);
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await heading(page, "Stores");
    await page.goto(`${dashboard.base}/account`);
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No passkey yet").waitFor();
  });

  it("shows a page for unknown addresses, and for a store of others", async () => {
    const page = await dashboard.newUser("ida@shop.example");
    await page.goto(`${dashboard.base}/stores/4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq/nothing/here`);
    await heading(page, "Page not found");
    await inspect(page, "not-found");
    const { storeId } = await dashboard.api.store();
    await page.goto(`${dashboard.base}/stores/${storeId}/webhooks`);
    await heading(page, "You don't have access to this store");
    await inspect(page, "store-of-others");
  });

  it("is usable by keyboard only, on a phone's width too", async () => {
    const page = await dashboard.newUser("joe@shop.example");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await heading(page, "Stores");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).to.equal("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).to.equal("content");
    const menu = page.getByRole("button", { name: "Open the menu" });
    await menu.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Store: Choose a store" }).waitFor();
    await page.getByRole("button", { name: "Close the menu" }).waitFor();
    await inspect(page, "menu-open");
  });
});
