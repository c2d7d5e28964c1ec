import { expect } from "chai";
import { changeUser } from "../../../commands/accounts/change-user";
import { createUserLink } from "../../../commands/accounts/user-links";
import { makePasskeys } from "../../../adapters/passkeys";
import { AuditEntry } from "../../../entities/audit-entry";
import { makeAuthenticator, type Authenticator } from "../../support/authenticator";
import { expectRefused, startApi, type TestApi } from "../server";
import { logInAs, openBrowser, type Browser, type BrowserAnswer } from "./browser";
import { buildUser, PASSWORD } from "../../support/factories";

const ORIGIN = "https://pay.example.com";

describe("dashboard: passkeys", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ parts: { publicUrl: ORIGIN } });
    api.ctx.settings.publicUrl = ORIGIN;
    api.ctx.passkeys = makePasskeys(ORIGIN);
  });
  after(() => api.stop());
  afterEach(() => api.db.query("DELETE FROM rate_limits"));

  async function register(browser: Browser, device: Authenticator, name = "Phone"): Promise<BrowserAnswer> {
    const { options } = (await browser.ask("POST", "/account/passkeys/options")).json;
    return browser.ask("POST", "/account/passkeys", { name, response: device.register(options) });
  }
  async function logIn(device: Authenticator, browser = openBrowser(api.base)): Promise<BrowserAnswer> {
    const { options } = (await browser.ask("POST", "/login/passkey/options")).json;
    return browser.ask("POST", "/login/passkey", { response: device.logIn(options) });
  }
  async function withPasskey() {
    const user = await buildUser(api.ctx);
    const browser = await logInAs(api.base, user.email);
    const device = makeAuthenticator({ origin: ORIGIN });
    const { passkeyId } = (await register(browser, device)).json;
    return { ...user, browser, device, passkeyId };
  }

  it("are added, listed, renamed and deleted, and each change is recorded", async () => {
    const { userId, browser, passkeyId } = await withPasskey();
    const { json } = await browser.ask("GET", "/account");
    expect(json["passkeys"]).to.have.length(1);
    const renamed = await browser.ask("PATCH", `/account/passkeys/${passkeyId}`, { name: " Key ring " });
    expect(renamed.json).to.include({ passkeyId, name: "Key ring", lastUsedAt: null });
    expect((await browser.ask("DELETE", `/account/passkeys/${passkeyId}`)).status).to.equal(204);
    expectRefused(await browser.ask("DELETE", `/account/passkeys/${passkeyId}`), 404, "passkey-not-found");
    const entries = await api.db.manager.find(AuditEntry, {
      where: { subject: userId },
      order: { at: "ASC" },
    });
    const actions = entries.map(({ action }) => action).filter((action) => action.includes("passkey"));
    expect(actions).to.deep.equal(["user.passkey-added", "user.passkey-renamed", "user.passkey-deleted"]);
  });

  it("log in without a password and without a code", async () => {
    const { userId, email, device } = await withPasskey();
    const browser = openBrowser(api.base);
    expect((await logIn(device, browser)).json).to.deep.equal({ user: { userId, email, admin: false } });
    expect((await browser.ask("GET", "/session")).json.sudo).to.equal(true);
    expect((await logIn(device)).status).to.equal(200);
  });

  it("confirm the user at the browser: only the user's own", async () => {
    const { browser, device } = await withPasskey();
    const { device: anothers } = await withPasskey();
    const confirm = async (one: Authenticator) => {
      const { options } = (await browser.ask("POST", "/login/passkey/options")).json;
      return browser.ask("POST", "/session/reauthenticate", { passkey: one.logIn(options) });
    };
    api.ctx.clock.advance(10 * 60_000);
    expectRefused(await confirm(anothers), 403, "invalid-credentials");
    expect((await browser.ask("GET", "/session")).json.sudo).to.equal(false);
    expect((await confirm(device)).status).to.equal(204);
    expect((await browser.ask("GET", "/session")).json.sudo).to.equal(true);
  });

  it("are refused for another user of the same browser", async () => {
    const { passkeyId } = await withPasskey();
    const { browser } = await withPasskey();
    for (const [method, body] of [
      ["DELETE", undefined],
      ["PATCH", { name: "Mine" }],
    ] as const)
      expectRefused(
        await browser.ask(method, `/account/passkeys/${passkeyId}`, body),
        404,
        "passkey-not-found",
      );
  });

  it("are refused once they are deleted, and when their user is disabled", async () => {
    const { browser, device, passkeyId } = await withPasskey();
    await browser.ask("DELETE", `/account/passkeys/${passkeyId}`);
    expectRefused(await logIn(device), 403, "invalid-credentials");
    const disabled = await withPasskey();
    await changeUser(api.ctx, disabled.userId, { disabled: true });
    expect((await logIn(disabled.device)).status).to.equal(403);
  });

  it("answer a challenge once, within five minutes, and only one of ours", async () => {
    const { device } = await withPasskey();
    const browser = openBrowser(api.base);
    const { options } = (await browser.ask("POST", "/login/passkey/options")).json;
    const response = device.logIn(options);
    expect((await browser.ask("POST", "/login/passkey", { response })).status).to.equal(200);
    expect((await browser.ask("POST", "/login/passkey", { response })).status).to.equal(403);
    const late = (await browser.ask("POST", "/login/passkey/options")).json.options;
    api.ctx.clock.advance(5 * 60_000);
    const answer = { response: device.logIn(late) };
    expect((await browser.ask("POST", "/login/passkey", answer)).status).to.equal(403);
    const made = { response: device.logIn({ challenge: "bWFkZSB1cA" }) };
    expect((await browser.ask("POST", "/login/passkey", made)).status).to.equal(403);
  });

  it("do not log in by a challenge of a registration, nor vice versa", async () => {
    const { browser, device } = await withPasskey();
    const { options } = (await browser.ask("POST", "/account/passkeys/options")).json;
    const crossed = { response: device.logIn(options) };
    expect((await browser.ask("POST", "/login/passkey", crossed)).status).to.equal(403);
    const login = (await browser.ask("POST", "/login/passkey/options")).json.options;
    const other = { name: "x", response: makeAuthenticator({ origin: ORIGIN }).register(login) };
    expect((await browser.ask("POST", "/account/passkeys", other)).status).to.equal(422);
  });

  it("are not added by another user's challenge", async () => {
    const [one, two] = [await withPasskey(), await withPasskey()];
    const { options } = (await one.browser.ask("POST", "/account/passkeys/options")).json;
    const body = { name: "x", response: makeAuthenticator({ origin: ORIGIN }).register(options) };
    expect((await two.browser.ask("POST", "/account/passkeys", body)).status).to.equal(422);
  });

  for (const [what, options] of [
    ["another site's page", { origin: "https://pay.example.com.evil.example", rpId: "pay.example.com" }],
    ["another host's authenticator", { origin: ORIGIN, rpId: "evil.example" }],
    ["an authenticator that did not look who it is", { origin: ORIGIN, userVerified: false }],
  ] as const)
    it(`refuse ${what}`, async () => {
      const browser = await logInAs(api.base, (await buildUser(api.ctx)).email);
      const refused = await register(browser, makeAuthenticator(options));
      expect([refused.status, refused.json.errors[0]?.pointer]).to.deep.equal([422, "/answer"]);
    });

  it("refuse a signature of another key, and an invalid answer", async () => {
    const { device } = await withPasskey();
    const forger = { ...makeAuthenticator({ origin: ORIGIN }), credentialId: device.credentialId };
    const browser = openBrowser(api.base);
    const { options } = (await browser.ask("POST", "/login/passkey/options")).json;
    const forged = { ...forger.logIn(options), id: device.credentialId, rawId: device.credentialId };
    expect((await browser.ask("POST", "/login/passkey", { response: forged })).status).to.equal(403);
    for (const clientDataJSON of ["", "bm8ganNvbg", "bnVsbA", "eyJjaGFsbGVuZ2UiOjF9"]) {
      const response = { id: device.credentialId, response: { clientDataJSON } };
      expect((await browser.ask("POST", "/login/passkey", { response })).status, clientDataJSON).to.equal(
        403,
      );
    }
  });

  it("refuse a challenge that cannot be stored", async () => {
    const clientDataJSON = Buffer.from(JSON.stringify({ challenge: "\0" })).toString("base64url");
    const response = { id: "x", response: { clientDataJSON } };
    const answer = await openBrowser(api.base).ask("POST", "/login/passkey", { response });
    expectRefused(answer, 403, "invalid-credentials");
  });

  it("are refused when their counter went back, as with a copy", async () => {
    const { device } = await withPasskey();
    expect((await logIn(device)).status).to.equal(200);
    expect((await logIn(device)).status).to.equal(200);
    device.counter = 0;
    expect((await logIn(device)).status).to.equal(403);
  });

  it("are added once", async () => {
    const { device } = await withPasskey();
    const browser = await logInAs(api.base, (await buildUser(api.ctx)).email);
    expect((await register(browser, device)).status).to.equal(422);
  });

  it("are required after a reset of the password too", async () => {
    const { userId, email, device } = await withPasskey();
    const { url } = await createUserLink(api.ctx, { email, kind: "reset" });
    const body = { token: url.split("#").at(-1), password: "eight more unrelated giraffes" };
    const browser = openBrowser(api.base);
    const reset = await browser.ask("POST", "/links/use", body);
    expect(reset.json).to.deep.equal({ next: "second-factor", by: ["passkey"] });
    expect((await browser.ask("GET", "/account")).status).to.equal(401);
    expect((await logIn(device, browser)).json.user.userId).to.equal(userId);
    const [passkey] = (await browser.ask("GET", "/account")).json["passkeys"] as { lastUsedAt: unknown }[];
    expect(passkey?.lastUsedAt).to.be.a("string");
  });

  it("are required after the password, which alone logs nobody in any more", async () => {
    const { email, device } = await withPasskey();
    const browser = openBrowser(api.base);
    const { json } = await browser.ask("POST", "/login", { email, password: PASSWORD });
    expect(json).to.deep.equal({ next: "second-factor", by: ["passkey"] });
    expect((await browser.ask("GET", "/session")).status).to.equal(401);
    const coded = await browser.ask("POST", "/login/second-factor", { code: "123456" });
    expectRefused(coded, 403, "invalid-credentials");
    expect((await logIn(device, browser)).json.user.email).to.equal(email);
    expect((await browser.ask("GET", "/session")).status).to.equal(200);
  });
});
