import { expect } from "chai";
import { nativeId } from "../../../domain/greenfield/id-text";
import { Webhook } from "../../../entities/webhook";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { startApi, type TestApi, type TestStore } from "../server";
import { plugin, type PluginAnswer, type PluginRequest } from "./plugin";

const URL = "http://127.0.0.1:4000/?wc-api=shop";
const SECRET = "0123456789abcdef0123456789abcdef0123456789abcdef";

/** The members that these tests look into: of a webhook, of a refusal, and of the first wrong field. */
interface Json {
  id: string;
  url: string;
  enabled: boolean;
  automaticRedelivery: boolean;
  authorizedEvents: { everything: boolean; specificEvents: string[] };
  secret?: string;
  code: string;
  missingPermission: string;
  0: { path: string };
}

describe("API of shop plugins: webhooks", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => void (shop = await api.store()));
  after(() => api.stop());

  const call = async (method: string, path = "", options: PluginRequest = {}) => {
    const answer: Omit<PluginAnswer, "json"> & { json: unknown } = await plugin(
      api.base,
      method,
      `/stores/${shop.storeId}/webhooks${path}`,
      { key: shop.apiKey, ...options },
    );
    return { ...answer, json: answer.json as Json };
  };
  const create = async (body: object = {}): Promise<Json> => {
    const { status, json } = await call("POST", "", { body: { url: URL, ...body } });
    expect(status, JSON.stringify(json)).to.equal(200);
    return json;
  };
  const native = (method: string, path = "", body?: object) =>
    api.call(method, `/stores/${shop.storeId}/webhooks${path}`, { key: shop.apiKey, body });

  it("a webhook with nothing but a URL is enabled, is sent everything again and again, and has a generated secret", async () => {
    const made = await create();
    expect(made).to.deep.equal({
      id: made.id,
      enabled: true,
      automaticRedelivery: true,
      url: URL,
      authorizedEvents: { everything: true, specificEvents: [] },
      secret: made.secret,
    });
    expect(made.secret).to.match(/^\S{16,}$/);
    const { secret: _, ...rest } = made;
    expect((await call("GET", `/${made.id}`)).json).to.deep.equal(rest);
    expect((await call("GET")).json).to.deep.equal([rest]);
  });

  it("null is as absent, and fields that are unknown are accepted", async () => {
    const made = await create({
      enabled: null,
      automaticRedelivery: null,
      secret: null,
      authorizedEvents: null,
      id: null,
      payloadVersion: 7,
    });
    expect(made).to.deep.include({ enabled: true, automaticRedelivery: true });
    expect(made.authorizedEvents.everything).to.equal(true);
    const events = { everything: true, specificEvents: null };
    expect((await create({ authorizedEvents: events })).authorizedEvents).to.deep.equal({
      everything: true,
      specificEvents: [],
    });
  });

  it("a secret that the plugin gives is answered as it was sent, stored sealed, and shown in no other answer", async () => {
    const { id, secret } = await create({ secret: SECRET });
    expect(secret).to.equal(SECRET);
    const row = await api.ctx.db.manager.findOneByOrFail(Webhook, { id: nativeId(id) });
    expect(row.secretEncrypted.toString("latin1")).to.not.include(SECRET);
    for (const { text } of [
      await call("GET"),
      await call("GET", `/${id}`),
      await call("PUT", `/${id}`, { body: { url: URL, secret: SECRET } }),
      await call("DELETE", `/${id}`),
    ])
      expect(text).to.not.include(SECRET);
  });

  it("replacing a webhook without `enabled` enables it, also after a person disabled it", async () => {
    const { id } = await create();
    await native("PATCH", `/${id}`, { enabled: false });
    expect((await call("GET", `/${id}`)).json.enabled).to.equal(false);
    expect((await call("PUT", `/${id}`, { body: { url: URL } })).json.enabled).to.equal(true);
  });

  it("unknown events are kept in the answer", async () => {
    const specificEvents = ["InvoiceSettled", "InvoiceOfTomorrow"];
    const made = await create({ authorizedEvents: { everything: false, specificEvents } });
    expect(made.authorizedEvents).to.deep.equal({ everything: false, specificEvents });
    const { json } = await call("GET", `/${made.id}`);
    expect(json.authorizedEvents).to.deep.equal({ everything: false, specificEvents });
  });

  it("PUT replaces all but the secret, which it keeps unless one is given", async () => {
    const { id } = await create({ secret: SECRET, authorizedEvents: { specificEvents: ["InvoiceSettled"] } });
    const secretOf = async () =>
      (await api.ctx.db.manager.findOneByOrFail(Webhook, { id: nativeId(id) })).secretEncrypted;
    const before = await secretOf();
    const body = { url: `${URL}&moved`, enabled: false, automaticRedelivery: false, secret: null };
    const { json } = await call("PUT", `/${id}`, { body });
    expect(json).to.deep.equal({
      id,
      enabled: false,
      automaticRedelivery: false,
      url: `${URL}&moved`,
      authorizedEvents: { everything: true, specificEvents: [] },
    });
    expect((await call("GET", `/${id}`)).json).to.deep.equal(json);
    expect(before.equals(await secretOf())).to.equal(true);
    await call("PUT", `/${id}`, { body: { url: URL, secret: "another secret of it" } });
    expect(before.equals(await secretOf())).to.equal(false);
    const refused = await call("PUT", `/${id}`, { body: { url: URL, secret: "short" } });
    expect([refused.status, refused.json[0].path]).to.deep.equal([422, "secret"]);
  });

  it("DELETE answers 200 and {}, and then there is none", async () => {
    const { id } = await create();
    const gone = await call("DELETE", `/${id}`);
    expect([gone.status, gone.text]).to.deep.equal([200, "{}"]);
    for (const [method, options] of [
      ["GET", {}],
      ["PUT", { body: { url: URL } }],
      ["DELETE", {}],
    ] as const) {
      const { status, json } = await call(method, `/${id}`, options);
      expect([status, json.code], method).to.deep.equal([404, "webhook-not-found"]);
    }
  });

  it("wrong fields are refused with 422 at their paths, with what they must be, and make nothing", async () => {
    const events = (specificEvents: unknown) => ({ authorizedEvents: { specificEvents } });
    const wrong: [body: object, path: string, message?: string][] = [
      [{ url: undefined }, "url"],
      [{ url: "http://10.0.0.1/" }, "url"],
      [{ url: "ftp://shop.example" }, "url"],
      [{ url: 7 }, "url"],
      [{ secret: "" }, "secret"],
      [{ secret: "0123456789abcde" }, "secret"],
      [{ secret: "a".repeat(257) }, "secret"],
      [{ secret: 123 }, "secret"],
      [{ enabled: "true" }, "enabled", "Must be true or false."],
      [{ automaticRedelivery: 1 }, "automaticRedelivery"],
      [{ authorizedEvents: { everything: "true" } }, "authorizedEvents.everything", "Must be true or false."],
      [{ authorizedEvents: [] }, "authorizedEvents", "Must be an object."],
      [events("InvoiceSettled"), "authorizedEvents.specificEvents"],
      [events([null]), "authorizedEvents.specificEvents.0"],
      [events(Array(51).fill("a")), "authorizedEvents.specificEvents"],
      [events(["a".repeat(101)]), "authorizedEvents.specificEvents.0"],
    ];
    for (const [body, path, message] of wrong) {
      const { status, json, text } = await call("POST", "", { body: { url: URL, ...body } });
      expect([status, json[0].path], JSON.stringify(body)).to.deep.equal([422, path]);
      if (message !== undefined) expect(json).to.deep.equal([{ path, message }]);
      expect(text.includes("Required."), text).to.equal("url" in body && body.url === undefined);
    }
    expect((await call("GET")).json).to.deep.equal([]);
    const { id } = await create();
    expect((await call("PUT", `/${id}`, { body: { url: "http://10.0.0.1/" } })).status).to.equal(422);
  });

  it("a store has no more webhooks than it may, of both kinds together", async () => {
    const most = api.ctx.settings.maxWebhooksPerStore;
    await native("POST", "", { url: URL });
    for (let count = 1; count < most; count += 1) await create();
    const { status, json } = await call("POST", "", { body: { url: URL } });
    expect([status, json.code]).to.deep.equal([400, "generic-error"]);
  });

  it("a native webhook is not seen, changed or deleted by a plugin", async () => {
    const { json } = await native("POST", "", { url: URL });
    const id = json["webhookId"];
    expect((await call("GET")).json).to.deep.equal([]);
    for (const [method, options] of [
      ["GET", {}],
      ["PUT", { body: { url: URL } }],
      ["DELETE", {}],
    ] as const)
      expect((await call(method, `/${id}`, options)).status, method).to.equal(404);
    expect((await native("GET", `/${id}`)).json).to.include({ dialect: "native", enabled: true });
  });

  it("natively it is a webhook of another dialect, without events of ours", async () => {
    const { id } = await create();
    const { json } = await native("GET", `/${id}`);
    expect(json).to.deep.include({ dialect: "greenfield", events: [], enabled: true, url: URL });
    expect((await native("PATCH", `/${id}`, { enabled: false })).json).to.include({ enabled: false });
    expect((await call("GET", `/${id}`)).json.enabled).to.equal(false);
    const refused = await native("PATCH", `/${id}`, { events: ["Settled"] });
    expect([refused.status, refused.json["code"]]).to.deep.equal([422, "validation-failed"]);
    expect((await native("DELETE", `/${id}`)).status).to.equal(204);
  });

  it("natively its deliveries name the shop's event, and when a failed one is sent again", async () => {
    const { id } = await create({ url: "http://127.0.0.1:1/shop" });
    await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS" },
    });
    const delivery = async () => (await native("GET", `/${id}/deliveries`)).json.data[0];
    const { deliveryId, ...pending } = await delivery();
    expect(pending).to.include({ type: "New", dialectType: "InvoiceCreated", nextAttemptAt: null });
    await attemptWebhook(api.ctx, { deliveryId });
    const { nextAttemptAt, lastAttemptAt, ...failed } = await delivery();
    expect(failed).to.include({ state: "failed", attemptCount: 1 });
    expect(Date.parse(String(nextAttemptAt)) - Date.parse(String(lastAttemptAt))).to.be.within(9_000, 20_000);
    const { json } = await native("GET", `/${id}/deliveries/${deliveryId}/request`);
    expect(JSON.parse(String(json["body"]))).to.include({ type: "InvoiceCreated", webhookId: id });
  });
});
