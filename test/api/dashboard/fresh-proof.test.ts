import { expect } from "chai";
import { TOTP } from "otpauth";
import { SESSION_ROUTES } from "../../../api/route-table";
import type { DashboardRoute } from "../../../api/dashboard/route";
import { makePasskeys } from "../../../adapters/passkeys";
import { LOGIN_POLICIES } from "../../../adapters/login-limits";
import { createUserLink } from "../../../commands/accounts/user-links";
import { Alert } from "../../../entities/alert";
import { Passkey } from "../../../entities/passkey";
import { Store } from "../../../entities/store";
import { makeAuthenticator } from "../../support/authenticator";
import { expectRefused, startApi, type TestApi, type TestStore } from "../server";
import { logInAs, openBrowser, type Browser } from "./browser";
import { testUser } from "./user";
import { buildUser, PASSWORD } from "../../support/factories";

const ORIGIN = "http://localhost:3000";
const SUDO_MS = 10 * 60_000;
const changing = SESSION_ROUTES.filter(({ method }) => method !== "get");

/** A value of each field that asks for a proof, which is not the one of a new store. */
const VALUES: Record<string, unknown> = {
  defaultCurrency: "SATS",
  expiresInSeconds: 2_592_000,
  paymentTolerance: "99.9999",
  requiredConfirmations: 3,
  confirmationTiers: [{ aboveSats: 1, confirmations: 3 }],
  zeroConfMaxSats: 5,
  rateSpread: "5",
  rateSources: null,
  checkoutOrigins: ["https://evil.example"],
};

describe("dashboard: the fresh proof", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    api.ctx.passkeys = makePasskeys(ORIGIN);
    shop = await api.store();
  });
  after(() => api.stop());
  afterEach(() => api.db.query("DELETE FROM rate_limits"));

  const prove = (browser: Browser, proof: object) => browser.ask("POST", "/session/reauthenticate", proof);
  const isFresh = async (browser: Browser) => (await browser.ask("GET", "/session")).json.sudo;
  const sinceLong = () => api.ctx.clock.advance(SUDO_MS);

  async function account({ totp = false, passkey = false, admin = false } = {}) {
    const user = await buildUser(api.ctx, { admin });
    const browser = await logInAs(api.base, user.email);
    const device = makeAuthenticator({ origin: ORIGIN });
    let secret = "";
    let recoveryCodes: string[] = [];
    if (passkey) {
      const { options } = (await browser.ask("POST", "/account/passkeys/options", {})).json;
      const body = { name: "Phone", response: device.register(options) };
      expect((await browser.ask("POST", "/account/passkeys", body)).status).to.equal(201);
    }
    const code = async () =>
      new TOTP({ secret }).generate({ timestamp: (await api.ctx.now(api.db.manager)).getTime() });
    if (totp) {
      secret = (await browser.ask("POST", "/account/totp")).json.secret;
      const confirmed = await browser.ask("POST", "/account/totp/confirm", { code: await code() });
      recoveryCodes = confirmed.json.recoveryCodes;
    }
    const byPasskey = async () => {
      const { options } = (await browser.ask("POST", "/session/passkey-options", {})).json;
      return prove(browser, { passkey: device.logIn(options) });
    };
    sinceLong();
    return { ...user, browser, code, recoveryCodes, byPasskey };
  }

  describe("is required by each route that changes something, or the route declares that it needs none", () => {
    const ids: Record<string, string> = {};
    const rows = () =>
      api.db.query<object[]>(
        `SELECT (SELECT json_agg(s ORDER BY id) FROM stores s)::text, (SELECT json_agg(w ORDER BY id) FROM webhooks w)::text,
                (SELECT json_agg(m ORDER BY user_id) FROM store_members m)::text, (SELECT json_agg(u ORDER BY id) FROM users u)::text,
                (SELECT count(*) FROM api_keys)::text, (SELECT count(*) FROM sessions)::text, (SELECT count(*) FROM alerts)::text,
                (SELECT count(*) FROM store_payment_methods)::text, (SELECT count(*) FROM user_links)::text`,
      );
    const filled = ({ path }: DashboardRoute) =>
      path.replaceAll(/:(\w+)/g, (_, part: string) => ids[part] ?? "none");
    before(() => (ids["storeId"] = shop.storeId));

    for (const route of changing)
      it(`${route.method.toUpperCase()} ${route.path}`, async () => {
        const { sudo } = route;
        expect(sudo, "say `sudo: true`, `sudo: false` or the fields that need it").not.to.equal(undefined);
        const admin = await testUser(api, { admin: true });
        sinceLong();
        const before = await rows();
        const call = (body: object | null) =>
          admin.call(route.method.toUpperCase(), filled(route), body === null ? {} : { body });
        if (sudo === false) {
          const { json } = await call(route.body === null ? null : {});
          expect(json.code).not.to.equal("reauthentication-needed");
          return;
        }
        const bodies =
          typeof sudo === "object"
            ? sudo.map((field) => ({ [field]: VALUES[field] }))
            : [route.body === null ? null : {}];
        for (const body of bodies) {
          const { status, json, text } = await call(body);
          expect([status, json.code], text).to.deep.equal([403, "reauthentication-needed"]);
        }
        expect(await rows()).to.deep.equal(before);
      });
  });

  it("is the password only when no second factor is set up", async () => {
    const plain = await account();
    expect(await isFresh(plain.browser)).to.equal(false);
    expect((await prove(plain.browser, { password: PASSWORD })).status).to.equal(204);
    expect(await isFresh(plain.browser)).to.equal(true);
    for (const [factors, pointer] of [
      [{ totp: true }, "/code"],
      [{ passkey: true }, "/passkey"],
      [{ totp: true, passkey: true }, "/code"],
    ] as const) {
      const { browser } = await account(factors);
      const refused = await prove(browser, { password: PASSWORD });
      expect([refused.status, refused.json.errors[0]?.pointer]).to.deep.equal([422, pointer]);
      const wrong = await prove(browser, { password: "not the right password" });
      expect({ ...wrong.json, requestId: "" }).to.deep.equal({ ...refused.json, requestId: "" });
      expect(await isFresh(browser)).to.equal(false);
      const deleted = await browser.ask("DELETE", "/account/totp");
      expectRefused(deleted, 403, "reauthentication-needed");
    }
  });

  it("is the password with a code of the app or a recovery code, and neither alone", async () => {
    const { browser, code, recoveryCodes } = await account({ totp: true });
    for (const proof of [{ code: await code() }, { code: recoveryCodes[0] }]) {
      const refused = await prove(browser, proof);
      expect([refused.status, refused.json.errors[0]?.pointer]).to.deep.equal([422, "/password"]);
    }
    for (const proof of [
      { password: "not the right password", code: await code() },
      { password: PASSWORD, code: "000000" },
    ])
      expectRefused(await prove(browser, proof), 403, "invalid-credentials");
    expect(await isFresh(browser)).to.equal(false);
    expect((await prove(browser, { password: PASSWORD, code: await code() })).status).to.equal(204);
    sinceLong();
    expect(await isFresh(browser)).to.equal(false);
    expect((await prove(browser, { password: PASSWORD, code: recoveryCodes[0] })).status).to.equal(204);
    expect(await isFresh(browser)).to.equal(true);
  });

  it("is not renewed by a password change, which needs it when a second factor is set up", async () => {
    const next = "eight more unrelated giraffes";
    const { browser, code } = await account({ totp: true });
    const body = { password: next, currentPassword: PASSWORD };
    expectRefused(await browser.ask("PUT", "/account/password", body), 403, "reauthentication-needed");
    await prove(browser, { password: PASSWORD, code: await code() });
    api.ctx.clock.advance(SUDO_MS - 60_000);
    expect((await browser.ask("PUT", "/account/password", body)).status).to.equal(204);
    expect(await isFresh(browser)).to.equal(true);
    api.ctx.clock.advance(60_000);
    expect(await isFresh(browser)).to.equal(false);
  });

  it("is valid only in the session in which it was given", async () => {
    const { email, browser } = await account();
    const other = await logInAs(api.base, email);
    sinceLong();
    await prove(browser, { password: PASSWORD });
    expect(await isFresh(browser)).to.equal(true);
    expect(await isFresh(other)).to.equal(false);
  });

  it("ends in the other sessions when a second factor is set up and when the password is reset", async () => {
    for (const change of ["totp", "passkey", "reset"] as const) {
      const { email, browser } = await account();
      const thief = await logInAs(api.base, email);
      expect(await isFresh(thief)).to.equal(true);
      await prove(browser, { password: PASSWORD });
      if (change === "totp") {
        const { secret } = (await browser.ask("POST", "/account/totp")).json;
        const timestamp = (await api.ctx.now(api.db.manager)).getTime();
        await browser.ask("POST", "/account/totp/confirm", {
          code: new TOTP({ secret }).generate({ timestamp }),
        });
      } else if (change === "passkey") {
        const { options } = (await browser.ask("POST", "/account/passkeys/options", {})).json;
        const response = makeAuthenticator({ origin: ORIGIN }).register(options);
        await browser.ask("POST", "/account/passkeys", { name: "Phone", response });
      } else {
        const { url } = await createUserLink(api.ctx, { email, kind: "reset" });
        const body = { token: url.split("#").at(-1), password: "eight more unrelated giraffes" };
        expect((await openBrowser(api.base).ask("POST", "/links/use", body)).status).to.equal(200);
      }
      expect(await isFresh(thief), change).to.equal(false);
      expect(await isFresh(browser), change).to.equal(change !== "reset");
    }
  });

  it("is counted for the session and not for the account, and a passkey is not counted at all", async () => {
    const { email, browser, byPasskey, code } = await account({ totp: true, passkey: true });
    const wrong = { password: PASSWORD, code: "000000" };
    for (let times = 0; times < LOGIN_POLICIES.sudo.limit; times += 1)
      expect((await prove(browser, wrong)).status).to.equal(403);
    const closed = await prove(browser, { password: PASSWORD, code: await code() });
    expectRefused(closed, 429, "rate-limited");
    expect((await byPasskey()).status).to.equal(204);
    expect(await api.db.manager.countBy(Passkey, {})).to.be.above(0);
    const other = await passwordLogin(email);
    expect(other.json).to.include({ next: "second-factor" });
  });
  const passwordLogin = (email: string) => {
    const headers = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
    return fetch(`${api.base}/api/dashboard/login`, {
      method: "POST",
      headers,
      body: JSON.stringify({ email, password: PASSWORD }),
    }).then(async (response) => ({ json: (await response.json()) as object }));
  };

  it("is not required of API keys; goods released sooner raise an alert all the same", async () => {
    const { storeId, apiKey: key } = shop;
    const change = async (body: object) => {
      const answer = await api.call("PATCH", `/stores/${storeId}`, { key, body });
      expect(answer.status, answer.text).to.equal(200);
    };
    const alerts = () => api.db.manager.find(Alert, { where: { kind: "settings-weakened", storeId } });
    await change({ paymentTolerance: "99.9999" });
    await change({ zeroConfMaxSats: 2_100_000_000_000_000, requiredConfirmations: 0 });
    await change({ defaultCurrency: "SATS" });
    await change({ expiresInSeconds: 2_592_000 });
    const raised = await alerts();
    expect(raised.map(({ severity }) => severity)).to.deep.equal(["warning"]);
    expect(raised.map(({ message }) => message).join(" "))
      .to.include("by an API key")
      .and.include("paymentTolerance, confirmations, zeroConfMaxSats, defaultCurrency, expiresInSeconds")
      .and.include("in 4 changes");
    await change({
      paymentTolerance: "0",
      requiredConfirmations: 1,
      zeroConfMaxSats: null,
      expiresInSeconds: 900,
      name: "Tea",
    });
    expect(await alerts()).to.deep.equal(raised);
    const { paymentTolerance } = await api.db.manager.findOneByOrFail(Store, { id: storeId });
    expect(Number(paymentTolerance)).to.equal(0);
  });
});
