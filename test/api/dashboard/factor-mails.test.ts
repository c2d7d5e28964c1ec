import { expect } from "chai";
import { TOTP } from "otpauth";
import { openMail } from "../../../adapters/mail";
import { makePasskeys } from "../../../adapters/passkeys";
import { createUserLink } from "../../../commands/accounts/user-links";
import { makeAuthenticator } from "../../support/authenticator";
import { eventually } from "../../support/eventually";
import { startMailbox, type Mailbox } from "../../support/mailbox";
import { startApi, type TestApi } from "../server";
import { logInAs, openBrowser } from "./browser";
import { buildUser, PASSWORD } from "../../support/factories";

describe("dashboard: mails to a user", () => {
  let api: TestApi;
  let mailbox: Mailbox;
  before(async () => {
    mailbox = await startMailbox();
    api = await startApi();
    api.ctx.passkeys = makePasskeys("http://localhost:3000");
    api.ctx.sendMail = openMail(mailbox.url).send;
  });
  after(async () => {
    await api.stop();
    await mailbox.stop();
  });
  const tokenOf = (url: string): string => url.split("#").at(-1) ?? "";
  const use = (token: string, password: string) =>
    openBrowser(api.base).ask("POST", "/links/use", { token, password });

  it("are sent at every change of a factor, without secrets, and not at the first password", async () => {
    const { userId, email } = await buildUser(api.ctx);
    expect(mailbox.mails).to.deep.equal([]);
    const browser = await logInAs(api.base, email);
    const { secret } = (await browser.ask("POST", "/account/totp")).json;
    const timestamp = (await api.ctx.now(api.db.manager)).getTime();
    const code = new TOTP({ secret }).generate({ timestamp });
    const { recoveryCodes } = (await browser.ask("POST", "/account/totp/confirm", { code })).json;
    await browser.ask("POST", "/account/recovery-codes");
    await browser.ask("DELETE", "/account/totp");
    await browser.ask("DELETE", "/account/totp");
    const next = "eight more unrelated giraffes";
    await browser.ask("PUT", "/account/password", { password: next, currentPassword: PASSWORD });
    const device = makeAuthenticator({ origin: "http://localhost:3000" });
    const { options } = (await browser.ask("POST", "/account/passkeys/options")).json;
    const body = { name: "Phone", response: device.register(options) };
    const { passkeyId } = (await browser.ask("POST", "/account/passkeys", body)).json;
    await browser.ask("DELETE", `/account/passkeys/${passkeyId}`);
    const { url } = await createUserLink(api.ctx, { email, kind: "reset", dropSecondFactor: true });
    await use(tokenOf(url), PASSWORD);
    const wanted = [
      "An authenticator app was set up",
      "New recovery codes were made",
      "The authenticator app was turned off",
      "The password was changed",
      "A passkey was added",
      "A passkey was removed",
      "The authenticator app and the passkeys were removed by a server admin",
      "The password was changed",
    ];
    await eventually(() => mailbox.mails.length === wanted.length);
    const subjects = mailbox.mails.map(
      ({ text }) => /^Subject: \[Quittance\] (.+(?:\r\n .+)*)$/m.exec(text)?.[1],
    );
    expect(subjects.map((subject) => subject?.replaceAll(/\r\n /g, " "))).to.have.members(wanted);
    for (const { to, text } of mailbox.mails) {
      expect(to).to.deep.equal([email]);
      for (const hidden of [secret, code, next, PASSWORD, tokenOf(url), userId, ...recoveryCodes])
        expect(text).not.to.include(hidden);
    }
  });

  it("that cannot be sent fail no change, and are logged without the address", async () => {
    const { email } = await buildUser(api.ctx);
    const browser = await logInAs(api.base, email);
    mailbox.refuse();
    const next = "nine more unrelated giraffes";
    const body = { password: next, currentPassword: PASSWORD };
    expect((await browser.ask("PUT", "/account/password", body)).status).to.equal(204);
    const logged = () =>
      api.ctx.lines.filter(({ message }) => message === "mail: notice of a changed factor not sent");
    await eventually(() => logged().length === 1);
    expect(JSON.stringify(logged())).not.to.include(email);
  });
});
