import { expect } from "chai";
import { nativeId } from "../../../domain/greenfield/id-text";
import { Webhook } from "../../../entities/webhook";
import { WebhookAttempt } from "../../../entities/webhook-attempt";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { sweepDeliveries } from "../../../commands/webhooks/release";
import { eventually } from "../../support/eventually";
import { startReceiver, type Receiver } from "../../support/receiver";
import { shopEventOf, shopSignatureHolds } from "../../support/shop-webhook";
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
  let receiver: Receiver;
  before(async () => {
    api = await startApi();
    receiver = await startReceiver();
  });
  beforeEach(async () => void (shop = await api.store()));
  after(async () => {
    await api.stop();
    await receiver.close();
  });

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

  it("a secret that is too short or too long, and an empty one, are refused with 422", async () => {
    for (const secret of ["", "0123456789abcde", "a".repeat(257)]) {
      const { status, json } = await call("POST", "", { body: { url: URL, secret } });
      expect([status, json[0].path], secret).to.deep.equal([422, "secret"]);
    }
    expect((await call("GET")).json).to.deep.equal([]);
  });

  it("a field of the wrong type is refused with what it must be, not as missing", async () => {
    const wrong: [object, string, string][] = [
      [{ enabled: "true" }, "enabled", "Must be true or false."],
      [{ authorizedEvents: { everything: "true" } }, "authorizedEvents.everything", "Must be true or false."],
      [{ authorizedEvents: [] }, "authorizedEvents", "Must be an object."],
    ];
    for (const [body, path, message] of wrong) {
      const { status, json } = await call("POST", "", { body: { url: URL, ...body } });
      expect([status, json], path).to.deep.equal([422, [{ path, message }]]);
    }
    for (const body of [{ secret: 123 }, { authorizedEvents: { specificEvents: [null] } }]) {
      const { status, text } = await call("POST", "", { body: { url: URL, ...body } });
      expect(status).to.equal(422);
      expect(text).to.not.include("Required.");
    }
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

  it("a URL that the service may not send to, or none, is refused with 422 and the path", async () => {
    for (const body of [{}, { url: "http://10.0.0.1/" }, { url: "ftp://shop.example" }, { url: 7 }]) {
      const { status, json } = await call("POST", "", { body });
      expect([status, json[0].path], JSON.stringify(body)).to.deep.equal([422, "url"]);
    }
    const { id } = await create();
    const { status } = await call("PUT", `/${id}`, { body: { url: "http://10.0.0.1/" } });
    expect(status).to.equal(422);
  });

  it("wrong fields are refused with their paths, and events have a bound", async () => {
    const wrong: [object, string][] = [
      [{ automaticRedelivery: 1 }, "automaticRedelivery"],
      [{ authorizedEvents: { specificEvents: "InvoiceSettled" } }, "authorizedEvents.specificEvents"],
      [{ authorizedEvents: { specificEvents: Array(51).fill("a") } }, "authorizedEvents.specificEvents"],
      [{ authorizedEvents: { specificEvents: ["a".repeat(101)] } }, "authorizedEvents.specificEvents.0"],
    ];
    for (const [body, path] of wrong) {
      const { status, json } = await call("POST", "", { body: { url: URL, ...body } });
      expect([status, json[0].path], path).to.deep.equal([422, path]);
    }
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

  it("is sent the events of an invoice, again when they failed, and both are seen natively", async () => {
    const { id } = await create({ url: `${receiver.url}/shop`, secret: SECRET });
    receiver.answer("/shop", { kind: "status", status: 502 });
    await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS", metadata: { orderId: "1001" } },
    });
    const list = () => native("GET", `/${id}/deliveries`);
    const [pending] = (await list()).json["data"] as Record<string, unknown>[];
    const deliveryId = pending?.["deliveryId"] as string;
    expect(pending).to.include({ type: "New", dialectType: "InvoiceCreated", nextAttemptAt: null });
    await attemptWebhook(api.ctx, { deliveryId });
    const [failed] = (await list()).json["data"] as Record<string, unknown>[];
    expect(failed).to.include({ state: "failed", error: "http-502", attemptCount: 1 });
    const waits =
      Date.parse(failed?.["nextAttemptAt"] as string) - Date.parse(failed?.["lastAttemptAt"] as string);
    expect(waits).to.be.within(9_000, 20_000);
    receiver.answer("/shop", { kind: "status", status: 200 });
    await api.ctx.db.query("UPDATE webhook_deliveries SET retry_at = now() - interval '1 second'");
    await sweepDeliveries(api.ctx);
    await eventually(async () => {
      await attemptWebhook(api.ctx, { deliveryId });
      const { json } = await native("GET", `/${id}/deliveries/${deliveryId}`);
      expect(json).to.include({ state: "delivered", nextAttemptAt: null });
      const attempts = json["attempts"] as unknown as { cause: string; number: number }[];
      expect(attempts.map(({ cause, number }) => [number, cause])).to.deep.equal([
        [1, "automatic"],
        [2, "automatic"],
      ]);
    });
    expect(await api.ctx.db.manager.countBy(WebhookAttempt, { deliveryId })).to.equal(2);
    const [first, second] = receiver.at("/shop");
    if (!first || !second) throw new Error("a request is missing");
    expect(first.body.equals(second.body)).to.equal(true);
    expect(shopSignatureHolds(second, SECRET)).to.equal(true);
    expect(shopEventOf(second).metadata).to.deep.equal({ orderId: "1001" });
    const { json } = await native("GET", `/${id}/deliveries/${deliveryId}/request`);
    expect(json["body"]).to.equal(second.body.toString());
  });
});
