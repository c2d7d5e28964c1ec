import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { createApiKey } from "../../../commands/stores/api-key";
import { deleteApiKey } from "../../../commands/stores/delete-api-key";
import { DomainError } from "../../../domain/errors";
import { ApiKey } from "../../../entities/api-key";
import { startApi, type TestApi, type TestStore, expectRefused } from "../server";

interface Key extends Record<string, unknown> {
  id: string;
  name: string;
  prefix: string;
  apiKey: string;
}

describe("API: API keys", () => {
  let api: TestApi;
  let second: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    second = await startApi({ db: api.db }); // another process, as far as what it remembers goes
  });
  beforeEach(async () => (shop = await api.store()));
  after(async () => {
    await second.listening.close();
    await api.stop();
  });

  const call = (method: string, rest = "", body?: unknown, key = shop.apiKey) =>
    api.call(method, `/stores/${shop.storeId}/api-keys${rest}`, { key, body });
  async function made(name: string, key = shop.apiKey): Promise<Key> {
    const answer = await call("POST", "", { name }, key);
    expect(answer.status, answer.text).to.equal(201);
    return answer.json as unknown as Key;
  }
  const audit = (action: string) =>
    api.db.query<{ subject: string; details: Record<string, unknown> }[]>(
      "SELECT subject, details FROM audit_log WHERE store_id = $1 AND action = $2 AND actor_kind = 'key'",
      [shop.storeId, action],
    );
  const inAMinute = () => new Date(Date.now() + 60_000).toISOString();

  it("are created with 201; the text is shown once, works, and is not stored", async () => {
    const { apiKey, ...key } = await made(" till ");
    expect(Object.keys(key)).to.deep.equal(
      "id name prefix createdAt createdByUserId createdByEmail access permissions lastUsedAt expiresAt webhooks".split(
        " ",
      ),
    );
    expect(key).to.deep.include({
      name: "till",
      prefix: apiKey.slice(8, 16),
      permissions: null,
      lastUsedAt: null,
      expiresAt: null,
    });
    const current = await call("GET", "/current", undefined, apiKey);
    expect(current.json).to.deep.include({ id: key.id, name: "till" });
    expect(current.json["lastUsedAt"]).to.be.a("string");
    const list = await call("GET");
    expect(list.json.data.map(({ id }) => id)).to.include(key.id);
    expect(list.text).not.to.include(apiKey.slice(16, 40));
    const [entry] = await audit("api-key.created");
    expect(entry).to.deep.include({ subject: key.id });
    expect(JSON.stringify(entry)).not.to.include(apiKey.slice(16, 40));
  });

  it("are listed by pages, newest first", async () => {
    const ids = [(await made("one")).id, (await made("two")).id].reverse();
    const first = await call("GET", "?limit=2");
    expect(first.json.data.map(({ id }) => id)).to.deep.equal(ids);
    const rest = await call("GET", `?limit=2&cursor=${first.json.nextCursor}`);
    expect(rest.json.data.map(({ name }) => name)).to.deep.equal(["test"]);
    expect(rest.json.nextCursor).to.equal(null);
    expectRefused(await call("GET", "?cursor=x"), 422, "validation-failed", "/cursor");
  });

  const wrong: [string, unknown, string][] = [
    ["an empty name", { name: " " }, "/name"],
    ["an expiry in the past", { name: "x", expiresAt: "2020-01-01T00:00:00Z" }, "/expiresAt"],
  ];
  for (const [name, body, pointer] of wrong)
    it(`are refused with ${name}: 422 that points at it`, async () => {
      expectRefused(await call("POST", "", body), 422, "validation-failed", pointer);
      expect((await call("GET")).json.data).to.have.length(1);
    });

  it("expire, and keys created by them expire no later", async () => {
    const expiresAt = inAMinute();
    const { json } = await call("POST", "", { name: "short", expiresAt });
    expect(json.expiresAt).to.equal(expiresAt);
    const key = String(json["apiKey"]);
    expect((await call("POST", "", { name: "child" }, key)).json.expiresAt).to.equal(expiresAt);
    const later = await call("POST", "", { name: "x", expiresAt: "2999-01-01T00:00:00Z" }, key);
    expectRefused(later, 422, "validation-failed", "/expiresAt");
    await api.db.query("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE name = 'short'");
    await acceptRows(api.ctx);
    expectRefused(await call("GET", "/current", undefined, key), 401, "unauthenticated");
  });

  it("are deleted with the keys that they created, recursively, in every process at once", async () => {
    const parent = await made("parent");
    const child = await made("child", parent.apiKey);
    const grandchild = await made("grandchild", child.apiKey);
    const sister = await made("sister");
    const use = (at: TestApi, key: Key) => at.call("GET", `/stores/${shop.storeId}`, { key: key.apiKey });
    for (const at of [api, second]) expect((await use(at, grandchild)).status).to.equal(200);
    const deleted = await call("DELETE", `/${parent.id}`);
    expect([deleted.status, deleted.text]).to.deep.equal([204, ""]);
    for (const at of [api, second]) {
      for (const key of [parent, child, grandchild])
        expectRefused(await use(at, key), 401, "unauthenticated");
      expect((await use(at, sister)).status).to.equal(200);
    }
    const entries = await audit("api-key.deleted");
    expect(entries.map(({ details }) => details)).to.have.deep.members([
      { name: "parent", prefix: parent.prefix },
      { name: "child", prefix: child.prefix, with: parent.id },
      { name: "grandchild", prefix: grandchild.prefix, with: parent.id },
    ]);
    expectRefused(await call("DELETE", `/${parent.id}`), 404, "api-key-not-found");
    expectRefused(await call("DELETE", "/key_unknown"), 404, "api-key-not-found");
    expectRefused(await call("DELETE", "/%00"), 404, "api-key-not-found");
    expectRefused(await call("DELETE", "/current"), 405, "method-not-allowed");
  });

  it("leave no child behind when they create keys while they are deleted", async () => {
    for (let round = 0; round < 5; round += 1) {
      const parent = await made(`parent ${round}`);
      const children = Array.from({ length: 4 }, (_, at) =>
        call("POST", "", { name: `child ${at}` }, parent.apiKey),
      );
      const [removed, ...answers] = await Promise.all([call("DELETE", `/${parent.id}`), ...children]);
      expect(removed.status).to.equal(204);
      for (const answer of answers) expect([201, 401]).to.include(answer.status);
      expect((await call("GET")).json.data).to.have.length(1);
    }
  });

  it("cannot create a key once they are deleted, even in a request that was authenticated before", async () => {
    const { id } = await made("doomed");
    const ctx = { ...api.ctx, actor: { kind: "key", id } } as const;
    await deleteApiKey(api.ctx, { storeId: shop.storeId, keyId: id });
    const error: unknown = await createApiKey(ctx, { storeId: shop.storeId, name: "x" }).catch(
      (e: unknown) => e,
    );
    expect(error).to.be.instanceOf(DomainError).with.property("code", "unauthenticated");
    expect(await api.db.manager.countBy(ApiKey, { storeId: shop.storeId })).to.equal(1);
  });
});
