import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { reencryptSecrets } from "../../../commands/installation/reencrypt-secrets";
import { LOGIN_POLICIES } from "../../../adapters/login-limits";
import { makePasswords } from "../../../adapters/passwords";
import { changeUser } from "../../../commands/accounts/change-user";
import { startSession } from "../../../commands/accounts/session";
import { AuditEntry } from "../../../entities/audit-entry";
import { Session } from "../../../entities/session";
import { User } from "../../../entities/user";
import { eventually } from "../../support/eventually";
import { expectRefused, startApi, type TestApi } from "../server";
import { logInAs, openBrowser, type BrowserAnswer } from "./browser";
import { buildUser, PASSWORD } from "../../support/factories";
import { inTransaction } from "../../../commands/transaction";

const COOKIE = "quittance-session";
const HOUR_MS = 3_600_000;
const codeOf = ({ status, json }: BrowserAnswer) => [status, json.code];

describe("dashboard: login by password", () => {
  let api: TestApi;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  afterEach(() => api.db.query("DELETE FROM rate_limits"));
  const login = (email: string, password = PASSWORD) =>
    openBrowser(api.base).ask("POST", "/login", { email, password });

  it("logs in, returns the user, and records it", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const browser = openBrowser(api.base);
    const { json, headers } = await browser.ask("POST", "/login", {
      email: ` ${email.toUpperCase()} `,
      password: PASSWORD,
    });
    expect(json).to.deep.equal({ user: { userId, email, admin: false } });
    expect(headers.get("cache-control")).to.equal("no-store");
    const session = await browser.ask("GET", "/session");
    expect(session.json).to.deep.equal({
      user: { userId, email, admin: false },
      sudo: true,
      owesSecondFactor: false,
      mayCreateStores: false,
    });
    const entry = await api.db.manager.findOneByOrFail(AuditEntry, {
      action: "user.logged-in",
      subject: userId,
      actorId: userId,
    });
    expect(entry.actorKind).to.equal("user");
  });

  it("keeps only the hash of the cookie's token", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const token = (await logInAs(api.base, email)).jar.get(COOKIE) ?? "";
    expect(token).to.match(/^[\w-]{43}$/);
    const rows = await api.db.query<object[]>("SELECT * FROM sessions WHERE user_id = $1", [userId]);
    expect(rows.length).to.be.above(0);
    expect(JSON.stringify(rows))
      .not.to.include(token)
      .and.not.include(Buffer.from(token, "base64url").toString("hex"));
  });

  it("answers an unknown address, a wrong password, a disabled user and one without a password alike", async () => {
    const known = await buildUser(api.ctx);
    const disabled = await buildUser(api.ctx);
    await changeUser(api.ctx, disabled.userId, { disabled: true });
    await api.db.manager.insert(User, { id: "usr_new", email: "new@example.com" });
    await acceptRows(api.ctx);
    const answers = await Promise.all([
      login("nobody@example.com"),
      login(known.email, "not the right password"),
      login(disabled.email),
      login("new@example.com"),
      login("no address at all"),
    ]);
    for (const { status, json, headers } of answers) {
      expect({ status, ...json, requestId: "" }).to.deep.equal({
        ...answers[0].json,
        status: 403,
        code: "invalid-credentials",
        requestId: "",
      });
      expect(headers.getSetCookie()).to.deep.equal([]);
    }
  });

  it("takes as long for an unknown user", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const passwords = makePasswords(); // at the cost of the service
    const passwordHash = await passwords.hash(PASSWORD);
    await api.db.manager.update(User, { id: userId }, { passwordHash });
    await acceptRows(api.ctx);
    const other = await startApi({ db: api.db, parts: { context: () => ({ ...api.ctx, passwords }) } });
    // The processor's time, which depends less than the clock's on what else the machine does.
    const computed = async (address: string): Promise<number> => {
      const before = process.cpuUsage();
      await openBrowser(other.base).ask("POST", "/login", { email: address, password: "not the right one" });
      const { user, system } = process.cpuUsage(before);
      await api.db.query("DELETE FROM rate_limits");
      return user + system;
    };
    // Alternately, since what a hash costs changes with what others do to the caches; more rounds find the least of each.
    let [there, nobody, rounds] = [Infinity, Infinity, 0];
    await eventually(async () => {
      for (const until = rounds + 6; rounds < until; rounds += 1) {
        there = Math.min(there, await computed(email));
        nobody = Math.min(nobody, await computed("nobody@example.com"));
      }
      // Without a hash it would be a third of it.
      expect(nobody).to.be.within(there / 2, there * 2);
    });
    await other.listening.close();
  });

  it("never adopts a token from the request", async () => {
    const { email } = await buildUser(api.ctx);
    const browser = openBrowser(api.base);
    const planted = "A".repeat(43);
    browser.jar.set(COOKIE, planted);
    await browser.ask("POST", "/login", { email, password: PASSWORD });
    const token = browser.jar.get(COOKIE) ?? "";
    expect(token).not.to.equal(planted);
    browser.jar.set(COOKIE, planted);
    expectRefused(await browser.ask("GET", "/session"), 401, "unauthenticated");
  });

  it("begins another session at each login, and ends the browser's former one", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const browser = await logInAs(api.base, email);
    const copy = openBrowser(api.base);
    copy.jar.set(COOKIE, browser.jar.get(COOKIE) ?? "");
    const other = await logInAs(api.base, email);
    const refused = await browser.ask("POST", "/login", { email, password: "not the right password" });
    expect(refused.status).to.equal(403);
    expect((await copy.ask("GET", "/session")).status).to.equal(200);
    const before = await api.db.manager.countBy(Session, { userId });
    await browser.ask("POST", "/login", { email, password: PASSWORD });
    expect(browser.jar.get(COOKIE)).not.to.equal(copy.jar.get(COOKIE));
    expect((await copy.ask("GET", "/session")).status).to.equal(401);
    for (const one of [browser, other]) expect((await one.ask("GET", "/session")).status).to.equal(200);
    expect(await api.db.manager.countBy(Session, { userId })).to.equal(before);
  });

  it("keeps a user's fifty most recently used sessions, however many logins there are", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const oldest = await logInAs(api.base, email);
    const origin = { ip: "192.0.2.1", userAgent: "" };
    for (let times = 0; times < 60; times += 1) {
      // Whoever knows the password alone does not push out who is logged in.
      for (const stage of ["full", "second-factor"] as const)
        await inTransaction(api.ctx, (tx) => startSession(tx, { userId, stage, origin }));
    }
    expect(await api.db.manager.countBy(Session, { userId, stage: "full" })).to.equal(50);
    expect(await api.db.manager.countBy(Session, { userId, stage: "second-factor" })).to.equal(50);
    expect((await oldest.ask("GET", "/session")).status).to.equal(401);
    const newest = await logInAs(api.base, email);
    expect((await newest.ask("GET", "/account/sessions")).json.data).to.have.length(50);
  });

  for (const [publicUrl, expected] of [
    [
      "http://127.0.0.1:3000",
      /^quittance-session=[\w-]{43}; Expires=[^;]+ GMT; Path=\/; HttpOnly; SameSite=Lax$/,
    ],
    [
      "https://pay.example.com/shop",
      /^__Host-quittance-session=[\w-]{43}; Expires=[^;]+ GMT; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    ],
  ] as const)
    it(`sets the cookie for ${publicUrl}, and removes it with the same attributes`, async () => {
      const { email } = await buildUser(api.ctx);
      const ctx = { ...api.ctx, settings: { ...api.ctx.settings, publicUrl } };
      const other = await startApi({ db: api.db, parts: { context: () => ctx, publicUrl } });
      const browser = openBrowser(other.base);
      const entered = await browser.ask("POST", "/login", { email, password: PASSWORD });
      const session = entered.headers.getSetCookie().filter((line) => line.includes(COOKIE));
      expect(session).to.have.length(1);
      expect(session[0]).to.match(expected);
      expect((await browser.ask("GET", "/session")).status).to.equal(200);
      const left = await browser.ask("POST", "/logout");
      const kept = (line = "") => line.replace(/^([^=]+)=.*?; (Path.*)$/, "$1 $2");
      expect(left.headers.getSetCookie().map(kept)).to.deep.equal(session.map(kept));
      await other.listening.close();
    });

  it("refuses a login that another site requests, or that a form could send", async () => {
    const body = { email: (await buildUser(api.ctx)).email, password: PASSWORD };
    const ask = (headers: Record<string, string>) =>
      openBrowser(api.base).ask("POST", "/login", body, headers);
    const foreign = await ask({ "sec-fetch-site": "cross-site" });
    expectRefused(foreign, 403, "cross-site-request");
    expect(foreign.headers.getSetCookie()).to.deep.equal([]);
    expectRefused(await ask({ "content-type": "text/plain" }), 415, "unsupported-media-type");
  });

  describe("a session", () => {
    it("ends at once, in every process, when its user logs out", async () => {
      const { userId, email } = await buildUser(api.ctx);
      const browser = await logInAs(api.base, email);
      const stolen = openBrowser(api.base);
      stolen.jar.set(COOKIE, browser.jar.get(COOKIE) ?? "");
      expect((await stolen.ask("GET", "/session")).status).to.equal(200);
      await browser.ask("POST", "/logout");
      expect(browser.jar.has(COOKIE)).to.equal(false);
      expectRefused(await stolen.ask("GET", "/session"), 401, "unauthenticated");
      const left = { action: "user.logged-out", subject: userId };
      expect(await api.db.manager.countBy(AuditEntry, left)).to.equal(1);
      expect((await browser.ask("POST", "/logout")).status).to.equal(204);
    });

    it("ends after a time without requests, and continues with them", async () => {
      const { email } = await buildUser(api.ctx);
      const browser = await logInAs(api.base, email);
      for (let times = 0; times < 3; times += 1) {
        api.ctx.clock.advance(11 * HOUR_MS);
        expect((await browser.ask("GET", "/session")).status, `${times}`).to.equal(200);
      }
      api.ctx.clock.advance(12 * HOUR_MS);
      expect((await browser.ask("GET", "/session")).status).to.equal(401);
    });

    it("ends after a week, however active it is", async () => {
      const { email } = await buildUser(api.ctx);
      const browser = await logInAs(api.base, email);
      for (let hours = 11; hours < 7 * 24; hours += 11) {
        api.ctx.clock.advance(11 * HOUR_MS);
        expect((await browser.ask("GET", "/session")).status, `${hours}`).to.equal(200);
      }
      api.ctx.clock.advance(11 * HOUR_MS);
      expect((await browser.ask("GET", "/session")).status).to.equal(401);
    });

    it("ends when its user is disabled, and when the user's rights on the server change", async () => {
      for (const change of [{ disabled: true }, { admin: true }]) {
        const { userId, email } = await buildUser(api.ctx);
        const browser = await logInAs(api.base, email);
        await changeUser(api.ctx, userId, change);
        expect((await browser.ask("GET", "/session")).status).to.equal(401);
      }
    });

    it("is listed with the others, and each can be ended: one's own only", async () => {
      const { email } = await buildUser(api.ctx);
      const stranger = await logInAs(api.base, (await buildUser(api.ctx)).email);
      const [here, there] = [await logInAs(api.base, email), await logInAs(api.base, email)];
      const { data } = (await here.ask("GET", "/account/sessions")).json;
      const mine = data.filter(({ userAgent }) => userAgent === "Test browser");
      expect(mine.map(({ current }) => current)).to.have.members([true, false]);
      expect(mine[0]).to.include({ ip: "127.0.0.1" });
      const other = mine.find(({ current }) => current === false)?.sessionId ?? "";
      expectRefused(await stranger.ask("DELETE", `/account/sessions/${other}`), 404, "session-not-found");
      expect((await here.ask("DELETE", `/account/sessions/${other}`)).status).to.equal(204);
      expect((await there.ask("GET", "/session")).status).to.equal(401);
      expect((await here.ask("GET", "/session")).status).to.equal(200);
      expect((await here.ask("DELETE", `/account/sessions/${other}`)).status).to.equal(404);
    });

    it("that is invalid is refused: no cookie, an empty one, a forged one", async () => {
      for (const cookie of ["", `${COOKIE}=`, `${COOKIE}=x`, `${COOKIE}=${"A".repeat(5_000)}`]) {
        const answer = await openBrowser(api.base).ask("GET", "/session", undefined, { cookie });
        expect(codeOf(answer), cookie.slice(0, 40)).to.deep.equal([401, "unauthenticated"]);
      }
    });
  });

  describe("the password", () => {
    const next = "eight more unrelated giraffes";

    it("is changed with the present one; the other sessions end and this one's token changes", async () => {
      const { email } = await buildUser(api.ctx);
      const [here, there] = [await logInAs(api.base, email), await logInAs(api.base, email)];
      const before = here.jar.get(COOKIE) ?? "";
      api.ctx.clock.advance(HOUR_MS);
      const body = { password: next, currentPassword: PASSWORD };
      expect((await here.ask("PUT", "/account/password", body)).status).to.equal(204);
      expect(here.jar.get(COOKIE)).not.to.equal(before);
      expect((await here.ask("GET", "/session")).json.sudo).to.equal(true);
      expect((await there.ask("GET", "/session")).status).to.equal(401);
      const stolen = openBrowser(api.base);
      stolen.jar.set(COOKIE, before);
      expect((await stolen.ask("GET", "/session")).status).to.equal(401);
      expect((await login(email, PASSWORD)).status).to.equal(403);
      expect((await login(email, next)).status).to.equal(200);
    });

    it("is not changed without a fresh proof, nor with a wrong present one", async () => {
      const { email } = await buildUser(api.ctx);
      const browser = await logInAs(api.base, email);
      api.ctx.clock.advance(HOUR_MS);
      expectRefused(
        await browser.ask("PUT", "/account/password", { password: next }),
        403,
        "reauthentication-needed",
      );
      const body = { password: next, currentPassword: "not the right password" };
      expectRefused(await browser.ask("PUT", "/account/password", body), 403, "invalid-credentials");
      expect((await login(email)).status).to.equal(200);
    });

    it("is refused when it is easy to guess", async () => {
      const { email } = await buildUser(api.ctx);
      const browser = await logInAs(api.base, email);
      const refused = await browser.ask("PUT", "/account/password", { password: "password1234" });
      expect([refused.status, refused.json.errors.map(({ pointer }) => pointer)]).to.deep.equal([
        422,
        ["/password"],
      ]);
    });

    it("makes the session fresh again, and the token changes with it", async () => {
      const { email } = await buildUser(api.ctx);
      const browser = await logInAs(api.base, email);
      api.ctx.clock.advance(10 * 60_000);
      expect((await browser.ask("GET", "/session")).json.sudo).to.equal(false);
      const wrong = await browser.ask("POST", "/session/reauthenticate", { password: "not the right one" });
      expectRefused(wrong, 403, "invalid-credentials");
      const before = browser.jar.get(COOKIE);
      const right = await browser.ask("POST", "/session/reauthenticate", { password: PASSWORD });
      expect(right.status).to.equal(204);
      expect(browser.jar.get(COOKIE)).not.to.equal(before);
      expect((await browser.ask("GET", "/session")).json.sudo).to.equal(true);
    });

    it("is hashed again at a login when its hash is weaker than the current parameters", async () => {
      const { userId, email } = await buildUser(api.ctx);
      const { hash } = await import("@node-rs/argon2");
      const weak = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });
      await api.db.manager.update(User, { id: userId }, { passwordHash: weak });
      await acceptRows(api.ctx);
      await logInAs(api.base, email);
      const { passwordHash } = await api.db.manager.findOneByOrFail(User, { id: userId });
      expect(passwordHash).to.match(/^\$argon2id\$v=19\$m=8,t=2,p=1\$/);
      await logInAs(api.base, email);
    });
  });

  describe("login tries", () => {
    it("of one address for one account are limited, and are reset after a success", async () => {
      const { email } = await buildUser(api.ctx);
      const { limit } = LOGIN_POLICIES.pair;
      for (let round = 0; round < 2; round += 1) {
        for (let times = 1; times < limit; times += 1)
          expect((await login(email, "not the right password")).status, `${times}`).to.equal(403);
        expect((await login(email)).status).to.equal(200);
      }
      for (let times = 0; times < limit; times += 1) await login(email, "not the right password");
      const closed = await login(email);
      expectRefused(closed, 429, "rate-limited");
      expect(Number(closed.headers.get("retry-after"))).to.be.within(1, 900);
      // Another account is not closed by it.
      expect((await login((await buildUser(api.ctx)).email)).status).to.equal(200);
    });

    it("are counted for an unknown address too, so that the limit reveals nothing", async () => {
      for (let times = 0; times < LOGIN_POLICIES.pair.limit; times += 1) await login("ghost@example.com");
      expect((await login("Ghost@example.com ")).status).to.equal(429);
    });

    it("are counted together by all processes", async () => {
      const { email } = await buildUser(api.ctx);
      const other = await startApi({ db: api.db });
      for (let times = 0; times < LOGIN_POLICIES.pair.limit; times += 1)
        await openBrowser(times % 2 === 0 ? api.base : other.base).ask("POST", "/login", {
          email,
          password: "not the right password",
        });
      for (const { base } of [api, other])
        expect(
          (await openBrowser(base).ask("POST", "/login", { email, password: PASSWORD })).status,
        ).to.equal(429);
      await other.listening.close();
    });

    it("name no one in the table of counts", async () => {
      await login("somebody@example.com");
      const rows = await api.db.query<{ key: string }[]>("SELECT key FROM rate_limits");
      expect(rows.length).to.be.above(2);
      expect(JSON.stringify(rows)).not.to.include("somebody");
    });
  });

  it("logs nothing secret", async () => {
    const { email } = await buildUser(api.ctx);
    const browser = await logInAs(api.base, email);
    await login(email, "not the right password");
    await browser.ask("PUT", "/account/password", { password: "eight more unrelated giraffes" });
    await reencryptSecrets(api.ctx);
    const log = JSON.stringify(api.ctx.lines);
    expect(log).to.include("/api/dashboard/login");
    for (const secret of [PASSWORD, "not the right password", "eight more", browser.jar.get(COOKIE) ?? "?"])
      expect(log).not.to.include(secret);
  });
});
