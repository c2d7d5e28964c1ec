import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { TOTP } from "otpauth";
import { makeSecretBox } from "../../../adapters/crypto";
import { LOGIN_POLICIES, makeLoginLimits } from "../../../adapters/login-limits";
import { deviceCookie, hashOfEmail, readDevice } from "../../../api/dashboard/known-browser";
import { parseTrustedProxies } from "../../../domain/client-address";
import { TEST_APP_SECRET } from "../../support/context";
import { startApi, type TestApi } from "../server";
import { logInAs, openBrowser, type Browser } from "./browser";
import { buildUser, PASSWORD } from "../../support/factories";

const WRONG = "not the right password";
const DEVICE = /^quittance-device-/;

const keysOf = (secrets: Parameters<typeof makeSecretBox>[0]) => ({
  randomBytes,
  secrets: makeSecretBox(secrets),
});

describe("dashboard: a known browser", () => {
  let api: TestApi;
  before(
    async () => (api = await startApi({ parts: { trustedProxies: parseTrustedProxies(["127.0.0.0/8"]) } })),
  );
  after(() => api.stop());
  afterEach(() => api.db.query("DELETE FROM rate_limits"));

  const login = async (browser: Browser, email: string, password: string, ip: string): Promise<number> =>
    (await browser.ask("POST", "/login", { email, password }, { "x-forwarded-for": ip })).status;

  /** As ten wrong passwords from each of ten addresses do, without their hashes. */
  async function lockOut(email: string): Promise<void> {
    const limits = makeLoginLimits({
      redisUrl: undefined,
      db: () => api.db,
      log: api.ctx.log,
      deadlineMs: 60_000,
    });
    const account = hashOfEmail(api.ctx, email);
    for (let times = 0; times < LOGIN_POLICIES.account.limit; times += 1) await limits.account.take(account);
    limits.close();
  }

  it("can log in when somebody who knows the e-mail address has locked the account from elsewhere", async () => {
    const { email } = await buildUser(api.ctx);
    const known = await logInAs(api.base, email);
    await known.ask("POST", "/logout");
    await lockOut(email);
    expect(await login(openBrowser(api.base), email, PASSWORD, "203.0.113.9")).to.equal(429);
    expect(await login(known, email, PASSWORD, "203.0.113.9")).to.equal(200);
    const proven = await known.ask("POST", "/session/reauthenticate", { password: PASSWORD });
    expect(proven.status).to.equal(204);
  });

  it("can log in when others used up its own address's tries", async () => {
    const { email } = await buildUser(api.ctx);
    const known = await logInAs(api.base, email);
    for (let times = 0; times < LOGIN_POLICIES.pair.limit; times += 1)
      await login(openBrowser(api.base), email, WRONG, "203.0.113.10");
    expect(await login(openBrowser(api.base), email, PASSWORD, "203.0.113.10")).to.equal(429);
    expect(await login(known, email, PASSWORD, "203.0.113.10")).to.equal(200);
  });

  it("has its own tries, which are limited and not renewed by a login", async () => {
    const { email } = await buildUser(api.ctx);
    const known = await logInAs(api.base, email);
    const copy = openBrowser(api.base);
    for (const [name, value] of known.jar) if (DEVICE.test(name)) copy.jar.set(name, value);
    const { limit } = LOGIN_POLICIES.device;
    expect(await login(copy, email, PASSWORD, "203.0.113.11")).to.equal(200);
    for (let times = 1; times < limit; times += 1)
      expect(await login(copy, email, WRONG, "203.0.113.11")).to.equal(403);
    expect(await login(copy, email, PASSWORD, "203.0.113.11")).to.equal(429);
    // A browser that is not known is counted elsewhere: whoever has a cookie does not lock others out.
    expect(await login(openBrowser(api.base), email, PASSWORD, "203.0.113.12")).to.equal(200);
  });

  it("is known for that account only, and not by a forged or expired cookie", async () => {
    const [mine, theirs] = [await buildUser(api.ctx), await buildUser(api.ctx)];
    const known = await logInAs(api.base, mine.email);
    const [name = "", value = ""] = [...known.jar].find(([one]) => DEVICE.test(one)) ?? [];
    const read = (email: string, cookie: string) => readDevice(api.ctx, email, () => cookie);
    expect(read(` ${mine.email.toUpperCase()} `, value)).to.match(/^[\w-]{22}$/);
    expect(name).not.to.equal(deviceCookie(api.ctx, theirs.email, null).name);
    expect(read(theirs.email, value)).to.equal(null);
    const [nonce = "", expiry = "", signature = ""] = value.split(".");
    const longer = (parseInt(expiry, 36) + 1_000).toString(36);
    for (const cookie of [
      "",
      "..",
      `${nonce}.${longer}.${signature}`,
      `${nonce.startsWith("A") ? "B" : "A"}${nonce.slice(1)}.${expiry}.${signature}`,
      `${value}.x`,
      deviceCookie(keysOf({ appSecret: `${TEST_APP_SECRET} other` }), mine.email, null).value,
    ])
      expect(read(mine.email, cookie), cookie).to.equal(null);
    expect(value).not.to.include(mine.userId).and.not.include("@");
  });

  it("stays known while APP_SECRET is changed", () => {
    const email = "me@example.com";
    const before = keysOf({ appSecret: "the former secret" });
    const after = keysOf({ appSecret: "the new secret", appSecretOld: "the former secret" });
    const { name, value } = deviceCookie(before, email, null);
    const cookie = (asked: string) => (asked === name ? value : undefined);
    expect(readDevice(after, email, cookie)).to.equal(value.split(".")[0]);
    expect(readDevice(keysOf({ appSecret: "the new secret" }), email, cookie)).to.equal(null);
  });

  it("can enter its code when somebody who knows the password has used up the account's codes", async function () {
    this.timeout(60_000);
    const { userId, email } = await buildUser(api.ctx);
    const known = await logInAs(api.base, email);
    const { secret } = (await known.ask("POST", "/account/totp")).json;
    const code = async () =>
      new TOTP({ secret }).generate({ timestamp: (await api.ctx.now(api.db.manager)).getTime() });
    await known.ask("POST", "/account/totp/confirm", { code: await code() });
    api.ctx.clock.advance(60_000);
    for (let times = 0; times < LOGIN_POLICIES.secondFactor.limit; times += 5) {
      const thief = openBrowser(api.base);
      await login(thief, email, PASSWORD, "203.0.113.13");
      for (let tries = 0; tries < 5; tries += 1)
        await thief.ask("POST", "/login/second-factor", { code: "000000" });
    }
    const half = openBrowser(api.base);
    await login(half, email, PASSWORD, "203.0.113.14");
    expect((await half.ask("POST", "/login/second-factor", { code: await code() })).status).to.equal(429);
    await known.ask("POST", "/logout");
    await login(known, email, PASSWORD, "203.0.113.15");
    const entered = await known.ask("POST", "/login/second-factor", { code: await code() });
    expect(entered.json.user.userId).to.equal(userId);
  });
});
