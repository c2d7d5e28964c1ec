import { expect } from "chai";
import { addDays, calendarIn } from "../../../domain/time-zone";
import { webhookSecretPlace } from "../../../commands/server/sealed-places";
import { eventually } from "../../support/eventually";
import { startReceiver, type Receiver } from "../../support/receiver";
import { startApi, type Answer, type TestApi, type TestStore, expectRefused } from "../server";

describe("API: webhooks and deliveries", () => {
  let api: TestApi;
  let shop: TestStore;
  let receiver: Receiver;
  before(async () => {
    api = await startApi();
    receiver = await startReceiver();
  });
  beforeEach(async () => (shop = await api.store()));
  after(async () => {
    await receiver.close();
    await api.stop();
  });

  const call = (method: string, rest = "", body?: unknown) =>
    api.call(method, `/stores/${shop.storeId}/webhooks${rest}`, { key: shop.apiKey, body });
  async function register(fields: object = {}): Promise<Answer> {
    const answer = await call("POST", "", { url: `${receiver.url}/hook`, ...fields });
    expect(answer.status, answer.text).to.equal(201);
    return answer;
  }
  /** An invoice, whose New event makes a delivery for each webhook. */
  async function invoice(): Promise<string> {
    const { json } = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS" },
    });
    return json.invoiceId;
  }

  it("are registered with 201 for all five events, with a secret that is shown once and stored encrypted", async () => {
    const { json } = await register();
    expect(Object.keys(json)).to.deep.equal(
      "webhookId url dialect events enabled failureStreak createdAt createdByUserId createdByEmail secret".split(
        " ",
      ),
    );
    expect(json).to.deep.include({
      url: `${receiver.url}/hook`,
      dialect: "native",
      events: ["New", "Processing", "Settled", "Expired", "Invalid"],
      enabled: true,
      failureStreak: 0,
    });
    expect(json.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret, ...rest } = json;
    expect((await call("GET")).json).to.deep.equal({ data: [rest], nextCursor: null });
    expect((await call("GET", `/${json.webhookId}`)).json).to.deep.equal(rest);
    const [row] = await api.db.query<[{ secret_encrypted: Buffer }]>(
      "SELECT secret_encrypted FROM webhooks WHERE id = $1",
      [json.webhookId],
    );
    expect(row.secret_encrypted.includes(Buffer.from(secret))).to.equal(false);
    expect(api.ctx.secrets.decrypt(row.secret_encrypted, webhookSecretPlace(json.webhookId))).to.equal(
      secret,
    );
  });

  it("keep the selected events, each once, and may begin disabled", async () => {
    const { json } = await register({ events: ["Expired", "Settled", "Expired"], enabled: false });
    expect(json).to.deep.include({ events: ["Settled", "Expired"], enabled: false });
  });

  const wrong: [string, object, string][] = [
    ["a private address", { url: "http://10.0.0.1/hook" }, "/url"],
    ["a host that does not resolve", { url: "https://does-not-exist.invalid/hook" }, "/url"],
  ];
  for (const [name, fields, pointer] of wrong)
    it(`are refused with ${name}: 422 that points at it`, async () => {
      const answer = await call("POST", "", { url: `${receiver.url}/hook`, ...fields });
      expectRefused(answer, 422, "validation-failed", pointer);
      expect((await call("GET")).json.data).to.deep.equal([]);
    });

  it("are listed by pages, newest first", async () => {
    const made: string[] = [];
    for (let index = 0; index < 3; index++) made.unshift((await register()).json.webhookId);
    const first = await call("GET", "?limit=2");
    const second = await call("GET", `?limit=2&cursor=${first.json.nextCursor}`);
    const found = [...first.json.data, ...second.json.data].map(({ webhookId }) => webhookId);
    expect(found).to.deep.equal(made);
    expect(second.json.nextCursor).to.equal(null);
    expectRefused(await call("GET", "?enabled=true"), 422, "validation-failed", "/enabled");
  });

  it("are deleted with 204: gone from the list, their deliveries still there", async () => {
    const { json } = await register();
    await invoice();
    const deleted = await call("DELETE", `/${json.webhookId}`);
    expect([deleted.status, deleted.text]).to.deep.equal([204, ""]);
    expect((await call("GET")).json.data).to.deep.equal([]);
    expectRefused(await call("GET", `/${json.webhookId}`), 404, "webhook-not-found");
    expectRefused(await call("DELETE", `/${json.webhookId}`), 404, "webhook-not-found");
    expectRefused(await call("DELETE", "/wh_unknown"), 404, "webhook-not-found");
    expect((await call("GET", `/${json.webhookId}/deliveries`)).json.data).to.have.length(1);
  });

  describe("deliveries", () => {
    let webhookId: string;
    let invoiceId: string;
    let deliveryId: string;
    beforeEach(async () => {
      webhookId = (await register()).json.webhookId;
      invoiceId = await invoice();
      deliveryId = (await call("GET", `/${webhookId}/deliveries`)).json.data[0].deliveryId;
    });
    const list = (query = "") => call("GET", `/${webhookId}/deliveries${query}`);
    const fail = (resolvedIp = "203.0.114.7") =>
      api.db.transaction(async (manager) => {
        await manager.query(
          `UPDATE webhook_deliveries SET state = 'failed', attempt_count = 1, http_status = 500, error = 'http-500',
             duration_ms = 12, last_attempt_at = now() WHERE id = $1`,
          [deliveryId],
        );
        await manager.query(
          `INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, state, duration_ms, http_status, error, response_body, resolved_ip)
           VALUES ($1, 1, $2, 'automatic', 'failed', 12, 500, 'http-500', $3, $4)`,
          [deliveryId, webhookId, Buffer.from("<b>no</b>"), resolvedIp],
        );
      });

    it("are listed with every field", async () => {
      const [delivery, ...others] = (await list()).json.data;
      expect(others).to.deep.equal([]);
      expect(Object.keys(delivery)).to.deep.equal(
        "deliveryId eventId webhookId invoiceId type additionalStatus dialectType state attemptCount httpStatus error durationMs createdAt lastAttemptAt nextAttemptAt".split(
          " ",
        ),
      );
      expect(delivery).to.deep.include({
        webhookId,
        invoiceId,
        type: "New",
        additionalStatus: "None",
        dialectType: null,
        nextAttemptAt: null,
        state: "pending",
        attemptCount: 0,
        httpStatus: null,
        lastAttemptAt: null,
      });
    });

    it("are filtered by state, type, invoice and time", async () => {
      const { createdAt } = (await list()).json.data[0];
      const later = new Date(Date.parse(createdAt) + 1_000).toISOString();
      for (const query of [
        "state=pending",
        "type=New",
        `invoiceId=${invoiceId}`,
        `since=${createdAt}`,
        `until=${later}`,
      ])
        expect((await list(`?${query}`)).json.data, query).to.have.length(1);
      for (const query of [
        "state=failed",
        "type=Settled",
        "invoiceId=inv_other",
        `since=${later}`,
        `until=${createdAt}`,
      ])
        expect((await list(`?${query}`)).json.data, query).to.have.length(0);
      for (const [query, pointer] of [
        ["state=lost", "/state"],
        ["type=Paid", "/type"],
        ["since=today", "/since"],
        ["status=failed", "/status"],
      ] as const)
        expectRefused(await list(`?${query}`), 422, "validation-failed", pointer);
    });

    it("are filtered by days of the store's time zone", async () => {
      const change = (timeZone: string) =>
        api.call("PATCH", `/stores/${shop.storeId}`, { key: shop.apiKey, body: { timeZone } });
      const { createdAt } = (await list()).json.data[0];
      for (const zone of ["Etc/GMT-12", "Etc/GMT+12"]) {
        await change(zone);
        const { dayOf } = calendarIn(zone);
        const [day, before, after] = [0, -1, 1].map((days) => addDays(dayOf(new Date(createdAt)), days));
        expect((await list(`?since=${day}&until=${day}`)).json.data, zone).to.have.length(1);
        for (const query of [`since=${after}`, `until=${before}`])
          expect((await list(`?${query}`)).json.data, `${zone} ${query}`).to.have.length(0);
      }
    });

    it("are filtered by being sent, while one of their attempts is", async () => {
      const sent = async () =>
        (await list("?state=sending")).json.data.map((one: { deliveryId: string }) => one.deliveryId);
      expect(await sent()).to.deep.equal([]);
      await api.db.query("UPDATE webhook_deliveries SET state = 'sending', attempt_count = 1 WHERE id = $1", [
        deliveryId,
      ]);
      await api.db.query(
        "INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause) VALUES ($1, 1, $2, 'automatic')",
        [deliveryId, webhookId],
      );
      expect(await sent()).to.deep.equal([deliveryId]);
    });

    it("list their attempts, but not answers of a special address", async () => {
      await fail();
      const { json } = await call("GET", `/${webhookId}/deliveries/${deliveryId}`);
      expect(json).to.deep.include({
        deliveryId,
        state: "failed",
        attemptCount: 1,
        httpStatus: 500,
        error: "http-500",
      });
      expect(json.attempts).to.have.length(1);
      expect(json.attempts[0]).to.deep.include({
        number: 1,
        cause: "automatic",
        durationMs: 12,
        httpStatus: 500,
        error: "http-500",
        responseBody: "<b>no</b>",
        resolvedIp: "203.0.114.7",
      });
      await api.db.query("UPDATE webhook_attempts SET resolved_ip = '10.1.2.3' WHERE delivery_id = $1", [
        deliveryId,
      ]);
      const shown = async () =>
        (await call("GET", `/${webhookId}/deliveries/${deliveryId}`)).json.attempts[0].responseBody;
      expect(await shown(), "on regtest").to.equal("<b>no</b>");
      Object.assign(api.ctx.settings, { network: "signet" });
      try {
        expect(await shown(), "of a private network").to.equal(null);
      } finally {
        Object.assign(api.ctx.settings, { network: "regtest" });
      }
    });

    it("are sent again with 202, of five at once one, and 409 while under way", async () => {
      expectRefused(
        await call("POST", `/${webhookId}/deliveries/${deliveryId}/redeliver`),
        409,
        "delivery-in-progress",
      );
      await fail();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => call("POST", `/${webhookId}/deliveries/${deliveryId}/redeliver`)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 409, 409, 409, 409]);
      const taken = answers.find(({ status }) => status === 202);
      expect(taken?.json).to.deep.include({ deliveryId, state: "pending" });
      expect(api.ctx.jobsOf("webhook-delivery").at(-1)).to.deep.equal({ deliveryId, attempt: 2 });
    });

    it("are sent again in bulk: those that match, by default the failed ones", async () => {
      const redeliver = (body?: unknown) => call("POST", `/${webhookId}/deliveries/redeliver`, body);
      expect((await redeliver()).json).to.deep.equal({ count: 0 });
      await fail();
      expect((await redeliver({ type: "Settled" })).json).to.deep.equal({ count: 0 });
      const answer = await redeliver({ state: "failed", type: "New", invoiceId });
      expect([answer.status, answer.json]).to.deep.equal([202, { count: 1 }]);
      expectRefused(await redeliver({ limit: 5 }), 422, "validation-failed", "/limit");
    });

    it("are sent again in bulk by one request of a store at a time, which is completed when its client has left", async () => {
      await fail();
      const path = `/${webhookId}/deliveries/redeliver`;
      const other = await api.store();
      const theirs = await api.call("POST", `/stores/${other.storeId}/webhooks`, {
        key: other.apiKey,
        body: { url: "http://127.0.0.1:1/hook" },
      });
      const holder = api.db.createQueryRunner();
      await holder.startTransaction();
      await holder.query("SELECT FROM webhook_deliveries WHERE id = $1 FOR UPDATE", [deliveryId]);
      const leave = new AbortController();
      try {
        const left = fetch(`${api.base}/api/v1/stores/${shop.storeId}/webhooks${path}`, {
          method: "POST",
          headers: { "x-api-key": shop.apiKey },
          signal: leave.signal,
        }).catch(() => undefined);
        await eventually(async () => {
          const waiting = await api.db.query<unknown[]>("SELECT FROM pg_locks WHERE NOT granted");
          return waiting.length > 0;
        });
        expectRefused(await call("POST", path), 429, "rate-limited");
        const answer = await api.call(
          "POST",
          `/stores/${other.storeId}/webhooks/${theirs.json.webhookId}/deliveries/redeliver`,
          { key: other.apiKey },
        );
        expect([answer.status, answer.json]).to.deep.equal([202, { count: 0 }]);
        leave.abort();
        await left;
      } finally {
        await holder.rollbackTransaction();
        await holder.release();
      }
      await eventually(async () => {
        const { json } = await call("GET", `/${webhookId}/deliveries/${deliveryId}`);
        return json["state"] === "pending";
      });
      await eventually(async () => {
        const again = await call("POST", path);
        expect([again.status, again.json]).to.deep.equal([202, { count: 0 }]);
      });
    });
  });
});
