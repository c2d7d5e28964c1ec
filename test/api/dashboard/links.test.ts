import { expect } from "chai";
import { openMail } from "../../../adapters/mail";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { changeUser } from "../../../commands/accounts/change-user";
import { confirmTotp, enrolTotp } from "../../../commands/accounts/second-factor";
import { createUser } from "../../../commands/accounts/create-user";
import { createUserLink } from "../../../commands/accounts/user-links";
import { LOGIN_POLICIES } from "../../../adapters/login-limits";
import { LINK_VALID_MINUTES } from "../../../domain/account/user-link";
import { AuditEntry } from "../../../entities/audit-entry";
import { User } from "../../../entities/user";
import { UserLink } from "../../../entities/user-link";
import { TOTP } from "otpauth";
import { eventually } from "../../support/eventually";
import { startMailbox, type Mailbox } from "../../support/mailbox";
import { expectRefused, startApi, type TestApi } from "../server";
import { logInAs, openBrowser } from "./browser";
import { buildUser, PASSWORD } from "../../support/factories";

const tokenOf = (url: string): string => url.split("#").at(-1) ?? "";

const OTHER = "eight more unrelated giraffes";

describe("dashboard: one-time links", () => {
  let api: TestApi;
  let mailbox: Mailbox;
  let made = 0;
  before(async () => {
    mailbox = await startMailbox();
    api = await startApi();
    api.ctx.sendMail = openMail(mailbox.url).send;
  });
  after(async () => {
    await api.stop();
    await mailbox.stop();
  });
  afterEach(async () => {
    mailbox.mails.length = 0;
    await api.db.query("DELETE FROM rate_limits");
  });
  const newAddress = () => `link${++made}@example.com`;
  const use = (token: string, password?: string, browser = openBrowser(api.base)) =>
    browser.ask("POST", "/links/use", { token, ...(password === undefined ? {} : { password }) });
  const read = (token: string) => openBrowser(api.base).ask("POST", "/links/read", { token });

  it("set the first password and log in, once", async () => {
    const email = newAddress();
    const { userId, url, expiresAt } = await createUser(api.ctx, { email, admin: true });
    expect((await read(tokenOf(url))).json).to.deep.equal({
      kind: "setup",
      email,
      expiresAt: expiresAt.toISOString(),
      setsPassword: true,
      storeName: null,
    });
    const browser = openBrowser(api.base);
    const entered = await use(tokenOf(url), PASSWORD, browser);
    expect(entered.json).to.deep.equal({ user: { userId, email, admin: true } });
    expect((await browser.ask("GET", "/session")).json.sudo).to.equal(true);
    expectRefused(await read(tokenOf(url)), 404, "link-not-found");
    expectRefused(await use(tokenOf(url), PASSWORD), 404, "link-not-found");
    await logInAs(api.base, email);
  });

  it("work once when two requests use one at the same time", async () => {
    const { url } = await createUser(api.ctx, { email: newAddress() });
    const passwords = [PASSWORD, "eight more unrelated giraffes", "nine other unrelated zebras"];
    const answers = await Promise.all(passwords.map((password) => use(tokenOf(url), password)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404]);
  });

  it("expire", async () => {
    const { url } = await createUser(api.ctx, { email: newAddress() });
    api.ctx.clock.advance(LINK_VALID_MINUTES.setup * 60_000);
    expectRefused(await read(tokenOf(url)), 404, "link-not-found");
    expectRefused(await use(tokenOf(url), PASSWORD), 404, "link-not-found");
  });

  it("stay valid when the password is refused, or missing", async () => {
    const { url } = await createUser(api.ctx, { email: newAddress() });
    for (const password of ["password1234", undefined]) {
      const { status, json } = await use(tokenOf(url), password);
      expect([status, json.errors[0]?.pointer]).to.deep.equal([422, "/password"]);
    }
    expect((await use(tokenOf(url), PASSWORD)).status).to.equal(200);
  });

  it("that never existed are answered like used ones", async () => {
    for (const token of ["", "x", "A".repeat(43)]) {
      expectRefused(await read(token), 404, "link-not-found");
      expectRefused(await use(token, PASSWORD), 404, "link-not-found");
    }
  });

  it("are refused to a disabled user", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const { url } = await createUserLink(api.ctx, { email, kind: "login" });
    await changeUser(api.ctx, userId, { disabled: true });
    expectRefused(await use(tokenOf(url)), 404, "link-not-found");
  });

  it("set another password; sessions and other links end on request after the login", async () => {
    const { email } = await buildUser(api.ctx);
    const other = await logInAs(api.base, email);
    const login = await createUserLink(api.ctx, { email, kind: "login" });
    const { url } = await createUserLink(api.ctx, { email, kind: "reset" });
    const next = "eight more unrelated giraffes";
    const browser = openBrowser(api.base);
    expect((await use(tokenOf(url), next, browser)).status).to.equal(200);
    const wrong = await openBrowser(api.base).ask("POST", "/login", { email, password: PASSWORD });
    expect(wrong.status).to.equal(403);
    expect((await browser.ask("GET", "/account")).json).to.include({ openLinks: 1, totpLastUsedAt: null });
    expect((await other.ask("GET", "/session")).status).to.equal(200);
    expect((await browser.ask("DELETE", "/account/sessions")).status).to.equal(204);
    expect((await browser.ask("DELETE", "/account/links")).status).to.equal(204);
    expect((await other.ask("GET", "/session")).status).to.equal(401);
    expect((await use(tokenOf(login.url))).status).to.equal(404);
    expect((await browser.ask("GET", "/account")).json).to.include({ openLinks: 0 });
  });

  it("end nothing for whoever has only the mail: the second factor is required first", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const owner = await logInAs(api.base, email);
    const { secret } = (await owner.ask("POST", "/account/totp")).json;
    const timestamp = (await api.ctx.now(api.db.manager)).getTime();
    const code = new TOTP({ secret }).generate({ timestamp });
    const { recoveryCodes } = (await owner.ask("POST", "/account/totp/confirm", { code })).json;
    const { url } = await createUserLink(api.ctx, { email, kind: "reset" });
    const thief = openBrowser(api.base);
    const half = await use(tokenOf(url), "eight more unrelated giraffes", thief);
    expect(half.json).to.deep.equal({ next: "second-factor", by: ["code"] });
    for (const path of ["/account/sessions", "/account/links", "/account/totp"])
      expect((await thief.ask("DELETE", path)).status, path).to.equal(401);
    expect((await owner.ask("GET", "/session")).status).to.equal(200);
    expect((await owner.ask("GET", "/account")).json).to.include({ totp: true });
    const entered = await thief.ask("POST", "/login/second-factor", { code: recoveryCodes[0] });
    expect(entered.json.user.userId).to.equal(userId);
  });

  it("of an admin reset the second factor on the admin's request", async () => {
    const admin = await logInAs(api.base, (await buildUser(api.ctx, { admin: true })).email);
    const { userId } = await buildUser(api.ctx);
    await api.db.manager.update(User, { id: userId }, { totpConfirmedAt: new Date() });
    await acceptRows(api.ctx);
    const path = `/admin/users/${userId}/reset`;
    const mailed = (): string =>
      /\/setup#([\w-]{43})\s/.exec(
        mailbox.mails.find(({ text }) => text.includes("/setup#"))?.text ?? "",
      )?.[1] ?? "";
    expect((await admin.ask("POST", path, {})).status).to.equal(201);
    expect((await use(mailed(), PASSWORD)).json.next).to.equal("second-factor");
    mailbox.mails.length = 0;
    await admin.ask("POST", path, { dropSecondFactor: true });
    expect((await use(mailed(), PASSWORD)).json.user.userId).to.equal(userId);
  });

  it("of an admin are mailed to the user and not shown to the admin", async () => {
    const admin = await logInAs(api.base, (await buildUser(api.ctx, { admin: true })).email);
    const { userId, email } = await buildUser(api.ctx);
    const path = `/admin/users/${userId}/reset`;
    const sent = await admin.ask("POST", path, {});
    expect(sent.json).to.include({ userId, url: null });
    expect(sent.text).to.not.include("/setup#");
    const links = mailbox.mails.filter(({ text }) => text.includes("/setup#"));
    expect(links.map(({ to }) => to)).to.deep.equal([[email]]);
    const audit = await api.db.manager.findBy(AuditEntry, { subject: userId, action: "user.link-made" });
    expect(audit.map(({ details }) => details).at(-1)).to.not.have.property("shownTo");
  });

  it("that an admin was shown mark every session that begins with them, or with their password, and its deeds", async () => {
    const shown = await startApi();
    const { userId: adminId, email: adminEmail } = await buildUser(shown.ctx, { admin: true });
    const admin = await logInAs(shown.base, adminEmail);
    const { userId, email } = await buildUser(shown.ctx);
    const own = await logInAs(shown.base, email);
    const { url } = (await admin.ask("POST", `/admin/users/${userId}/reset`, {})).json;
    const asThem = openBrowser(shown.base);
    await asThem.ask("POST", "/links/use", { token: tokenOf(String(url)), password: PASSWORD });
    const again = await logInAs(shown.base, email);
    const sessions = (await own.ask("GET", "/account/sessions")).json.data;
    expect(sessions.map((one) => one["linkShownTo"]).sort()).to.deep.equal([
      null,
      null,
      adminEmail,
      adminEmail,
    ]);
    await again.ask("PUT", "/account/password", { currentPassword: PASSWORD, password: OTHER });
    const entries = await shown.db.manager.find(AuditEntry, {
      where: { subject: userId },
      order: { at: "DESC" },
      take: 4,
    });
    expect(entries.map(({ action }) => action)).to.have.members([
      "user.password-set",
      "user.logged-in",
      "user.logged-in",
      "user.password-set",
    ]);
    for (const { details } of entries) expect(details).to.include({ linkShownTo: adminId });
    await shown.stop();
  });

  it("replace the password only: the second factor is still required", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const { secret } = await enrolTotp(api.ctx, userId);
    const code = async () =>
      new TOTP({ secret }).generate({ timestamp: (await api.ctx.now(api.db.manager)).getTime() });
    await confirmTotp(api.ctx, userId, await code());
    for (const kind of ["reset", "login"] as const) {
      api.ctx.clock.advance(60_000);
      const { url } = await createUserLink(api.ctx, { email, kind });
      const browser = openBrowser(api.base);
      const entered = await use(tokenOf(url), kind === "reset" ? PASSWORD : undefined, browser);
      expect(entered.json).to.deep.equal({ next: "second-factor", by: ["code"] });
      expect((await browser.ask("GET", "/session")).status).to.equal(401);
      const given = await browser.ask("POST", "/login/second-factor", { code: await code() });
      expect(given.status).to.equal(200);
    }
  });

  it("for the first password are invalid once there is one, however it was set", async () => {
    const { url, email } = await createAndForget();
    const reset = await createUserLink(api.ctx, { email, kind: "reset" });
    expect((await use(tokenOf(reset.url), PASSWORD)).status).to.equal(200);
    expectRefused(await read(tokenOf(url)), 404, "link-not-found");
    expectRefused(await use(tokenOf(url), "eight more unrelated giraffes"), 404, "link-not-found");
    await logInAs(api.base, email);
  });

  it("for the first password do not replace one that another link set at the same time", async () => {
    for (let round = 0; round < 3; round++) {
      const { url, email } = await createAndForget();
      const reset = await createUserLink(api.ctx, { email, kind: "reset" });
      const answers = await Promise.all([
        use(tokenOf(reset.url), PASSWORD),
        use(tokenOf(url), "eight more unrelated giraffes"),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
    }
  });

  it("log in without a password, and the first one can be set then, or later", async () => {
    const { email } = await createAndForget();
    const { url } = await createUserLink(api.ctx, { email, kind: "login" });
    const browser = openBrowser(api.base);
    const refused = await use(tokenOf(url), PASSWORD);
    expect([refused.status, refused.json.errors[0]?.pointer]).to.deep.equal([422, "/password"]);
    expect((await use(tokenOf(url), undefined, browser)).json.user.email).to.equal(email);
    expect((await browser.ask("GET", "/account")).json).to.include({ hasPassword: false });
    api.ctx.clock.advance(3_600_000);
    expect((await browser.ask("PUT", "/account/password", { password: PASSWORD })).status).to.equal(204);
    await logInAs(api.base, email);
  });

  async function createAndForget() {
    const email = newAddress();
    return { ...(await createUser(api.ctx, { email })), email };
  }

  it("invalidate the former one of their kind", async () => {
    const { email } = await buildUser(api.ctx);
    const first = await createUserLink(api.ctx, { email, kind: "reset" });
    await createUserLink(api.ctx, { email, kind: "reset" });
    expect((await read(tokenOf(first.url))).status).to.equal(404);
  });

  it("are not created for unknown or disabled users", async () => {
    const { userId, email } = await buildUser(api.ctx);
    await changeUser(api.ctx, userId, { disabled: true });
    for (const address of [email, "nobody@example.com"]) {
      const refused = await createUserLink(api.ctx, { email: address, kind: "reset" }).catch(String);
      expect(refused).to.match(/DomainError: There is no active user/);
    }
  });

  describe("for another password, by mail", () => {
    const ask = (email: string) => openBrowser(api.base).ask("POST", "/password-reset", { email });
    /** Those with a link: that a password was changed is mailed too, beside the answer. */
    const mails = () => mailbox.mails.filter(({ text }) => text.includes("/setup#"));

    it("are sent to known users, and the answer is the same for unknown ones", async () => {
      const { email } = await buildUser(api.ctx);
      const answers = [await ask("nobody@example.com"), await ask(email.toUpperCase())];
      for (const { status, json } of answers) expect([status, json]).to.deep.equal([202, {}]);
      await eventually(() => mails().length === 1);
      expect(mails()[0]?.to).to.deep.equal([email]);
      const token = /\/setup#([\w-]{43})\s/.exec(mails()[0]?.text ?? "")?.[1] ?? "";
      expect((await read(token)).json).to.include({ kind: "reset", email });
      expect((await use(token, "eight more unrelated giraffes")).status).to.equal(200);
    });

    it("are not sent to a disabled user", async () => {
      const { userId, email } = await buildUser(api.ctx);
      await changeUser(api.ctx, userId, { disabled: true });
      const after = await buildUser(api.ctx);
      await ask(email);
      await ask(after.email);
      await eventually(() => mails().length === 1);
      expect(mails()[0]?.to).to.deep.equal([after.email]);
    });

    it("are limited to a few an hour, however often they are requested", async () => {
      const { userId, email } = await buildUser(api.ctx);
      for (let times = 0; times < LOGIN_POLICIES.mail.limit + 2; times += 1)
        expect((await ask(email)).status).to.equal(202);
      await eventually(() => mails().length === LOGIN_POLICIES.mail.limit);
      expect(await api.db.manager.countBy(UserLink, { userId, kind: "reset" })).to.equal(
        LOGIN_POLICIES.mail.limit,
      );
    });

    it("are logged without address and link when the mail server does not accept them", async () => {
      const { email } = await buildUser(api.ctx);
      const broken = await startMailbox();
      broken.refuse();
      const ctx = { ...api.ctx, sendMail: openMail(broken.url).send };
      const other = await startApi({ db: api.db, parts: { context: () => ctx, log: ctx.log } });
      await openBrowser(other.base).ask("POST", "/password-reset", { email });
      const told = () => ctx.lines.filter(({ message }) => message === "mail: link not sent");
      await eventually(() => told().length === 1);
      expect(JSON.stringify(told())).not.to.include(email).and.not.include("setup");
      await other.listening.close();
      await broken.stop();
    });
  });

  it("appear in no log and no audit entry, and only their hash in the database", async () => {
    const { url } = await createAndForget();
    const token = tokenOf(url);
    expect(new URL(url)).to.include({ pathname: "/setup", search: "" });
    for (const wrong of ["/", "%23"]) await fetch(`${api.base}/setup${wrong}${token}/x?y=${token}`);
    await read(token);
    await use(token, PASSWORD);
    expect(JSON.stringify(api.ctx.lines)).to.include("/setup[hidden]").and.not.include(token);
    for (const table of ["audit_log", "user_links"])
      expect(JSON.stringify(await api.db.query(`SELECT * FROM ${table}`))).not.to.include(token);
  });
});
