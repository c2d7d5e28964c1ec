import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { createApiKey } from "../../../commands/stores/api-key";
import { makeOwnerMails } from "../../../commands/server/mail-owners";
import { createStore } from "../../../commands/stores/create-store";
import { makeSendAlerts } from "../../../commands/server/send-alerts";
import { openMail } from "../../../adapters/mail";
import { newXpub } from "../../support/factories";
import { type Mailbox, startMailbox } from "../../support/mailbox";
import { join, testUser, type TestUser } from "../dashboard/user";
import { pointers, startApi, type Answer, type TestApi, type TestStore } from "../server";

describe("a store's wallet against a stolen API key", () => {
  let api: TestApi;
  let shop: TestStore;
  let owner: TestUser;
  before(async () => (api = await startApi()));
  beforeEach(async () => {
    shop = await api.store();
    owner = await testUser(api);
    await join(api, owner, shop.storeId, "owner");
  });
  after(() => api.stop());

  const byKey = (method: string, body?: unknown, { storeId, apiKey } = shop) =>
    api.call(method, `/stores/${storeId}/payment-methods/BTC-CHAIN`, { key: apiKey, body });
  const inDashboard = (method: string, path: string, body?: unknown, user = owner) =>
    user.call(method, `/stores/${shop.storeId}${path}`, { body });
  const allow = (allowed: boolean, user = owner) =>
    inDashboard("PUT", "/wallet-changes-by-key", { allowed }, user);
  const told = ({ status, json }: Answer) => [status, json.code];
  const REFUSED = [403, "dashboard-only"];
  const alerts = () =>
    api.db.query<{ message: string }[]>(
      "SELECT message FROM alerts WHERE store_id = $1 AND kind = 'wallet-changed' ORDER BY at",
      [shop.storeId],
    );
  async function storeWithoutWallet(): Promise<TestStore> {
    const { id: storeId } = await createStore(api.ctx, { name: "New shop" });
    const { apiKey } = await createApiKey(api.ctx, { storeId, name: "shop" });
    return { storeId, apiKey };
  }

  it("is neither replaced, moved nor removed by it: 403 dashboard-only, and nothing is changed", async () => {
    const before = (await byKey("GET")).json;
    expect(told(await byKey("PUT", { xpub: newXpub() }))).to.deep.equal(REFUSED);
    expect(told(await byKey("DELETE"))).to.deep.equal(REFUSED);
    expect((await byKey("GET")).json).to.deep.equal(before);
    expect(await alerts()).to.deep.equal([]);
    const warned = api.ctx.lines.filter(({ message }) => message === "wallet: change by API key refused");
    expect(warned.map(({ fields }) => fields["storeId"])).to.include(shop.storeId);
  });

  it("is not moved by it, and set again unchanged", async () => {
    const first = await storeWithoutWallet();
    const xpub = newXpub();
    expect((await byKey("PUT", { xpub, startIndex: 3 }, first)).status).to.equal(200);
    expect((await byKey("PUT", { xpub }, first)).json).to.deep.include({ nextIndex: 3 });
    expect(told(await byKey("PUT", { xpub, startIndex: 50 }, first))).to.deep.equal(REFUSED);
    expect((await byKey("GET", undefined, first)).json).to.deep.include({ nextIndex: 3 });
  });

  it("is set by it when it is the first, and not when an owner has removed one", async () => {
    const first = await storeWithoutWallet();
    expect((await byKey("PUT", { xpub: newXpub() }, first)).status).to.equal(200);
    await inDashboard("DELETE", "/payment-methods/BTC-CHAIN");
    expect(told(await byKey("PUT", { xpub: newXpub() }))).to.deep.equal(REFUSED);
    expect(told(await byKey("GET"))).to.deep.equal([404, "payment-method-not-found"]);
  });

  it("is first refused by an invalid value", async () => {
    for (const [body, pointer] of [
      [{ xpub: "no key" }, "/xpub"],
      [{ xpub: newXpub(), startIndex: 0x7fff_ffff }, "/startIndex"],
    ] as const) {
      const answer = await byKey("PUT", body);
      expect([...told(answer), ...pointers(answer)]).to.deep.equal([422, "validation-failed", pointer]);
    }
  });

  it("is changed by it when an owner has allowed that in the dashboard, with an alert", async () => {
    const { json } = await api.call("GET", `/stores/${shop.storeId}`, { key: shop.apiKey });
    expect(json["walletChangesByKey"]).to.equal(false);
    const asKey = await api.call("PATCH", `/stores/${shop.storeId}`, {
      key: shop.apiKey,
      body: { walletChangesByKey: true },
    });
    expect([...told(asKey), ...pointers(asKey)]).to.deep.equal([
      422,
      "validation-failed",
      "/walletChangesByKey",
    ]);
    expect((await allow(true)).json).to.deep.include({ walletChangesByKey: true });
    expect((await alerts())[0]?.message).to.match(/^From now on API keys may change the wallet, by a user/);
    expect((await byKey("PUT", { xpub: newXpub() })).status).to.equal(200);
    expect((await byKey("DELETE")).status).to.equal(204);
    await allow(false);
    expect(told(await byKey("PUT", { xpub: newXpub() }))).to.deep.equal(REFUSED);
  });

  it("is allowed to keys only by owners with a fresh proof", async () => {
    const member = await testUser(api);
    await join(api, member, shop.storeId, "member");
    expect(told(await allow(true, member))).to.deep.equal([403, "role-insufficient"]);
    await api.db.query("UPDATE sessions SET authenticated_at = now() - interval '1 hour' WHERE id = $1", [
      owner.sessionId,
    ]);
    await acceptRows(api.ctx);
    expect(told(await allow(true))).to.deep.equal([403, "reauthentication-needed"]);
  });

  it("raises an alert that only an owner with a fresh proof ends", async () => {
    const member = await testUser(api);
    await join(api, member, shop.storeId, "member");
    await allow(true);
    const { alertId } = (await owner.call("GET", `/stores/${shop.storeId}/alerts`)).json.data[0];
    const path = `/stores/${shop.storeId}/alerts/${String(alertId)}/resolve`;
    expect(told(await member.call("POST", path))).to.deep.equal([403, "role-insufficient"]);
    api.ctx.clock.advance(600_000);
    expect(told(await owner.call("POST", path))).to.deep.equal([403, "reauthentication-needed"]);
    api.ctx.clock.advance(-600_000);
    expect((await owner.call("POST", path)).status).to.equal(200);
  });

  describe("that was changed", () => {
    let mailbox: Mailbox;
    beforeEach(async () => (mailbox = await startMailbox()));
    afterEach(() => mailbox.stop());
    const tellOwners = () => {
      const { send } = openMail(mailbox.url);
      return makeSendAlerts(api.ctx, [makeOwnerMails(api.ctx, send)])();
    };

    it("is mailed to all owners at once, with the fingerprints before and after, and to nobody else", async () => {
      const [other, member, former] = [await testUser(api), await testUser(api), await testUser(api)];
      await join(api, other, shop.storeId, "owner");
      await join(api, member, shop.storeId, "member");
      await join(api, former, shop.storeId, "owner");
      await api.db.query("UPDATE users SET disabled_at = now() WHERE id = $1", [former.userId]);
      await acceptRows(api.ctx);
      const before = (await byKey("GET")).json["fingerprint"];
      await allow(true);
      await tellOwners();
      mailbox.mails.splice(0);
      await byKey("PUT", { xpub: newXpub() });
      const after = (await byKey("GET")).json["fingerprint"];
      expect(await tellOwners()).to.be.greaterThan(0);
      expect(mailbox.mails.flatMap(({ to }) => to).sort()).to.deep.equal([other.email, owner.email].sort());
      for (const { text } of mailbox.mails) {
        expect(text)
          .to.include(`from ${String(before)} (wpkh`)
          .and.include(`to ${String(after)} (wpkh`);
        expect(text).to.include("by an API key").and.include(shop.storeId);
      }
      mailbox.mails.splice(0);
      await tellOwners();
      expect(mailbox.mails).to.deep.equal([]);
    });

    it("is one mail for many changes at once", async () => {
      await allow(true);
      for (let times = 0; times < 5; times += 1) await byKey("PUT", { xpub: newXpub() });
      await tellOwners();
      expect(mailbox.mails).to.have.length(1);
    });

    it("delays no other alert when an owner's mail is refused repeatedly", async () => {
      await allow(true);
      const { send } = openMail(mailbox.url);
      const tell = makeSendAlerts(api.ctx, [makeOwnerMails(api.ctx, send)]);
      mailbox.refuse();
      for (let times = 0; times < 3; times += 1) await tell();
      const untold = await api.db.query<unknown[]>("SELECT 1 FROM alerts WHERE sent_at IS NULL");
      expect(untold).to.deep.equal([]);
      expect(api.ctx.lines.map(({ message }) => message)).to.include("wallet: mail to an owner not sent");
    });
  });
});
