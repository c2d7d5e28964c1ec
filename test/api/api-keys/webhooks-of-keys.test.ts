import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { changeWebhook } from "../../../commands/webhooks/change-webhook";
import { DomainError } from "../../../domain/errors";
import { nativeId } from "../../../domain/greenfield/id-text";
import { plugin } from "../greenfield/plugin";
import { join, testUser, type TestUser } from "../dashboard/user";
import { expectRefused, startApi, type TestApi } from "../server";

const HERS = "http://93.184.216.34/hers";
const OURS = "http://93.184.216.34/ours";

describe("API: webhooks of an API key", () => {
  let api: TestApi;
  let storeId: string;
  let owner: TestUser;
  let key: { id: string; apiKey: string };
  before(async () => (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => {
    const store = await api.store();
    storeId = store.storeId;
    owner = await testUser(api);
    await join(api, owner, storeId, "owner");
    key = await keyMadeBy(store.apiKey);
  });

  async function keyMadeBy(parent: string): Promise<{ id: string; apiKey: string }> {
    const { status, json, text } = await call("POST", "/api-keys", { key: parent, body: { name: "till" } });
    expect(status, text).to.equal(201);
    return json as unknown as { id: string; apiKey: string };
  }
  const call = (
    method: string,
    path: string,
    { key: by = key.apiKey, body }: { key?: string; body?: unknown } = {},
  ) => api.call(method, `/stores/${storeId}${path}`, { key: by, body });
  async function made(url: string, by = key.apiKey): Promise<string> {
    const { status, json, text } = await call("POST", "/webhooks", { key: by, body: { url } });
    expect(status, text).to.equal(201);
    return String(json["webhookId"]);
  }
  async function madeByOwner(): Promise<string> {
    return String(
      (await owner.call("POST", `/stores/${storeId}/webhooks`, { body: { url: OURS } })).json["webhookId"],
    );
  }
  /** The ids of those that are shown with the key. */
  async function shown(of = key): Promise<string[]> {
    const { json } = await call("GET", "/api-keys/current", { key: of.apiKey });
    return (json["webhooks"] as { webhookId: string }[]).map(({ webhookId }) => webhookId);
  }
  async function left(): Promise<string[]> {
    const { json } = await owner.call("GET", `/stores/${storeId}/webhooks`);
    return (json.data as unknown as { webhookId: string }[]).map(({ webhookId }) => webhookId).sort();
  }
  const end = (query: string) => owner.call("DELETE", `/stores/${storeId}/api-keys/${key.id}${query}`);

  it("are those whose URL it set, or a key that was created with it", async () => {
    const child = await keyMadeBy(key.apiKey);
    const [first, second] = [await made(HERS), await made(HERS, child.apiKey)];
    await madeByOwner();
    const { json } = await owner.call("GET", `/stores/${storeId}/api-keys`);
    const listed = json.data.find(({ id }) => id === key.id);
    expect(listed?.["webhooks"]).to.deep.equal([
      { webhookId: second, url: HERS },
      { webhookId: first, url: HERS },
    ]);
    expect(await shown(child)).to.deep.equal([second]);
  });

  it("are also those that it moved, until a person sets the URL", async () => {
    const id = await madeByOwner();
    const change = (body: object) => call("PATCH", `/webhooks/${id}`, { body });
    expect((await change({ url: OURS, enabled: true })).status).to.equal(200);
    expect(await shown(), "the URL that it had").to.deep.equal([]);
    expect((await change({ url: HERS })).status).to.equal(200);
    expect(await shown()).to.deep.equal([id]);
    const back = await owner.call("PATCH", `/stores/${storeId}/webhooks/${id}`, { body: { url: OURS } });
    expect(back.status).to.equal(200);
    expect(await shown()).to.deep.equal([]);
  });

  it("stay when it is deleted, as a shop needs whose key is replaced", async () => {
    const id = await made(HERS);
    expect((await end("")).status).to.equal(204);
    expect(await left()).to.deep.equal([id]);
  });

  it("are deleted with it on request, and no others", async () => {
    const ours = await madeByOwner();
    const child = await keyMadeBy(key.apiKey);
    const theirs = [await made(HERS), await made(HERS, child.apiKey)];
    const elsewhere = await api.store();
    await api.db.query("UPDATE webhooks SET url_set_by_key_id = $1 WHERE id = $2", [
      key.id,
      (await createWebhook(api.ctx, { storeId: elsewhere.storeId, url: HERS })).webhook.id,
    ]);
    const wrong = await end("?webhooks=all");
    expectRefused(wrong, 422, "validation-failed");
    expect((await end("?webhooks=delete")).status).to.equal(204);
    expect(await left()).to.deep.equal([ours]);
    const audited = await api.db.query<{ subject: string; details: object }[]>(
      "SELECT subject, details FROM audit_log WHERE store_id = $1 AND action = 'webhook.deleted'",
      [storeId],
    );
    expect(audited.map(({ subject }) => subject).sort()).to.deep.equal(theirs.sort());
    for (const { details } of audited) expect(details).to.deep.equal({ with: key.id });
    const others = await api.call("GET", `/stores/${elsewhere.storeId}/webhooks`, { key: elsewhere.apiKey });
    expect(others.json.data).to.have.length(1);
  });

  it("are a shop plugin's too", async () => {
    const { json } = await plugin(api.base, "POST", `/stores/${storeId}/webhooks`, {
      key: key.apiKey,
      body: { url: HERS },
    });
    expect(await shown()).to.deep.equal([nativeId(json.id)]);
    expect((await end("?webhooks=delete")).status).to.equal(204);
    expect(await left()).to.deep.equal([]);
  });

  it("are not moved by a request that was authenticated before the key was deleted", async () => {
    const id = await madeByOwner();
    const asKey = { ...api.ctx, actor: { kind: "key", id: key.id } } as const;
    expect((await end("?webhooks=delete")).status).to.equal(204);
    const error: unknown = await changeWebhook(asKey, storeId, id, { url: HERS }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(DomainError).with.property("code", "unauthenticated");
    expect(await left()).to.deep.equal([id]);
  });

  it("are deleted by the user who created the key, after a reset, also when they are no owner any more", async () => {
    const byOwner = await owner.call("POST", `/stores/${storeId}/api-keys`, { body: { name: "mine" } });
    const [mine, apiKey] = [String(byOwner.json["id"]), String(byOwner.json["apiKey"])];
    await made(HERS, apiKey);
    await api.db.query("UPDATE store_members SET role = 'member' WHERE user_id = $1", [owner.userId]);
    await acceptRows(api.ctx);
    expect((await owner.call("DELETE", `/account/api-keys/${mine}?webhooks=delete`)).status).to.equal(204);
    expect(await left()).to.deep.equal([]);
  });
});
