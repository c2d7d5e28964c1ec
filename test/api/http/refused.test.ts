import { expect } from "chai";
import { makeSecretBox } from "../../../adapters/crypto";
import { LOGIN_POLICIES } from "../../../adapters/login-limits";
import { makeProcessMetrics, type ProcessMetrics } from "../../../adapters/metrics/process-metrics";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { hashOfEmail } from "../../../api/dashboard/known-browser";
import { createApiKey } from "../../../commands/stores/api-key";
import { parseTrustedProxies } from "../../../domain/client-address";
import { AuditEntry } from "../../../entities/audit-entry";
import { TEST_APP_SECRET, type LogLine } from "../../support/context";
import { eventually } from "../../support/eventually";
import { logInAs, openBrowser } from "../dashboard/browser";
import { startApi, type TestApi } from "../server";
import { buildUser, PASSWORD } from "../../support/factories";

const WRONG = "not the right password";

describe("API: refused requests", () => {
  let api: TestApi;
  let metrics: ProcessMetrics;
  before(async () => {
    metrics = makeProcessMetrics({ worker: "api", instanceId: "test" });
    api = await startApi({
      parts: { metrics, trustedProxies: parseTrustedProxies(["127.0.0.0/8"]) },
    });
  });
  after(() => api.stop());
  beforeEach(() => void (api.ctx.lines.length = 0));
  afterEach(() => api.db.query("DELETE FROM rate_limits"));

  const refused = (): LogLine[] => api.ctx.lines.filter(({ message }) => message === "auth: refused");
  /** Waits for so many lines; they are written beside the answers. */
  async function lines(count: number): Promise<Record<string, unknown>[]> {
    await eventually(() => refused().length >= count);
    const all = refused();
    expect(all.map(({ level }) => level)).to.deep.equal(all.map(() => "warn"));
    return all.map(({ fields: { requestId, ...fields } }) => {
      expect(requestId).to.match(/^req_/);
      return fields;
    });
  }
  const counted = async (event: string): Promise<number> => {
    const all = (await metrics.snapshot()) as {
      name: string;
      values: { labels: Record<string, string>; value: number }[];
    }[];
    const values = all.find(({ name }) => name === "quittance_auth_refusals_total")?.values ?? [];
    return values.find(({ labels }) => labels["event"] === event)?.value ?? -1;
  };
  const audited = (userId: string, action: string) =>
    api.db.manager.findBy(AuditEntry, { subject: userId, action });
  const from = (ip: string) => ({ "x-forwarded-for": ip });

  it("are logged with address and account, counted, and audited when a known user's password is wrong", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const before = await counted("login-failed");
    await openBrowser(api.base).ask("POST", "/login", { email, password: WRONG }, from("203.0.113.7"));
    expect(await lines(1)).to.deep.equal([{ ip: "203.0.113.7", event: "login-failed", account: userId }]);
    expect(await counted("login-failed")).to.equal(before + 1);
    await eventually(async () => (await audited(userId, "user.login-failed")).length === 1);
    const [entry] = await audited(userId, "user.login-failed");
    expect(entry?.details).to.deep.equal({ ip: "203.0.113.7" });
  });

  it("are logged with a keyed hash in place of an unknown address", async () => {
    const email = "Nobody@Example.com";
    await openBrowser(api.base).ask("POST", "/login", { email, password: WRONG }, from("2001:db8::5"));
    const account = hashOfEmail(api.ctx, "nobody@example.com");
    expect(await lines(1)).to.deep.equal([{ ip: "2001:db8::5", event: "login-failed", account }]);
    const other = { secrets: makeSecretBox({ appSecret: `${TEST_APP_SECRET} other` }) };
    expect(hashOfEmail(other, email)).not.to.equal(account);
    expect(JSON.stringify(api.ctx.lines).toLowerCase()).not.to.include("nobody@example");
  });

  it("are recorded when a code and a fresh proof are wrong, and when a proof is less than the account requires", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const browser = await logInAs(api.base, email);
    await browser.ask("POST", "/session/reauthenticate", { password: WRONG });
    await browser.ask("PUT", "/account/password", { password: "seven more zebras", currentPassword: WRONG });
    await api.db.query("UPDATE users SET totp_confirmed_at = now() WHERE id = $1", [userId]);
    await acceptRows(api.ctx);
    await browser.ask("POST", "/session/reauthenticate", { password: PASSWORD });
    const half = openBrowser(api.base);
    await half.ask("POST", "/login", { email, password: PASSWORD });
    await half.ask("POST", "/login/second-factor", { code: "000000" });
    const events = (await lines(4)).map(({ event, account }) => [event, account]);
    expect(events).to.deep.equal([
      ["proof-refused", userId],
      ["proof-refused", userId],
      ["proof-refused", userId],
      ["code-failed", userId],
    ]);
    await eventually(async () => (await audited(userId, "user.proof-refused")).length === 3);
    await eventually(async () => (await audited(userId, "user.code-failed")).length === 1);
  });

  it("are recorded once a window when a user is locked out, so that the audit log cannot be filled", async () => {
    const { userId, email } = await buildUser(api.ctx);
    const { limit } = LOGIN_POLICIES.pair;
    const notes = LOGIN_POLICIES.refusalNotes.limit;
    for (const ip of ["203.0.113.21", "203.0.113.22", "203.0.113.23"])
      for (let times = 0; times < limit + 3; times += 1)
        await openBrowser(api.base).ask("POST", "/login", { email, password: WRONG }, from(ip));
    const all = await lines(3 * limit + 3);
    const events = all.map(({ event, account }) => `${String(event)} ${String(account)}`);
    const ofOne = [...Array<string>(limit).fill(`login-failed ${userId}`), `locked-out ${userId}`];
    expect(events).to.have.members([...ofOne, ...ofOne, ...ofOne]);
    const count = async () =>
      (await audited(userId, "user.login-failed")).length + (await audited(userId, "user.locked-out")).length;
    await eventually(async () => (await count()) === notes);
    expect(await audited(userId, "user.locked-out")).to.have.length.of.at.least(1);
  });

  it("are recorded of an API key by its prefix, of an expired one too, and not of an unknown key", async () => {
    const { storeId } = await api.store();
    const { apiKey, record } = await createApiKey(api.ctx, { storeId, name: "old" });
    await api.db.query("UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1", [
      record.id,
    ]);
    await acceptRows(api.ctx);
    const before = await counted("key-refused");
    for (const key of [undefined, apiKey, 'sk_test_"},"ip":"198.51.100.1"'])
      await api.call("GET", `/stores/${storeId}`, { key, headers: from("203.0.113.9") });
    expect(await lines(2)).to.deep.equal([
      { ip: "203.0.113.9", event: "key-refused", account: `key ${record.prefix}` },
      { ip: "203.0.113.9", event: "key-refused", account: "malformed key" },
    ]);
    expect(await counted("key-refused")).to.equal(before + 2);
    expect(JSON.stringify(api.ctx.lines)).not.to.include(apiKey);
  });
});
