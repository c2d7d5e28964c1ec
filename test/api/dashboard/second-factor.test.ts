import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { totpSecretPlace } from "../../../commands/server/sealed-places";
import { TOTP } from "otpauth";
import { LOGIN_POLICIES } from "../../../adapters/login-limits";
import { recoveryCode, recoveryCodeHash } from "../../../domain/account/recovery-code";
import { AuditEntry } from "../../../entities/audit-entry";
import { RecoveryCode } from "../../../entities/recovery-code";
import { User } from "../../../entities/user";
import { expectRefused, startApi, type TestApi } from "../server";
import { logInAs, openBrowser, type Browser, type BrowserAnswer } from "./browser";
import { buildUser, PASSWORD } from "../../support/factories";

const COOKIE = "quittance-session";
const STEP_MS = 30_000;
const codeOf = ({ status, json }: BrowserAnswer) => [status, json.code];

describe("dashboard: codes of an authenticator app", () => {
  let api: TestApi;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  afterEach(() => api.db.query("DELETE FROM rate_limits"));

  const now = () => api.ctx.now(api.db.manager);
  /** The app's code so many steps from now. */
  async function codeFrom(secret: string, steps = 0): Promise<string> {
    return new TOTP({ secret }).generate({ timestamp: (await now()).getTime() + steps * STEP_MS });
  }
  /** Ready for a code that was not used yet. */
  const nextStep = () => api.ctx.clock.advance(2 * STEP_MS);

  interface Enrolled {
    userId: string;
    email: string;
    secret: string;
    recoveryCodes: string[];
    browser: Browser;
  }
  async function enrolled(): Promise<Enrolled> {
    const user = await buildUser(api.ctx);
    const browser = await logInAs(api.base, user.email);
    const { secret } = (await browser.ask("POST", "/account/totp")).json;
    const code = await codeFrom(secret);
    const { recoveryCodes } = (await browser.ask("POST", "/account/totp/confirm", { code })).json;
    nextStep();
    return { ...user, secret, recoveryCodes, browser };
  }
  /** After the password. */
  async function halfWay(email: string): Promise<Browser> {
    const browser = openBrowser(api.base);
    const { json } = await browser.ask("POST", "/login", { email, password: PASSWORD });
    expect(json).to.deep.equal({ next: "second-factor", by: ["code"] });
    return browser;
  }
  const give = (browser: Browser, code: string) => browser.ask("POST", "/login/second-factor", { code });

  it("are required after the password, and the half session allows nothing else", async () => {
    const { userId, email, secret } = await enrolled();
    const browser = await halfWay(email);
    for (const [method, path, body] of [
      ["GET", "/session", undefined],
      ["GET", "/account", undefined],
      ["GET", "/stores", undefined],
      ["POST", "/session/reauthenticate", { password: PASSWORD }],
      ["DELETE", "/account/totp", undefined],
    ] as const)
      expect(codeOf(await browser.ask(method, path, body)), path).to.deep.equal([401, "unauthenticated"]);
    const half = browser.jar.get(COOKIE);
    const entered = await give(browser, await codeFrom(secret));
    expect(entered.json).to.deep.equal({ user: { userId, email, admin: false } });
    expect(browser.jar.get(COOKIE)).not.to.equal(half);
    const stolen = openBrowser(api.base);
    stolen.jar.set(COOKIE, half ?? "");
    expect((await stolen.ask("GET", "/session")).status).to.equal(401);
    expect((await browser.ask("GET", "/session")).status).to.equal(200);
  });

  it("are stored with an encrypted key, which is shown as a link for the app", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const browser = await logInAs(api.base, email);
    const { secret, uri } = (await browser.ask("POST", "/account/totp")).json;
    expect(uri)
      .to.match(/^otpauth:\/\/totp\/Quittance:/)
      .and.include(`secret=${secret}`);
    const { totpSecretEncrypted } = await api.db.manager.findOneByOrFail(User, { id: userId });
    expect(totpSecretEncrypted?.includes(secret)).to.equal(false);
    expect(api.ctx.secrets.decrypt(totpSecretEncrypted ?? Buffer.alloc(0), totpSecretPlace(userId))).to.equal(
      secret,
    );
    expect(JSON.stringify(api.ctx.lines)).not.to.include(secret);
  });

  it("are not required before one was confirmed", async () => {
    const { email } = await buildUser(api.ctx);
    const browser = await logInAs(api.base, email);
    await browser.ask("POST", "/account/totp");
    const wrong = await browser.ask("POST", "/account/totp/confirm", { code: "000000" });
    expect([wrong.status, wrong.json.errors[0]?.pointer]).to.deep.equal([422, "/code"]);
    await logInAs(api.base, email);
    expect((await browser.ask("GET", "/account")).json).to.include({ totp: false, recoveryCodesLeft: 0 });
  });

  it("work once: not at another login, not to confirm, not the one that set up the app", async () => {
    const user = await buildUser(api.ctx);
    const first = await logInAs(api.base, user.email);
    const { secret } = (await first.ask("POST", "/account/totp")).json;
    const code = await codeFrom(secret);
    await first.ask("POST", "/account/totp/confirm", { code });
    expectRefused(await give(await halfWay(user.email), code), 403, "invalid-credentials");
    nextStep();
    const next = await codeFrom(secret);
    const browser = await halfWay(user.email);
    expect((await give(browser, next)).status).to.equal(200);
    expect((await give(await halfWay(user.email), next)).status).to.equal(403);
    const again = { password: PASSWORD, code: next };
    expect((await browser.ask("POST", "/session/reauthenticate", again)).status).to.equal(403);
  });

  it("work once when two come at the same time", async () => {
    const { email, secret } = await enrolled();
    const code = await codeFrom(secret);
    const browsers = await Promise.all([halfWay(email), halfWay(email), halfWay(email)]);
    const answers = await Promise.all(browsers.map((browser) => give(browser, code)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 403, 403]);
  });

  it("are valid now and a step late, never early; an older one never after a newer one", async () => {
    const { email, secret } = await enrolled();
    // To the beginning of a step: none begins between a code and its check.
    api.ctx.clock.advance(STEP_MS - ((await now()).getTime() % STEP_MS));
    const status = async (steps: number) =>
      (await give(await halfWay(email), await codeFrom(secret, steps))).status;
    for (const steps of [-2, 1, 2]) expect(await status(steps), `${steps}`).to.equal(403);
    expect(await status(-1)).to.equal(200);
    expect(await status(0)).to.equal(200);
    expect(await status(-1)).to.equal(403);
  });

  it("end the half session after five wrong ones, and after five minutes", async () => {
    const { email, secret } = await enrolled();
    const tried = await halfWay(email);
    for (let times = 0; times < 5; times += 1) expect((await give(tried, "000000")).status).to.equal(403);
    expectRefused(await give(tried, await codeFrom(secret)), 401, "unauthenticated");
    const late = await halfWay(email);
    api.ctx.clock.advance(5 * 60_000);
    expectRefused(await give(late, await codeFrom(secret)), 401, "unauthenticated");
  });

  it("are refused like any other when more wrong ones come at once than a half session allows", async () => {
    const { email, secret } = await enrolled();
    const browser = await halfWay(email);
    const answers = await Promise.all(Array.from({ length: 9 }, () => give(browser, "000000")));
    for (const { status, text } of answers) expect(status, text).to.be.oneOf([401, 403]);
    expectRefused(await give(browser, await codeFrom(secret)), 401, "unauthenticated");
  });

  it("are limited for a user over all sessions", async () => {
    const { email, secret } = await enrolled();
    for (let times = 0; times < LOGIN_POLICIES.secondFactor.limit; times += 5) {
      const browser = await halfWay(email);
      for (let tries = 0; tries < 5; tries += 1) await give(browser, "000000");
    }
    const browser = await halfWay(email);
    expectRefused(await give(browser, await codeFrom(secret)), 429, "rate-limited");
  });

  it("require the password first", async () => {
    const { secret } = await enrolled();
    const browser = openBrowser(api.base);
    expectRefused(await give(browser, await codeFrom(secret)), 401, "unauthenticated");
  });

  it("are set up once: another app requires the first one's removal", async () => {
    const { userId, email, browser } = await enrolled();
    for (const [path, body] of [
      ["/account/totp", undefined],
      ["/account/totp/confirm", { code: "000000" }],
    ] as const)
      expectRefused(await browser.ask("POST", path, body), 409, "already-enabled");
    expect((await browser.ask("DELETE", "/account/totp")).status).to.equal(204);
    expect((await browser.ask("GET", "/account")).json).to.include({ totp: false, recoveryCodesLeft: 0 });
    await logInAs(api.base, email);
    const entries = await api.db.manager.find(AuditEntry, {
      where: { subject: userId },
      order: { at: "ASC" },
    });
    const actions = entries.map(({ action }) => action).filter((action) => action.startsWith("user.totp"));
    expect(actions).to.deep.equal(["user.totp-enabled", "user.totp-disabled"]);
  });

  describe("recovery codes", () => {
    it("are ten, each valid once in place of a code, however it is typed", async () => {
      const { userId, email, recoveryCodes } = await enrolled();
      expect(new Set(recoveryCodes).size).to.equal(10);
      const [first = "", second = ""] = recoveryCodes;
      expect(first).to.match(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
      const browser = await halfWay(email);
      expect((await give(browser, first)).status).to.equal(200);
      expect((await browser.ask("GET", "/account")).json).to.include({ totp: true, recoveryCodesLeft: 9 });
      expectRefused(await give(await halfWay(email), first), 403, "invalid-credentials");
      const typed = ` ${second.toLowerCase().replaceAll("-", " ")}`;
      expect((await give(await halfWay(email), typed)).status).to.equal(200);
      const used = { action: "user.recovery-code-used", subject: userId };
      expect(await api.db.manager.countBy(AuditEntry, used)).to.equal(2);
    });

    it("work once when two come at the same time", async () => {
      const { email, recoveryCodes } = await enrolled();
      const browsers = await Promise.all([halfWay(email), halfWay(email)]);
      const answers = await Promise.all(browsers.map((browser) => give(browser, recoveryCodes[0] ?? "")));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 403]);
    });

    it("are still valid when an earlier version made them of 80 bits", async () => {
      const { userId, email } = await enrolled();
      const code = recoveryCode(Buffer.alloc(10, 7));
      const row = { userId, codeHash: recoveryCodeHash(code), usedAt: null };
      await api.db.manager.insert(RecoveryCode, row);
      await acceptRows(api.ctx);
      expect((await give(await halfWay(email), code)).status).to.equal(200);
    });

    it("are refused for another user", async () => {
      const { recoveryCodes } = await enrolled();
      const { email } = await enrolled();
      expect((await give(await halfWay(email), recoveryCodes[0] ?? "")).status).to.equal(403);
    });

    it("are invalid when new ones are made, and are stored as hashes", async () => {
      const { userId, email, recoveryCodes, browser } = await enrolled();
      const renewed = (await browser.ask("POST", "/account/recovery-codes")).json.recoveryCodes;
      expect(renewed).to.have.length(10);
      expect((await give(await halfWay(email), recoveryCodes[0] ?? "")).status).to.equal(403);
      expect((await give(await halfWay(email), renewed[0])).status).to.equal(200);
      const rows = await api.db.query<object[]>(
        "SELECT *, encode(code_hash, 'escape') AS text FROM recovery_codes WHERE user_id = $1",
        [userId],
      );
      expect(rows).to.have.length(10);
      for (const code of renewed) expect(JSON.stringify(rows)).not.to.include(code);
      for (const code of renewed) expect(JSON.stringify(api.ctx.lines)).not.to.include(code);
    });

    it("do not exist without an app", async () => {
      const browser = await logInAs(api.base, (await buildUser(api.ctx)).email);
      expect((await browser.ask("POST", "/account/recovery-codes")).status).to.equal(422);
    });
  });
});
