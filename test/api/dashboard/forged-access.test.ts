import { createHash, randomBytes } from "node:crypto";
import { expect } from "chai";
import { eventually } from "../../support/eventually";
import { bearerToken } from "../../../domain/account/bearer-token";
import { apiKeyText, parseApiKey } from "../../../domain/account/api-key";
import { findNotAuthentic, renewRows } from "../../../commands/server/authentic-rows";
import { watchAccess } from "../../../commands/accounts/watch-access";
import type { AlertMessage } from "../../../commands/ports";
import { makeSecretBox } from "../../../adapters/crypto";
import { TEST_APP_SECRET } from "../../support/context";
import { buildUser, newXpub, PASSWORD } from "../../support/factories";
import { expectRefused, send, startApi, type TestApi, type TestStore } from "../server";
import { join, testUser, type TestUser } from "./user";

/** Somebody who can write to the database, and does not know APP_SECRET. */
describe("a writer to the database", () => {
  let api: TestApi;
  let shop: TestStore;
  let owner: TestUser;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => {
    shop = await api.store();
    owner = await testUser(api);
    await join(api, owner, shop.storeId, "owner");
  });
  const sql = (text: string, ...values: unknown[]): Promise<unknown> => api.db.query(text, values);
  const wallet = () => `/stores/${shop.storeId}/payment-methods/BTC-CHAIN`;
  const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status;
  const withCookie = (token: string, method: string, path: string, body?: unknown) =>
    send(api.base, method, `/api/dashboard${path}`, {
      headers: { cookie: `quittance-session=${token}`, "sec-fetch-site": "same-origin" },
      body,
    });
  const logIn = (email: string, password = PASSWORD) =>
    send(api.base, "POST", "/api/dashboard/login", {
      headers: { "sec-fetch-site": "same-origin" },
      body: { email, password },
    });
  const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

  async function insertSession(userId: string, mac: Buffer | null = null): Promise<string> {
    const token = bearerToken(randomBytes(32));
    await sql(
      `INSERT INTO sessions (id, token_hash, user_id, stage, created_at, last_seen_at, expires_at, authenticated_at, ip, user_agent, mac)
       VALUES ($1, $2, $3, 'full', now(), now(), now() + interval '1 day', now(), '', '', $4)`,
      api.ctx.newId("ses"),
      sha256(token),
      userId,
      mac,
    );
    return token;
  }

  it("begins no session with a row of their own, nor takes over another's with their own MAC", async () => {
    expect(await status(withCookie(await insertSession(owner.userId), "GET", wallet()))).to.equal(401);
    const thief = await testUser(api);
    expect(await status(thief.call("GET", "/account"))).to.equal(200);
    await sql("UPDATE sessions SET user_id = $2 WHERE id = $1", thief.sessionId, owner.userId);
    expect(await status(thief.call("GET", "/account"))).to.equal(401);
    const [{ mac }] = (await sql("SELECT mac FROM sessions WHERE id = $1", owner.sessionId)) as [
      { mac: Buffer },
    ];
    expect(await status(withCookie(await insertSession(owner.userId, mac), "GET", wallet()))).to.equal(401);
    expect(api.ctx.lines.map(({ message }) => message)).to.include("access: not authentic");
  });

  it("gives a session no fresh proof", async () => {
    await sql(
      "UPDATE sessions SET authenticated_at = now() - interval '1 hour' WHERE id = $1",
      owner.sessionId,
    );
    expect(await status(owner.call("PUT", wallet(), { body: { xpub: newXpub() } }))).to.equal(401);
  });

  it("makes nobody an admin, an owner, or a disabled user come in again", async () => {
    const user = await testUser(api);
    await sql(
      "INSERT INTO store_members (store_id, user_id, role, created_at) VALUES ($1, $2, 'owner', now())",
      shop.storeId,
      user.userId,
    );
    expect(await status(user.call("GET", wallet()))).to.equal(403);
    const viewer = await testUser(api);
    await join(api, viewer, shop.storeId, "viewer");
    expect(await status(viewer.call("GET", wallet()))).to.equal(200);
    await sql("UPDATE store_members SET role = 'owner' WHERE user_id = $1", viewer.userId);
    expect(await status(viewer.call("GET", wallet()))).to.equal(403);
    await sql("UPDATE users SET admin = true WHERE id = $1", user.userId);
    expect(await status(user.call("GET", "/admin/users"))).to.equal(401);
    const admin = await testUser(api, { admin: true });
    const { userId, email } = await buildUser(api.ctx);
    await admin.call("PATCH", `/admin/users/${userId}`, { body: { disabled: true } });
    await sql("UPDATE users SET disabled_at = NULL WHERE id = $1", userId);
    expect((await logIn(email)).json.code).to.equal("invalid-credentials");
  });

  it("shows nobody another store, and sets no wallet of one, by a role of their own", async () => {
    const xpub = newXpub();
    expect(await status(owner.call("PUT", wallet(), { body: { xpub } }))).to.equal(200);
    const thief = await testUser(api);
    const own = await api.store();
    await join(api, thief, own.storeId, "owner");
    await sql(
      "INSERT INTO store_members (store_id, user_id, role, created_at, mac) SELECT $1, user_id, role, created_at, mac FROM store_members WHERE user_id = $2",
      shop.storeId,
      thief.userId,
    );
    const listed = (await thief.call("GET", "/stores")).json.data;
    expect(listed.map((store) => store["storeId"])).to.deep.equal([own.storeId]);
    const path = `/stores/${own.storeId}/payment-methods/BTC-CHAIN`;
    expect((await thief.call("PUT", path, { body: { xpub } })).json.code).to.equal("wallet-in-use");
  });

  it("logs in with no password, passkey, recovery code or link that they wrote", async () => {
    const [victim, other] = [await buildUser(api.ctx), await buildUser(api.ctx)];
    expect(await status(logIn(victim.email))).to.equal(200);
    await sql(
      "UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $2) WHERE id = $1",
      victim.userId,
      other.userId,
    );
    await sql("UPDATE users SET email = 'other@example.com' WHERE id = $1", other.userId);
    expect((await logIn("other@example.com")).json.code).to.equal("invalid-credentials");
    const token = bearerToken(randomBytes(32));
    await sql(
      "INSERT INTO user_links (token_hash, user_id, expires_at, kind) VALUES ($1, $2, now() + interval '1 hour', 'login')",
      sha256(token),
      owner.userId,
    );
    const used = await send(api.base, "POST", "/api/dashboard/links/use", {
      headers: { "sec-fetch-site": "same-origin" },
      body: { token },
    });
    expectRefused(used, 404, "link-not-found");
  });

  it("makes no API key, gives a plugin's no permission, and allows none to change the wallet", async () => {
    const apiKey = apiKeyText("regtest", randomBytes(32));
    await sql(
      "INSERT INTO api_keys (id, store_id, name, prefix, hash, created_at) VALUES ('key_forged', $1, 'x', 'x', $2, now())",
      shop.storeId,
      parseApiKey(apiKey)?.hash,
    );
    expect(await status(api.call("GET", wallet(), { key: apiKey }))).to.equal(401);
    const put = () => api.call("PUT", wallet(), { key: shop.apiKey, body: { xpub: newXpub() } });
    await sql("UPDATE stores SET wallet_changes_by_key = true WHERE id = $1", shop.storeId);
    expect((await put()).json.code).to.equal("dashboard-only");
    await sql(
      "UPDATE api_keys SET expires_at = NULL, store_id = $2 WHERE store_id = $1",
      shop.storeId,
      (await api.store()).storeId,
    );
    expect(await status(put())).to.equal(401);
  });

  it("is found by doctor and by the hourly look, and has nothing authenticated by a later change of the row", async () => {
    const admin = await testUser(api, { admin: true });
    const user = await testUser(api);
    await sql("UPDATE users SET password_hash = 'mine' WHERE id = $1", user.userId);
    const path = `/admin/users/${user.userId}`;
    expect(await status(admin.call("PATCH", path, { body: { disabled: true } }))).to.equal(503);
    expect(await findNotAuthentic(api.ctx)).to.deep.include({ what: "user", row: user.userId });
    await watchAccess(api.ctx);
    const open = "SELECT severity FROM alerts WHERE kind = 'access-not-authentic' AND resolved_at IS NULL";
    expect(await sql(open)).to.deep.equal([{ severity: "critical" }]);
  });

  it("does not suppress the alert of a changed wallet by deleting it: its process sends it after the commit", async () => {
    const sent: AlertMessage[] = [];
    const channel = {
      name: "ALERT_URL" as const,
      atOnce: 1,
      send: (alerts: readonly AlertMessage[]) => Promise.resolve(void sent.push(...alerts)),
    };
    api.ctx.alertChannels = [channel];
    await sql("CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
    await sql("CREATE TRIGGER forget BEFORE INSERT ON alerts FOR EACH ROW EXECUTE FUNCTION forget()");
    expect(await status(owner.call("PUT", wallet(), { body: { xpub: newXpub() } }))).to.equal(200);
    await eventually(() => expect(sent.map(({ storeId }) => storeId)).to.deep.equal([shop.storeId]));
    expect(api.ctx.lines.some(({ message }) => message.startsWith("alert: The wallet"))).to.equal(true);
    await sql("DROP TRIGGER forget ON alerts");
    api.ctx.alertChannels = null;
  });
});

describe("rows that decide about access", () => {
  it("stay valid when APP_SECRET is changed, without being used meanwhile", async () => {
    const api = await startApi();
    const shop = await api.store();
    const owner = await testUser(api);
    await join(api, owner, shop.storeId, "owner");
    const appSecret = "the next secret, which is long enough to be one";
    const rotating = makeSecretBox({ appSecret, appSecretOld: TEST_APP_SECRET });
    expect(await renewRows({ ...api.ctx, secrets: rotating })).to.be.greaterThan(3);
    api.ctx.secrets = makeSecretBox({ appSecret });
    expect(await findNotAuthentic(api.ctx)).to.deep.equal([]);
    const path = `/stores/${shop.storeId}/payment-methods/BTC-CHAIN`;
    expect((await owner.call("GET", path)).status).to.equal(200);
    expect((await api.call("GET", path, { key: shop.apiKey })).status).to.equal(200);
    await api.stop();
  });
});
