import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { startApi, type TestApi } from "../server";
import { join, testUser, type TestUser } from "./user";

const URL = "http://93.184.216.34/hook";

describe("dashboard: who created an API key or a webhook", () => {
  let api: TestApi;
  let storeId: string;
  let apiKey: string;
  let owner: TestUser;
  let leaver: TestUser;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => {
    ({ storeId, apiKey } = await api.store());
    [owner, leaver] = [await testUser(api), await testUser(api)];
    await join(api, owner, storeId, "owner");
    await join(api, leaver, storeId, "owner");
    await api.db.query("UPDATE users SET password_hash = 'one' WHERE id = $1", [owner.userId]); // can log in
    await acceptRows(api.ctx);
  });
  async function made(): Promise<string> {
    const key = await leaver.call("POST", `/stores/${storeId}/api-keys`, { body: { name: "till-2" } });
    expect(key.status, key.text).to.equal(201);
    expect(key.json).to.include({ createdByUserId: leaver.userId, createdByEmail: leaver.email });
    const webhook = await leaver.call("POST", `/stores/${storeId}/webhooks`, { body: { url: URL } });
    expect(webhook.json).to.include({ createdByUserId: leaver.userId, createdByEmail: leaver.email });
    return String(key.json["apiKey"]);
  }
  const lists = ["api-keys", "webhooks"] as const;

  it("is shown to owners with the address, to others and to keys without it", async () => {
    await made();
    for (const list of lists) {
      const path = `/stores/${storeId}/${list}`;
      const [first] = (await owner.call("GET", path)).json.data;
      expect(first, list).to.include({ createdByUserId: leaver.userId, createdByEmail: leaver.email });
      const [told] = (await api.call("GET", path, { key: apiKey })).json.data;
      expect(told, list).to.include({ createdByUserId: leaver.userId, createdByEmail: null });
    }
    const viewer = await testUser(api);
    await join(api, viewer, storeId, "viewer");
    const seen = await viewer.call("GET", `/stores/${storeId}/webhooks`);
    expect(seen.text).not.to.include(leaver.email);
  });

  it("allows users to see and delete their own keys, with a fresh proof, also when they are no owner any more", async () => {
    const key = await made();
    const [own] = (await leaver.call("GET", "/account")).json["apiKeys"] as { id: string; name: string }[];
    expect(own).to.include({ name: "till-2" });
    const path = `/account/api-keys/${own?.id}`;
    expect((await owner.call("DELETE", path)).json.code, "another's").to.equal("api-key-not-found");
    await owner.call("PATCH", `/stores/${storeId}/members/${leaver.userId}`, { body: { role: "viewer" } });
    expect((await leaver.call("DELETE", path)).status).to.equal(204);
    expect((await leaver.call("GET", "/account")).json["apiKeys"]).to.deep.equal([]);
    expect((await api.call("GET", `/stores/${storeId}`, { key })).status).to.equal(401);
  });

  it("decides what ends with a disabled user", async () => {
    const key = await made();
    const admin = await testUser(api, { admin: true });
    const body = { disabled: true, keysAndWebhooks: "delete" };
    const answer = await admin.call("PATCH", `/admin/users/${leaver.userId}`, { body });
    expect([answer.status, answer.json["made"]]).to.deep.equal([200, { apiKeys: 0, webhooks: 0 }]);
    expect((await api.call("GET", `/stores/${storeId}`, { key })).status).to.equal(401);
  });
});
