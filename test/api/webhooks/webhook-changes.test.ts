import { expect } from "chai";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { claimAttempt } from "../../../commands/webhooks/claim-attempt";
import { serviceSignature } from "../../../domain/webhook/signature";
import {
  serviceSignatureHolds,
  standardSignatureHolds,
  startReceiver,
  type Receiver,
} from "../../support/receiver";
import { startApi, type TestApi, type TestStore, expectRefused } from "../server";

describe("API: webhooks changed, rotated, tested", () => {
  let api: TestApi;
  let shop: TestStore;
  let receiver: Receiver;
  let webhookId: string;
  let secret: string;
  let path: string;
  let made = 0;
  before(async () => {
    api = await startApi();
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    shop = await api.store();
    path = `/hook-${(made += 1)}`;
    const { json } = await api.call("POST", `/stores/${shop.storeId}/webhooks`, {
      key: shop.apiKey,
      body: { url: `${receiver.url}${path}?token=hunter2` },
    });
    ({ webhookId, secret } = json);
  });
  after(async () => {
    await receiver.close();
    await api.stop();
  });

  const call = (method: string, rest = "", body?: unknown) =>
    api.call(method, `/stores/${shop.storeId}/webhooks/${webhookId}${rest}`, { key: shop.apiKey, body });
  /** An invoice's New event, as a delivery to the webhook. */
  async function delivery(): Promise<string> {
    await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS" },
    });
    return (await call("GET", "/deliveries")).json.data[0].deliveryId;
  }
  const attempt = (deliveryId: string) => attemptWebhook(api.ctx, { deliveryId });
  const received = () => receiver.requests.filter((request) => request.path.startsWith(path));
  const audit = async () =>
    (
      await api.db.query<{ action: string; kind: string; text: string }[]>(
        `SELECT action, actor_kind AS kind, details::text AS text FROM audit_log WHERE subject = $1 ORDER BY at`,
        [webhookId],
      )
    ).map(({ action, kind, text }) => {
      for (const hidden of ["hunter2", secret]) expect(text).not.to.include(hidden);
      return `${action} by ${kind}`;
    });

  describe("PATCH", () => {
    it("changes the named fields; pending deliveries go to the new URL", async () => {
      const before = (await call("GET")).json;
      const id = await delivery();
      const url = `${receiver.url}${path}/moved`;
      const changed = await call("PATCH", "", { url, events: ["Expired", "Settled"] });
      expect([changed.status, changed.json]).to.deep.equal([
        200,
        { ...before, url, events: ["Settled", "Expired"] },
      ]);
      expect((await call("GET")).json).to.deep.equal(changed.json);
      await attempt(id);
      expect(received().map((request) => request.path)).to.deep.equal([`${path}/moved`]);
      expect((await call("PATCH", "", {})).json).to.deep.equal(changed.json);
      expect(await audit()).to.deep.equal(["webhook.created by key", "webhook.changed by key"]);
    });

    it("switches it off: due deliveries are skipped, and sent again once it is on", async () => {
      const id = await delivery();
      expect((await call("PATCH", "", { enabled: false })).json).to.include({ enabled: false });
      await attempt(id);
      expect((await call("GET", `/deliveries/${id}`)).json).to.include({ state: "skipped" });
      expect((await call("PATCH", "", { enabled: true })).json).to.include({ enabled: true });
      expect((await call("POST", `/deliveries/${id}/redeliver`)).status).to.equal(202);
      await attempt(id);
      expect((await call("GET", `/deliveries/${id}`)).json).to.include({ state: "delivered" });
    });

    it("sends a webhook only the selected events from then on", async () => {
      await call("PATCH", "", { events: ["Settled"] });
      await api.call("POST", `/stores/${shop.storeId}/invoices`, {
        key: shop.apiKey,
        body: { amount: "1000", currency: "SATS" },
      });
      expect((await call("GET", "/deliveries")).json.data).to.deep.equal([]);
      await call("PATCH", "", { events: ["New", "Settled"] });
      await delivery();
      expect((await call("GET", "/deliveries")).json.data).to.have.length(1);
      // Which events it named when is not kept: for the invariants it begins now.
      await api.db.query("UPDATE webhooks SET created_at = now() WHERE id = $1", [webhookId]);
    });

    it("refuses a private address: 422 that points at it", async () => {
      const before = (await call("GET")).json;
      const refused = await call("PATCH", "", { url: "http://10.0.0.1/hook" });
      expectRefused(refused, 422, "validation-failed", "/url");
      expect((await call("GET")).json).to.deep.equal(before);
    });
  });

  describe("rotate-secret", () => {
    it("shows a new secret once; both sign in webhook-signature for the overlap, the new one only in X-Service-Sig", async () => {
      const ids = [await delivery()];
      const rotated = await call("POST", "/rotate-secret", { overlapSeconds: 3_600 });
      expect(rotated.status, rotated.text).to.equal(200);
      expect(rotated.json.secret)
        .to.match(/^whsec_/)
        .and.not.equal(secret);
      const { secret: newSecret, ...rest } = rotated.json;
      expect((await call("GET")).json).to.deep.equal(rest);
      ids.push(await delivery());
      for (const id of ids) await attempt(id);
      for (const request of received()) {
        expect(serviceSignatureHolds(request, newSecret)).to.equal(true);
        expect(serviceSignatureHolds(request, secret)).to.equal(false);
        for (const key of [secret, newSecret]) expect(standardSignatureHolds(request, key)).to.equal(true);
      }
      expect(received()).to.have.length(2);
      await api.db.query(
        "UPDATE webhooks SET previous_secret_until = now() - interval '1 second' WHERE id = $1",
        [webhookId],
      );
      await attempt(await delivery());
      const last = received().at(-1);
      if (!last) throw new Error("nothing was received");
      expect(standardSignatureHolds(last, newSecret)).to.equal(true);
      expect(standardSignatureHolds(last, secret)).to.equal(false);
      expect(await audit()).to.deep.equal(["webhook.created by key", "webhook.secret-rotated by key"]);
    });

    it("overlaps for a day by default, and not at all with 0", async () => {
      const until = async () => {
        const [row] = await api.db.query<[{ seconds: number | null; kept: boolean }]>(
          `SELECT round(extract(epoch FROM previous_secret_until - clock_timestamp()))::int AS seconds,
                  previous_secret_encrypted IS NOT NULL AS kept FROM webhooks WHERE id = $1`,
          [webhookId],
        );
        return row;
      };
      await call("POST", "/rotate-secret");
      expect((await until()).seconds).to.be.within(86_300, 86_400);
      const { json } = await call("POST", "/rotate-secret", { overlapSeconds: 0 });
      expect(await until()).to.deep.equal({ seconds: null, kept: false });
      await attempt(await delivery());
      const [request] = received();
      expect(request?.headers["webhook-signature"]?.split(" ")).to.have.length(1);
      expect(serviceSignature(request?.body ?? Buffer.alloc(0), json.secret)).to.equal(
        request?.headers["x-service-sig"],
      );
    });

    it("ends that a secret cannot be read, by default too", async () => {
      await api.db.query("UPDATE webhooks SET secret_encrypted = $2 WHERE id = $1", [
        webhookId,
        Buffer.alloc(100),
      ]);
      const { status, text, json } = await call("POST", "/rotate-secret");
      expect(status, text).to.equal(200);
      await attempt(await delivery());
      const [request] = received();
      if (!request) throw new Error("nothing was received");
      expect(serviceSignatureHolds(request, json.secret)).to.equal(true);
    });

    it("does not affect a request under way; the next is signed by the rule", async () => {
      const id = await delivery();
      const claim = await claimAttempt(api.ctx, id);
      if (claim.kind !== "claimed") throw new Error("the attempt was not claimed");
      const { json } = await call("POST", "/rotate-secret", { overlapSeconds: 60 });
      const { headers, body } = claim.attempt.request;
      expect(headers["X-Service-Sig"]).to.equal(serviceSignature(body, secret));
      expect((await call("GET", `/deliveries/${id}/request`)).json["headers"]).to.deep.equal(headers);
      await attempt(await delivery());
      const [request] = received();
      expect(request?.headers["x-service-sig"]).to.equal(
        serviceSignature(request?.body ?? Buffer.alloc(0), json.secret),
      );
      await api.db.query(
        "UPDATE webhook_attempts SET state = 'failed', error = 'interrupted' WHERE delivery_id = $1",
        [id],
      );
      await api.db.query(
        "UPDATE webhook_deliveries SET state = 'failed', error = 'interrupted' WHERE id = $1",
        [id],
      );
    });

    it("many times at once ends with the secret of one of the answers", async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => call("POST", "/rotate-secret", {})));
      await attempt(await delivery());
      const [request] = received();
      if (!request) throw new Error("nothing was received");
      const holding = answers.filter(({ json }) => serviceSignatureHolds(request, json.secret));
      expect(holding).to.have.length(1);
    });
  });

  describe("test", () => {
    it("sends a test event as a delivery like any other, marked in its header, and in no feed", async () => {
      await call("PATCH", "", { events: ["Settled"] });
      const answer = await call("POST", "/test", { type: "Expired" });
      expect(answer.status, answer.text).to.equal(202);
      const { deliveryId, invoiceId } = answer.json;
      expect(answer.json).to.include({
        webhookId,
        type: "Expired",
        additionalStatus: "None",
        state: "pending",
      });
      expect(invoiceId).to.match(/^inv_test/);
      expect(api.ctx.jobsOf("webhook-delivery").at(-1)).to.deep.equal({ deliveryId, attempt: 1 });
      await attempt(deliveryId);
      await attempt(deliveryId); // a doubled job
      const [request, ...others] = received();
      expect(others).to.deep.equal([]);
      expect(request?.body.toString()).to.equal(
        `{"type":"Expired","invoiceId":"${invoiceId}","metadata":{"orderId":"test"},"additionalStatus":"None"}`,
      );
      expect(request?.headers).to.include({ "x-service-test": "true" });
      if (request) expect(serviceSignatureHolds(request, secret)).to.equal(true);
      expect(
        (await call("GET", "/deliveries?type=Expired")).json.data.map((one) => one.deliveryId),
      ).to.deep.equal([deliveryId]);
      const feed = await api.call("GET", `/stores/${shop.storeId}/events`, { key: shop.apiKey });
      expect([feed.status, feed.json.data]).to.deep.equal([200, []]);

      expect((await call("POST", `/deliveries/${deliveryId}/redeliver`)).status).to.equal(202);
      await attempt(deliveryId);
      expect(received()[1]?.headers).to.include({ "x-service-test": "true", "x-service-attempt": "2" });
      expect(received()[1]?.body.equals(request?.body ?? Buffer.alloc(0))).to.equal(true);
    });

    it("is New by default, goes to this webhook only, and real events carry no mark", async () => {
      const { json: other } = await api.call("POST", `/stores/${shop.storeId}/webhooks`, {
        key: shop.apiKey,
        body: { url: `${receiver.url}${path}/other` },
      });
      const { json } = await call("POST", "/test");
      expect(json).to.include({ type: "New" });
      const theirs = await api.call("GET", `/stores/${shop.storeId}/webhooks/${other.webhookId}/deliveries`, {
        key: shop.apiKey,
      });
      expect(theirs.json.data).to.deep.equal([]);
      await attempt(await delivery());
      expect(received()[0]?.headers).not.to.have.property("x-service-test");
    });
  });

  describe("request", () => {
    it("is what was sent with the last attempt, byte for byte, also after the secret was changed", async () => {
      const id = await delivery();
      await attempt(id);
      await call("POST", "/rotate-secret", { overlapSeconds: 0 });
      const { json } = await call("GET", `/deliveries/${id}/request`);
      const [request] = received();
      expect(Object.keys(json)).to.deep.equal(["method", "url", "headers", "body"]);
      expect(json).to.include({
        method: "POST",
        url: `${receiver.url}${path}?token=hunter2`,
        body: request?.body.toString(),
      });
      for (const [name, value] of Object.entries(json["headers"] as Record<string, string>))
        expect(request?.headers[name.toLowerCase()], name).to.equal(value);
      expect(json["headers"]).to.have.property(
        "X-Service-Sig",
        serviceSignature(request?.body ?? Buffer.alloc(0), secret),
      );

      await call("POST", `/deliveries/${id}/redeliver`);
      await attempt(id);
      const again = await call("GET", `/deliveries/${id}/request`);
      expect(again.json["headers"]).to.include({ "X-Service-Attempt": "2" });
      expect(again.json["headers"]).to.have.property(
        "X-Service-Sig",
        received()[1]?.headers["x-service-sig"],
      );
    });

    it("has no signatures before the first attempt", async () => {
      const { json } = await call("GET", `/deliveries/${await delivery()}/request`);
      expect(json["headers"]).to.include({ "Content-Type": "application/json", "X-Service-Attempt": "1" });
      expect(json["headers"]).not.to.have.any.keys("X-Service-Sig", "webhook-signature", "webhook-timestamp");
      expect(json["body"]).to.include('"type":"New"');
    });
  });

  it("find nothing of a webhook that was deleted", async () => {
    await call("DELETE");
    for (const [method, rest] of [
      ["PATCH", ""],
      ["POST", "/rotate-secret"],
      ["POST", "/test"],
    ] as const)
      expectRefused(await call(method, rest, {}), 404, "webhook-not-found");
  });
});
